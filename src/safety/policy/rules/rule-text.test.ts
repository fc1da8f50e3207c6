import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { anyText } from "../../../../test/support/any-text.ts";
import { parseRule, ruleText, type WordRule } from "./rule-text.ts";

function read(text: string): WordRule {
  const rule = parseRule(text, "/home/anna");
  assert.ok(rule.ok, `${text}: ${JSON.stringify(rule)}`);
  return rule.value;
}

const words = (text: string) => read(text).words.map((word) => word.text);

test("words are read as a shell reads them", () => {
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

test("what is behind # names folder, rule and programs, and nothing else", () => {
  const rule = read("rm -rf build # in='/srv/my app' via=sudo,env rule=delete_recursive");
  assert.deepEqual([rule.in, rule.via, rule.rule], ["/srv/my app", ["sudo", "env"], "delete_recursive"]);
  assert.deepEqual(words("echo a#b '#c'"), ["echo", "a#b", "#c"]);
  assert.ok(!parseRule("rm # rul=x", "/").ok);
  assert.ok(!parseRule("rm # my note", "/").ok);
});

for (const text of [
  "",
  "   ",
  "# in=/x",
  "rm x # in=build",
  "a; b",
  "a && b",
  "a | sh",
  "a $(b)",
  "a `b`",
  "$x",
  'a "$x"',
  "a 'b",
  'a "b',
  "a \\",
  "a >",
  "a\0b",
  "rm\u200b -rf",
  "rm \u202e x",
  "A=1",
  "\ud800",
  "a".repeat(10_001),
]) {
  test(`${JSON.stringify(text.slice(0, 30))} is not a rule`, () => {
    assert.equal(parseRule(text, "/").ok, false);
  });
}

test("whatever the text, reading it neither throws nor hangs, and what was read is written back the same", () => {
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
