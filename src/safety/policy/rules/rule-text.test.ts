import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../../test/support/any-text.ts";
import { assertFails } from "../../../../test/support/failure.ts";
import { parseRule, ruleText, type WordRule } from "./rule-text.ts";

function read(text: string): WordRule {
  const rule = parseRule(text, "/home/anna");
  assert.ok(rule.ok, `${text}: ${JSON.stringify(rule)}`);
  return rule.value;
}

const words = (text: string) => read(text).words.map((word) => word.text);

test("the words of a rule are parsed in the same way as by a shell", () => {
  assert.deepEqual(words(`git  commit -m "a b" 'c*d' e\\ f`), ["git", "commit", "-m", "a b", "c*d", "e f"]);
  assert.deepEqual(words("rm -rf ~/tmp '~/x'"), ["rm", "-rf", "/home/anna/tmp", "~/x"]);
  assert.deepEqual(read("git push *").hasRest, true);
  assert.deepEqual(read("git push '*'").hasRest, false);
  assert.deepEqual(read("*").hasRest, false);
  assert.deepEqual(read("A=1 make > out.txt").words, [
    { text: "A=1", isGlob: false, mark: "=" },
    { text: "make", isGlob: false },
    { text: "out.txt", isGlob: false, mark: ">" },
  ]);
  assert.deepEqual(read("rm 'a*'*").words[1], { text: "a[*]*", isGlob: true });
});

test("text after # can set only folder, rule and programs", () => {
  const rule = read("rm -rf build # in='/srv/my app' via=sudo,env rule=delete_recursive");
  assert.deepEqual([rule.in, rule.via, rule.rule], ["/srv/my app", ["sudo", "env"], "delete_recursive"]);
  assert.deepEqual(words("echo a#b '#c'"), ["echo", "a#b", "#c"]);
  assertFails(parseRule("rm # rul=x", "/"), /"rul=x" after # is none of/u);
  assertFails(parseRule("rm # my note", "/"), /"my" after # is none of/u);
});

for (const [text, reason] of [
  ["", /is empty/u],
  ["   ", /is empty/u],
  ["# in=/x", /contains no program/u],
  ["rm x # in=build", /must be a whole path/u],
  ["a; b", /is one command, and ; makes it a script/u],
  ["a && b", /is one command, and & makes it a script/u],
  ["a | sh", /is one command, and \| makes it a script/u],
  ["a $(b)", /is one command, and \$ makes it a script/u],
  ["a `b`", /is one command, and ` makes it a script/u],
  ["$x", /is one command, and \$ makes it a script/u],
  ['a "$x"', /is one command, and \$ makes it a script/u],
  ["a 'b", /a quote is not closed/u],
  ['a "b', /a quote is not closed/u],
  ["a \\", /ends in a backslash/u],
  ["a >", /has no file behind it/u],
  ["a\0b", /invisible characters/u],
  ["rm\u200b -rf", /invisible characters/u],
  ["rm \u202e x", /invisible characters/u],
  ["A=1", /contains no program/u],
  ["\ud800", /invisible characters/u],
  ["a".repeat(10_001), /longer than 10000 characters/u],
] as const) {
  test(`${JSON.stringify(text.slice(0, 30))} is not a rule`, () => {
    assertFails(parseRule(text, "/"), reason);
  });
}

test("parsing any text neither throws nor hangs, and a parsed rule is written back unchanged", () => {
  fc.assert(
    fc.property(anyText({ maxLength: 60 }), (text) => {
      const rule = parseRule(text, "/home/anna");
      if (!rule.ok) return;
      const again = parseRule(ruleText(rule.value), "/nowhere");
      assert.ok(again.ok, ruleText(rule.value));
      const { text: _, ...one } = rule.value;
      const { text: __, ...other } = again.value;
      assert.deepEqual(other, one);
    }),
    { numRuns: 2_000 },
  );
});
