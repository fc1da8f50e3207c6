import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { plainText } from "../../../base/text/ansi.ts";
import { textWidth } from "../../../base/text/text-width.ts";
import { createPaint } from "../paint.ts";
import { createMarkdownStream, renderMarkdown } from "./render-markdown.ts";

const shown = (text: string, columns = 80) =>
  renderMarkdown(text, { paint: createPaint(false), columns: () => columns });
const painted = (text: string, columns = 80) =>
  renderMarkdown(text, { paint: createPaint(true), columns: () => columns });

const table = "| Name | Meaning |\n|:--|--:|\n| `a` | the first letter of all |\n| 日本 | wide |";

test("a table is aligned, even with wide characters; columns that are too wide wrap between words", () => {
  assert.deepEqual(shown(table), [
    "Name │                 Meaning",
    "─────┼────────────────────────",
    "`a`  │ the first letter of all",
    "日本 │                    wide",
  ]);
  assert.deepEqual(shown(table, 24), [
    "Name │           Meaning",
    "─────┼──────────────────",
    "`a`  │  the first letter",
    "     │            of all",
    "日本 │              wide",
  ]);
  assert.deepEqual(shown("| a | b |\n|--|--|\n| internationalization | straightforward |", 30), [
    "a: internationalization",
    "b: straightforward",
  ]);
  assert.deepEqual(shown("a | b without a table"), ["a | b without a table"]);
});

test("in tables, links show their address, emphasis is kept, and code stays code", () => {
  assert.deepEqual(shown("see [the docs](https://x.y/a_(b)) and <https://z.w>"), [
    "see the docs (https://x.y/a_(b)) and https://z.w",
  ]);
  const [line = ""] = painted("**bold** *it* _em_ ~~no~~ `a*b*c` snake_case_name 2*3*4 **a `b` c**");
  assert.equal(plainText(line), "bold it em no a*b*c snake_case_name 2*3*4 a b c");
  assert.ok(
    line.includes("\x1b[1mbold\x1b[22m") && line.includes("\x1b[3mit\x1b[23m") && line.includes("\x1b[3mem\x1b[23m"),
  );
  assert.ok(line.includes("\x1b[36ma*b*c\x1b[39m"));
  assert.deepEqual(shown("**bold** *it* `code`"), ["**bold** *it* `code`"], "without colours the marks stay");
});

test("code is highlighted by its language, even across lines, and its text never changes", () => {
  const code = ["```ts", 'const a = "x"; // why', "/* one", "two */ return 12;", "```", "*after*"];
  const lines = painted(code.join("\n"));
  assert.deepEqual(lines.map(plainText), [...code.slice(0, 5), "after"]);
  assert.ok(lines[1]?.startsWith('\x1b[36mconst\x1b[39m a = \x1b[32m"x"\x1b[39m; \x1b[2m//'));
  assert.ok(lines[3]?.startsWith("\x1b[2mtwo */\x1b[22m \x1b[36mreturn\x1b[39m \x1b[33m12"));
  assert.deepEqual(painted("```unknown\nif x\n```").map(plainText), ["```unknown", "if x", "```"]);
});

test("continued lines of lists and quotes are indented below their text", () => {
  assert.deepEqual(shown("- one two three\n  1. four five six\n> seven eight nine", 14), [
    "- one two",
    "  three",
    "  1. four five",
    "     six",
    "> seven eight",
    "> nine",
  ]);
});

test("at 40 columns no line breaks inside a word", () => {
  const word = fc.stringMatching(/^[a-z*_`|#>[\]()-]{1,12}$/u);
  const line = fc.array(word, { maxLength: 20 }).map((words) => words.join(" "));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 8 }), (lines) => {
      for (const each of shown(lines.join("\n"), 40)) {
        const isOneWord = !each.trim().includes(" ");
        assert.ok(textWidth(each) <= 40 || isOneWord, `${JSON.stringify(each)} of ${JSON.stringify(lines)}`);
      }
    }),
  );
  const long = "for (const item of items) console.log(item.name, item.value);";
  assert.deepEqual(shown(`\`\`\`js\n  ${long}\n\`\`\``, 40), [
    "```js",
    "  for (const item of items)",
    "      console.log(item.name,",
    "      item.value);",
    "```",
  ]);
});

test("a stream gives the same lines however it is split, and incomplete lines are shown", () => {
  const text = `# Plan\n\nSome **bold words** here.\n\n${table}\n\n\`\`\`py\nx = """a\nb"""\n\`\`\`\nend`;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1 }), (sizes) => {
      const stream = createMarkdownStream({ paint: createPaint(true), columns: () => 30 });
      const lines: string[] = [];
      for (let from = 0, index = 0; from < text.length; index++) {
        const size = sizes[index % sizes.length] ?? 1;
        lines.push(...stream.push(text.slice(from, from + size)));
        stream.open();
        from += size;
      }
      assert.deepEqual([...lines, ...stream.end()], painted(text, 30));
    }),
  );
  const stream = createMarkdownStream({ paint: createPaint(false), columns: () => 30 });
  assert.deepEqual(stream.push("| a | b |\n|--|--|\n| 1"), []);
  assert.deepEqual(stream.open(), ["a │ b", "──┼──", "| 1"]);
  assert.deepEqual(stream.push(" | 2 |\nafter"), []);
  assert.deepEqual(stream.push("\n"), ["a │ b", "──┼──", "1 │ 2", "after"]);
});
