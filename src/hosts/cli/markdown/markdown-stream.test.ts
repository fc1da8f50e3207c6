import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { plainText } from "../../../base/text/ansi.ts";
import { textWidth } from "../../../base/text/text-width.ts";
import { createPaint } from "../paint.ts";
import { createMarkdownStream, renderMarkdown } from "./render-markdown.ts";

const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";
const fragments = fc.oneof(
  fc.constantFrom(
    ..."* ** *** _ __ ~~ ` `` ``` ~~~ [ ]( ) ![ < > & &amp; &lt; $ $$ \\( \\) \\[ \\] \\\\ | || |--|--| # ## - -- --- + 1. 12) > >> \t \\frac{a}{b} x^2 https://x.y/z http: h ht <br> <https://a.b> ]( ┊ ❯".split(
      " ",
    ),
    "\n",
    "\n\n",
    " ",
    "    ",
    "- [x] ",
    "```ts\n",
    "/* ",
    '"""',
    "| a | b |\n|---|---|\n| 1 | 2 |\n",
  ),
  fc.stringMatching(/^[a-z]{1,9} ?$/u),
  fc.constantFrom(
    "漢字、仮名。",
    family,
    "e\u0301",
    "\u{1f1e9}\u{1f1ea}",
    "ภาษาไทย",
    "עברית",
    "\u200b",
    "\x1b[2J",
    "\u202e",
    "\ufe0f",
    "\ud83d",
    "\ude00",
  ),
  fc.constant("x".repeat(130)),
);
const texts = fc.array(fragments, { maxLength: 60 }).map((parts) => parts.join(""));
const sizes = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 30 });
const widths = fc.integer({ min: 12, max: 200 });

function streamed(text: string, cuts: readonly number[], columns: number, colours = true): readonly string[] {
  const stream = createMarkdownStream({ paint: createPaint(colours), columns: () => columns, hyperlinks: true });
  const lines: string[] = [];
  for (let from = 0, index = 0; from < text.length; index++) {
    const size = cuts[index % cuts.length] ?? 1;
    lines.push(...stream.push(text.slice(from, from + size)));
    for (const line of stream.open(20)) assert.ok(textWidth(line) <= columns, `open: ${JSON.stringify(line)}`);
    from += size;
  }
  return [...lines, ...stream.end()];
}

test("however a text is split into chunks, it gives the same lines, and they fit the width", () => {
  fc.assert(
    fc.property(texts, sizes, widths, fc.boolean(), (text, cuts, columns, colours) => {
      const whole = renderMarkdown(text, { paint: createPaint(colours), columns: () => columns, hyperlinks: true });
      assert.deepEqual(streamed(text, cuts, columns, colours), whole);
      for (const line of whole) {
        assert.ok(textWidth(line) <= columns, `${textWidth(line)} > ${columns}: ${JSON.stringify(line)}`);
        // oxlint-disable-next-line no-control-regex -- their absence is the claim
        assert.doesNotMatch(plainText(line), /[\0-\x1f\x7f-\x9f\u202a-\u202e]/u);
      }
    }),
    { numRuns: 400 },
  );
});

const page = [
  "## Result with `code`",
  "",
  "A paragraph with **bold words**, a [label](https://example.com/a) and $E=mc^2$, long enough to wrap in most windows.",
  "- one &lt;tag&gt;",
  "  - [x] a nested task that wraps at forty columns too",
  "> a quote",
  "",
  "| Name | Notes |",
  "|:--|--:|",
  "| 漢字 | a note that is a little longer |",
].join("\n");
const shownAt = (columns: number) =>
  renderMarkdown(page, { paint: createPaint(true), columns: () => columns }).map(plainText);

test("a page with all kinds of Markdown is drawn as expected at 40, 80 and 200 columns", () => {
  assert.deepEqual(shownAt(40), [
    "Result with code",
    "",
    "A paragraph with bold words, a label",
    "(https://example.com/a) and E=mc², long",
    "enough to wrap in most windows.",
    "• one <tag>",
    "  • ☑ a nested task that wraps at forty",
    "      columns too",
    "│ a quote",
    "",
    "Name │                          Notes",
    "─────┼───────────────────────────────",
    "漢字 │ a note that is a little longer",
  ]);
  assert.deepEqual(shownAt(80).slice(2, 5), [
    "A paragraph with bold words, a label (https://example.com/a) and E=mc², long",
    "enough to wrap in most windows.",
    "• one <tag>",
  ]);
  assert.equal(
    shownAt(200)[2],
    "A paragraph with bold words, a label (https://example.com/a) and E=mc², long enough to wrap in most windows.",
  );
});

test("links are clickable where the terminal supports it; a label never hides a different address", () => {
  const line = (text: string) =>
    renderMarkdown(text, { paint: createPaint(true), columns: () => 80, hyperlinks: true }).join("");
  assert.equal(
    line("[docs](https://a.b/c)"),
    "\u001b]8;;https://a.b/c\u001b\\\u001b[4mdocs\u001b[24m\u001b]8;;\u001b\\",
  );
  assert.equal(plainText(line("[https://good.org](https://evil.org)")), "https://good.org (https://evil.org)");
  assert.equal(plainText(line("[x](javascript:alert)")), "x (javascript:alert)");
  assert.equal(
    plainText(line("see https://x.y/a_(b), and (https://z.w).")),
    "see https://x.y/a_(b), and (https://z.w).",
  );
});

test("a line of a megabyte is drawn while it streams, and the memory for the open part is bounded", () => {
  const stream = createMarkdownStream({ paint: createPaint(true), columns: () => 80 });
  let count = 0;
  for (let part = 0; part < 1_000; part++) {
    count += stream.push("x".repeat(1_000)).length;
    assert.ok(stream.open().length < 20);
  }
  assert.ok(count > 12_000);
});
