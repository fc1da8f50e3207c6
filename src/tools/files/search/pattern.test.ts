import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { explainedPattern } from "./explained-pattern.ts";
import { linearMatcher } from "./linear-matcher.ts";
import { javaScriptPattern, namesLineEnd } from "./pattern.ts";

const options = { ignoreCase: false, multiline: false, crlf: false };

function translated(pattern: string, changes: Partial<typeof options> = {}) {
  const result = javaScriptPattern(pattern, { ...options, ...changes });
  assert.ok(result.ok, JSON.stringify(result));
  return { regExp: new RegExp(result.value.source, result.value.flags), ...result.value };
}

test("without multiline nothing matches a line end", () => {
  for (const pattern of ["a\\s*b", "a[^x]b", "(?s)a.b", "a\\Wb", "a[\\s\\S]b"])
    assert.equal(translated(pattern).regExp.test("a\nb"), false, pattern);
  assert.equal(translated("a\\s*b", { multiline: true }).regExp.test("a\nb"), true);
});

test("a line end is part of a pattern unless it is excluded", () => {
  assert.deepEqual(["a\\nb", "a\nb", "[\\n]", "\\\\n", "[^\\n]a", "n"].map(namesLineEnd), [
    true,
    true,
    true,
    false,
    false,
    false,
  ]);
});

test("a fault has a place, a reason and what to write instead", () => {
  const explained = (pattern: string) =>
    explainedPattern({ pattern, ignoreCase: false, multiline: false, context: 0 }, "?");
  assert.equal(
    explained("foo(bar"),
    'The pattern is not a regular expression: a ( is not closed (at character 4, "(bar"). ' +
      'To search for this very text write "foo\\\\(bar".',
  );
  assert.match(explained("*a"), /nothing before it to repeat.*character 1/u);
  assert.match(explained("(?<=a)b"), /look-behind are not supported.*grep -P/u);
  assert.match(explained("(a)\\1"), /backreferences/u);
});

test("the linear matcher finds what JavaScript's pattern finds", () => {
  const atom = fc.constantFrom("a", "b", "ab", ".", "\\w", "[^a]", "\\b", "^", "$", "é", "\\s", "😀", "(?i:A)");
  const pattern = fc.letrec<{ node: string }>((tie) => ({
    node: fc.oneof(
      { depthSize: "small" },
      atom,
      fc
        .tuple(tie("node"), fc.constantFrom("*", "+", "?", "*?", "+?", "{1,2}"))
        .map(([part, sign]) => `(?:${part})${sign}`),
      fc.tuple(tie("node"), tie("node")).map((parts) => parts.join("")),
      fc.tuple(tie("node"), tie("node")).map((parts) => `(${parts.join("|")})`),
    ),
  })).node;
  const text = fc
    .array(fc.constantFrom("a", "b", "A", " ", "\n", "é", "😀"), { maxLength: 12 })
    .map((chars) => chars.join(""));
  fc.assert(
    fc.property(pattern, text, (source, body) => {
      const { regExp, tree } = translated(source);
      const found = linearMatcher(tree, false, 1_000_000)?.find(body, 0);
      const match = regExp.exec(body);
      // An empty match of JavaScript's may stand between the halves of a character.
      if (match && /^[\udc00-\udfff]/u.test(body.slice(match.index))) return;
      // Where it ends may differ: an empty repetition counts as one in ripgrep's patterns, not in JavaScript's.
      assert.equal(typeof found === "object" ? found.start : found, match?.index);
    }),
    { numRuns: 300 },
  );
});

test("a part that ignores case leaves the classes around it alone", () => {
  const { regExp } = translated("(?i:B)?[^a]b");
  assert.equal(regExp.exec("Ab")?.[0], "Ab");
});

test("the linear matcher is not caught by a pattern that backtracks", () => {
  const { tree } = translated("(a+)+$");
  assert.equal(linearMatcher(tree, false, 1_000_000)?.find(`${"a".repeat(5000)}!`, 0), undefined);
});
