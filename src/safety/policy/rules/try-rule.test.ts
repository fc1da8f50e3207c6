import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../../../test/support/policy-rig.ts";
import { commandRequest } from "../../policy.ts";
import { parseRule } from "./rule-text.ts";
import { tryRule } from "./try-rule.ts";

const place = { cwd: "/project", backend: "local", workspace: "/project" };
const past = (...commands: string[]) => commands.map((command) => commandRequest(command, { id: "local:anna" }, place));

async function tried(text: string, commands: readonly string[], given: Parameters<typeof policyRig>[0] = {}) {
  const rule = parseRule(text, "/home/anna");
  assert.ok(rule.ok, text);
  const { policy } = policyRig(given);
  const trial = await tryRule(policy, rule.value, past(...commands), new AbortController().signal);
  const lines = (calls: typeof trial.allows) => calls.map((call) => `${call.times} ${call.text}`);
  return { calls: trial.calls, allows: lines(trial.allows), leaves: lines(trial.leaves), trial };
}

const history = [
  "git status",
  "systemctl restart nginx",
  "systemctl restart nginx",
  "systemctl stop sshd",
  "rm -rf build",
  "npm test",
];

test("a trial of a rule lists the calls that it would allow, and other calls of the same program", async () => {
  const { calls, allows, leaves } = await tried("systemctl restart *", history);
  assert.equal(calls, history.length);
  assert.deepEqual(allows, ["2 systemctl restart nginx"]);
  assert.deepEqual(leaves, ["1 systemctl stop sshd"]);
});

test("a trial does not allow a danger in a free word, unless the rule names the danger", async () => {
  const pushes = ["git push --force origin main", "git push origin +main", "git push origin main"];
  const plain = await tried("git push origin *", pushes);
  assert.deepEqual(plain.leaves.toSorted(), ["1 git push --force origin main", "1 git push origin +main"]);
  const [forced] = plain.trial.leaves[0]?.reasons ?? [];
  assert.ok(forced);
  const named = await tried(`git push origin * # rule=${forced.rule}`, ["git push origin +main"]);
  assert.deepEqual(named.allows, ["1 git push origin +main"]);
});

test("a call that would still need approval for another reason does not count as allowed", async () => {
  const { allows, leaves } = await tried("rm -rf build # rule=delete_recursive", ["rm -rf build && rm -rf other"]);
  assert.deepEqual(allows, []);
  assert.deepEqual(leaves, ["1 rm -rf build && rm -rf other"]);
});

test("deny rules and yolo mode do not change the result of a trial", async () => {
  const denied = await tried("systemctl restart *", history, { deny: ["systemctl"] });
  assert.deepEqual(denied.allows, []);
  assert.equal(denied.leaves.length, 2);
  const yolo = await tried("systemctl restart *", history, { settings: { mode: "yolo" } });
  assert.deepEqual(yolo.allows, ["2 systemctl restart nginx"]);
});

test('an "always" answer stores the rule as the person edited it, if it is a valid allow rule', async () => {
  const answer = (rules: readonly string[]) =>
    ({ how: "answered", answer: { scope: "always", rules }, by: "test" }) as const;
  const rig = policyRig({ answers: [answer(["systemctl restart *"]), answer(["bash *", "x; y"])] });
  assert.equal((await rig.run("systemctl restart nginx")).decision, "allow");
  assert.deepEqual(rig.remembered, ["systemctl restart *"]);
  assert.equal((await rig.run("systemctl restart apache2")).decision, "allow");
  assert.equal(rig.questions.length, 1);
  assert.equal((await rig.run("rm -rf build")).decision, "allow");
  assert.deepEqual(rig.remembered, ["systemctl restart *"]);
});
