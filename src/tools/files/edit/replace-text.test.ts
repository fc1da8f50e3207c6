import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { checkEditLine } from "./check-lines.ts";
import { fold } from "./fold.ts";
import { occurrences } from "./occurrences.ts";
import { replaceText } from "./replace-text.ts";

const once = (original: string, old: string, replacement: string) =>
  replaceText(original, { old, new: replacement, replaceAll: false });

/** Distortions that models introduce when they repeat a text. */
const distortions = fc.constantFrom<(text: string) => string>(
  (text) => text.replace(/[“”]/gu, '"').replace(/’/gu, "'"),
  (text) => text.replaceAll("—", "--").replaceAll("…", "..."),
  (text) => text.replaceAll("\r\n", "\n"),
  (text) => text.replaceAll("\n", "\r\n"),
  (text) => text.replace(/[ \t\u00a0]+/gu, " "),
  (text) => text.replace(/[ \t\u00a0]+$/gmu, ""),
  (text) => text.replace(/^[ \t\u00a0]*/gmu, "  "),
  (text) =>
    text
      .normalize("NFC")
      .replace(/[ \t\u00a0]+/gu, "  ")
      .replaceAll("“", '"'),
);

/** Short texts with many repetitions. */
const texts = fc
  .array(
    fc.constantFrom(
      "a",
      "b",
      " ",
      "  ",
      "\t",
      "\n",
      "\r\n",
      "\r",
      '"',
      "“",
      "’",
      "'",
      "—",
      "--",
      "…",
      "e\u0301",
      "é",
      "\u00a0",
      "🎉",
      "$&",
      "\\n",
      "\uFEFF",
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

test("an edit with a CRLF text that lacks its last line feed does not cause mixed line ends", () => {
  for (const lineEnd of ["\n", "\r\n"]) {
    const edited = once(["a", "b", "c", ""].join(lineEnd), "b", "1\r\n2\r");
    assert.equal(edited.outcome === "applied" && edited.result, ["a", "1", "2", "c", ""].join(lineEnd));
  }
});

test("an edit reports its method, count and lines", () => {
  assert.deepEqual(replaceText("a\nb\na\n", { old: "a", new: "c", replaceAll: true }), {
    outcome: "applied",
    result: "c\nb\nc\n",
    drift: [],
    count: 2,
    places: [
      { line: 1, lastLine: 1, text: "a" },
      { line: 3, lastLine: 3, text: "a" },
    ],
  });
  assert.deepEqual(once("x\n  say(“a”)\n  b\n", 'say("a")\nb\n', "c\n"), {
    outcome: "applied",
    result: "x\n  c\n",
    drift: ["punctuation", "white space"],
    count: 1,
    places: [{ line: 2, lastLine: 3, text: "say(“a”)" }],
  });
});

test("if several positions match, all candidates are shown with their lines", () => {
  assert.deepEqual(once("f(1)\ng()\n  f(1) // again\n", "f(1)", "x"), {
    outcome: "ambiguous",
    drift: [],
    count: 2,
    places: [
      { line: 1, lastLine: 1, text: "f(1)" },
      { line: 3, lastLine: 3, text: "f(1) // again" },
    ],
  });
});

test("the error for a missing text shows the most similar lines and the first difference", () => {
  const file = "import a\n\ndef f(x):\n    y = x + 1\n    return y\n\ndef g():\n    pass\n";
  assert.deepEqual(once(file, "def f(x):\n    y = x + 2\n    return y", "pass"), {
    outcome: "not_found",
    reason: "old_string is not in the file. Read the lines again and copy them exactly.",
    nearest: {
      line: 3,
      lines: ["def f(x):", "    y = x + 1", "    return y"],
      difference: { line: 4, inFile: "    y = x + 1", asked: "    y = x + 2" },
    },
  });
  const alike = once(file, "y = x - one", "pass");
  assert.deepEqual(alike.outcome === "not_found" && alike.nearest?.line, 4);
});

test("the error names common mistakes, such as line numbers or escapes in old_string", () => {
  const reasonFor = (original: string, old: string, replacement: string) => {
    const edited = once(original, old, replacement);
    return edited.outcome === "not_found" ? edited.reason : edited.outcome;
  };
  assert.match(reasonFor("a\nb\n", "1|a\n3|b", "x"), /line numbers/);
  assert.match(reasonFor("a\nb\n", "a\\nb", "'\\n'"), /escape sequences/);
  assert.match(reasonFor("return second\n", "return first", "return second"), /already/);
  assert.match(reasonFor("a\n", "", "x"), /empty/);
  assert.match(reasonFor("a\n", "\n\n\n", "x"), /white space/);
  assert.match(reasonFor("\tx\n\ty\n", "x\ny", "x {\n    z\n}\ny"), /Line 1 .* indent/);
});

test("the error names a character that only looks like the expected one", () => {
  const differences = (original: string, old: string) => {
    const edited = once(original, old, "x");
    return edited.outcome === "not_found" ? edited.nearest?.difference?.sign : edited.outcome;
  };
  assert.equal(differences("5′ 10\n", "5' 10"), "′ (U+2032) in the file, ' in yours");
  assert.equal(
    differences("one of foo\u200bbar\n", "one of foobar"),
    "an invisible character (U+200B) in the file, b in yours",
  );
  assert.equal(differences("all of the scope\n", "all of the sc\u043epe"), "o in the file, \u043e (U+043E) in yours");
  assert.equal(differences("a is b\n", "a is c"), undefined);
});

test("every edit succeeds or returns an error, and lines outside the edit stay unchanged", () => {
  fc.assert(
    fc.property(texts, texts, texts, fc.boolean(), (original, old, replacement, replaceAll) => {
      const edited = replaceText(original, { old, new: replacement, replaceAll });
      if (edited.outcome !== "applied" || edited.count !== 1) return;
      const lineEnd = original.includes("\n") ? "\n" : "\r";
      const lines = original.split(lineEnd);
      const { line, lastLine } = edited.places[0]!;
      const before = lines.slice(0, line - 1).join(lineEnd);
      const after = lines.slice(lastLine + 1).join(lineEnd);
      assert.ok(edited.result.startsWith(before) && edited.result.endsWith(after));
    }),
    { numRuns: 3_000 },
  );
});

test("a text that occurs once is replaced by exactly the given text", () => {
  fc.assert(
    fc.property(texts, texts, texts, texts, (before, old, replacement, after) => {
      const original = before + old + after;
      fc.pre(old !== "" && original.indexOf(old) === original.lastIndexOf(old));
      fc.pre(!/[\r\n]/.test(replacement) && !old.endsWith("\r") && !before.endsWith("\r"));
      fc.pre(!/(?:^|[\r\n])[ \t]+$/.test(before));
      const edited = once(original, old, replacement);
      assert.deepEqual(edited.outcome === "applied" && edited.result, before + replacement + after);
    }),
    { numRuns: 2_000 },
  );
});

test("a text that occurs several times is replaced only with replace_all", () => {
  fc.assert(
    fc.property(texts, texts, texts, (between, old, replacement) => {
      fc.pre(old !== "" && !/^\n|\r$/.test(old));
      assert.equal(once(old + between + old, old, replacement).outcome, "ambiguous");
    }),
  );
});

test("an inexact edit changes only white space and punctuation in addition to the requested text", () => {
  const bare = (text: string) =>
    fold(text, { whitespace: true, punctuation: true }).text.replace(/\s/gu, "").normalize("NFD");
  fc.assert(
    fc.property(texts, fc.nat(10), fc.nat(20), distortions, texts, (original, from, length, distort, replacement) => {
      const old = distort(original.slice(from, from + length + 3));
      fc.pre(!/^\p{M}/u.test(old));
      const edited = once(original, old, old.slice(0, 4) + replacement + old.slice(-4));
      if (edited.outcome !== "applied" || edited.drift.length === 0) return;
      const part = bare(old);
      const whole = bare(original);
      const possible = [...occurrences(whole, part)].map(
        (index) =>
          whole.slice(0, index) +
          bare(old.slice(0, 4) + replacement + old.slice(-4)) +
          whole.slice(index + part.length),
      );
      assert.ok(possible.includes(bare(edited.result)));
    }),
    { numRuns: 3_000 },
  );
});

/** Generates a block of code somewhere in a file, with one of its lines changed. */
const edits = fc
  .record({
    depths: fc.array(fc.nat(3), { minLength: 6, maxLength: 14 }),
    from: fc.nat(5),
    length: fc.integer({ min: 2, max: 5 }),
    changed: fc.nat(4),
  })
  .map(({ depths, from, length, changed }) => {
    const lines = depths.map((depth, index) => `${"    ".repeat(depth)}call${index}("it's ${index}");`);
    const block = lines.slice(from, from + length);
    const offset = changed % block.length;
    const next = block.with(offset, block[offset]!.replace("call", "send"));
    return { lines, block, next, after: lines.toSpliced(from, block.length, ...next) };
  })
  .filter(({ block }) => block.length > 1);

const drifts: Readonly<Record<string, { file?: (text: string) => string; edit?: (text: string) => string }>> = {
  "further right": { edit: (text) => text.replace(/^/gm, "  ") },
  "further left in the edit": { file: (text) => text.replace(/^/gm, "\t") },
  "tabs in the file": { file: (text) => text.replaceAll("    ", "\t") },
  "two blanks a level in the edit": { edit: (text) => text.replaceAll("    ", "  ") },
  "CRLF in the file": { file: (text) => text.replaceAll("\n", "\r\n") },
  "CRLF in the edit": { edit: (text) => text.replaceAll("\n", "\r\n") },
  "curly quotes in the file": { file: (text) => text.replaceAll("'", "’").replaceAll('("', "(“") },
  "curly quotes in the edit": { edit: (text) => text.replaceAll("'", "’").replaceAll('"', "”") },
  "everything at once": {
    file: (text) => text.replaceAll("'", "’").replace(/^/gm, "    ").replaceAll("\n", "\r\n"),
    edit: (text) => text.replaceAll("    ", "  "),
  },
};

for (const [name, { file = same, edit = same }] of Object.entries(drifts)) {
  test(`an edit means the same where it is drifted: ${name}`, () => {
    fc.assert(
      fc.property(edits, ({ lines, block, next, after }) => {
        const original = file(`${lines.join("\n")}\n`);
        const edited = once(original, edit(block.join("\n")), edit(next.join("\n")));
        assert.deepEqual(edited.outcome === "applied" && edited.result, file(`${after.join("\n")}\n`));
      }),
      { numRuns: 200 },
    );
  });
}

test("the time to edit a large hostile text grows linearly with its length", async () => {
  const hostile: readonly ((size: number) => readonly [string, string])[] = [
    (size) => ["a".repeat(size), `b${"a".repeat(size / 10)}`],
    (size) => ["\n".repeat(size), "\nx\n"],
    (size) => [`x${" ".repeat(size)}y`, "x  z"],
    (size) => ["f(a,  b)\n".repeat(size / 9), "f(a, b)\nf(a, c)"],
    (size) => ["say(“a  b”) ".repeat(size / 12), 'say("a b")'],
    (size) => [`e${"\u0301".repeat(size)}`, "éx"],
  ];
  for (const texts of hostile)
    await assertGrowsLinearly(
      300_000,
      (size) => {
        const [original, old] = texts(size);
        assert.equal(once(original, old, "z").outcome, "not_found");
      },
      texts(20)[0],
    );
});

test("the response to a line of `check edits` has its outcome, and the text only if it changed", () => {
  const answer = (given: object) => checkEditLine(JSON.stringify(given)).line;
  const edit = { id: "7", original: "a b\n", old: "a", new: "c", replace_all: false };
  assert.equal(answer(edit), '{"id":"7","outcome":"applied","result":"c b\\n"}');
  assert.equal(answer({ ...edit, original: "a a\n" }), '{"id":"7","outcome":"ambiguous"}');
  assert.equal(
    answer({ ...edit, original: "a a\n", replace_all: true }),
    '{"id":"7","outcome":"applied","result":"c c\\n"}',
  );
  assert.equal(answer({ id: 1, original: "a", old: "z", new: "" }), '{"id":1,"outcome":"not_found"}');
});

test("the response to an invalid line of `check edits` is an error", () => {
  for (const line of [
    "{",
    "[]",
    "null",
    '{"id":1}',
    '{"id":1,"original":"a","old":1,"new":"b"}',
    '{"original":"a","old":"a","new":"b","replace_all":"yes"}',
  ]) {
    const { ok, line: answer } = checkEditLine(line);
    assert.equal(ok, false);
    assert.match(answer, /"error":"/);
  }
});

function same(text: string): string {
  return text;
}

test("blanks around a part of a line are not needed, but the part is a whole word", () => {
  const change = (original: string, old: string, replacement: string) => {
    const outcome = replaceText(original, { old, new: replacement, replaceAll: false });
    return outcome.outcome === "applied" ? outcome.result : outcome.outcome;
  };
  assert.equal(change("call(first, second)\n", " first ", " third "), "call(third, second)\n");
  assert.equal(change("call(first, second)\n", " first ", "third"), "call(third, second)\n");
  assert.equal(change("call(firstly, second)\n", " first ", "third"), "not_found");
  assert.equal(change("call(first, first)\n", " first ", "third"), "ambiguous");
  assert.equal(change("call(first, second)\n", "  first  ", " third"), "not_found");
});

test("blank lines around old_string that the file does not have are not replaced", () => {
  for (const [old, replacement] of [
    ["   \n\t  const x = 5;  \t\n  ", "const x = 6;"],
    ["const x = 5;\n  ", "const x = 6;"],
    ["\nconst x = 5;\n\n", "\nconst x = 6;\n\n"],
  ] as const) {
    const outcome = once("let a;\nconst x = 5;\nlet b;\n", old, replacement);
    assert.equal(outcome.outcome === "applied" && outcome.result, "let a;\nconst x = 6;\nlet b;\n", old);
  }
});

test("new lines are indented alike if only the first line of old_string lacks its indentation, whatever else differs", () => {
  for (const [name, original, old, replacement, result] of [
    ["quotes", "a\n\tsay “x”\nb\n", 'say "x"', 'say "y"\nadded', "a\n\tsay “y”\n\tadded\nb\n"],
    ["line ends", "a\r\n\tfoo\r\n\tbar\r\n", "foo\n", "foo\nadded\n", "a\r\n\tfoo\r\n\tadded\r\n\tbar\r\n"],
    ["a line end before both", "a\n\t\tfoo\n", "\nfoo ", "\nfoo\n\t\tadded", "a\n\t\tfoo\n\t\tadded\n"],
    [
      "a file with other nesting",
      "x\n\ta {\n\tb\n\t\tc\n",
      "a {\n\tb\n\t\tc",
      "a {\n\tb\n\t\td\n\t\te",
      "x\n\ta {\n\tb\n\t\td\n\t\te\n",
    ],
  ] as const) {
    const outcome = once(original, old, replacement);
    assert.equal(outcome.outcome === "applied" && outcome.result, result, name);
  }
});

test("an inexact edit never joins lines, and a stray blank before old_string never moves a line", () => {
  for (const [original, old, replacement] of [
    ["a\nsay “x”\nb\n", '\nsay "x"\n', 'say "y"'],
    ["a\n\n foo\n\nb\n", " \nfoo\n ", "bar"],
    ["a\n\tfoo\nbar\n", " foo\nbar", "foo\nbaz"],
  ] as const)
    assert.equal(once(original, old, replacement).outcome, "not_found", old);
});

test("an inexact edit whose indentation has two readings is refused", () => {
  for (const [original, old, replacement] of [
    // Both texts have lost all indentation, or only the first line has.
    ["a\n    b\nc\n", "b\nc ", "b\nnew\nc"],
    // A new line is deeper, although the line above opens nothing.
    ["x\n        foo\n\n        bar\n", "\nfoo", "\nfoo\n          new"],
    ["a\n\tb\n", "  b ", "  c\n  \tnew"],
    // The first line has the depth of the file, the second one that of `old`.
    ["a\n    b\nc\n", "     b\n    c", "    b\n    d"],
  ] as const)
    assert.equal(once(original, old, replacement).outcome, "not_found", old);
});

test("a first line without indentation in both texts keeps that of the file, and tabs stand for its depth", () => {
  for (const [original, old, replacement, result] of [
    ["a\n\tb\nc\nd\n", "b \nc", "x\n\tnew\nc", "a\n\tx\n\tnew\nc\nd\n"],
    ["a\n\tb {\n\t\tc\n\t}\n", "\nc", "\nc\n        new", "a\n\tb {\n\t\tc\n\t\tnew\n\t}\n"],
  ] as const) {
    const outcome = once(original, old, replacement);
    assert.equal(outcome.outcome === "applied" && outcome.result, result, old);
  }
});
