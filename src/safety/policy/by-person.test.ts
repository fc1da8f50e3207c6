import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../../test/support/policy-rig.ts";
import { ok } from "../../base/result.ts";
import type { PolicyRequest, Verdict } from "../../contracts/safety/approval.ts";
import type { Effect } from "../../contracts/tool/effect.ts";

const place: PolicyRequest["place"] = { cwd: "/project", backend: "local", workspace: "/project", isolated: true };
const outside = (command: string): readonly Effect[] => [
  { kind: "exec", command, cwd: "/project", background: false, outside: true },
];

function textOf(verdict: Verdict): string {
  if (verdict.decision === "deny") return verdict.cause ?? "none";
  return verdict.byPerson ? "by a person" : "allowed";
}

test("only a person's answer to this question counts as a person's approval, not that of a mode or a model", async () => {
  assert.equal(textOf(await policyRig({ answers: ["once"] }).run("rm -rf build; ./other")), "by a person");
  assert.equal(textOf(await policyRig().run("ls")), "allowed");
  assert.equal(textOf(await policyRig({ settings: { mode: "yolo" } }).run("rm -rf build")), "allowed");
  assert.equal(textOf(await policyRig({ settings: { unattended: "allow" } }).run("rm -rf build")), "allowed");
  const cron = policyRig({ settings: { scheduled: "approve" } });
  assert.equal(textOf(await cron.run("rm -rf build", { origin: "schedule" })), "allowed");
  const reviewer = { review: async () => ok("APPROVE") };
  assert.equal(textOf(await policyRig({ settings: { mode: "smart" }, reviewer }).run("rm -rf build")), "allowed");
});

test("an earlier approval counts as a person's approval only for the commands that it covers", async () => {
  const { run } = policyRig({ answers: ["session"] });
  assert.equal(textOf(await run("rm -rf build")), "by a person");
  assert.equal(textOf(await run("rm -rf build")), "by a person");
  assert.equal(textOf(await run("timeout 5 rm -rf build && echo done")), "by a person");
  assert.equal(textOf(await run("cd . && rm -rf build")), "by a person");
  assert.equal(textOf(await run("rm -rf build; ./other")), "allowed");
  assert.equal(textOf(await run("rm -rf build; cat notes")), "allowed");
  const allowed = policyRig({ allow: ["git push * # rule=git_rewrite"], settings: { mode: "yolo" } });
  assert.equal(textOf(await allowed.run("git push --force origin x")), "by a person");
});

test("a question that a plugin answered does not count as approved by a person", async () => {
  const sources = [{ name: "p", judge: async () => ({ asks: [{ key: "p x", rule: "p", reason: "x", spans: [] }] }) }];
  const clearing = [...sources, { name: "q", judge: async () => ({ clears: ["p x"] }) }];
  const { run } = policyRig({ allow: ["rm -rf build"] }, { sources: clearing });
  assert.equal(textOf(await run("rm -rf build")), "allowed");
});

test("running outside the sandbox needs its own approval, which is stored separately and never given by a model or a mode", async () => {
  const rig = policyRig({ answers: ["always"] });
  assert.equal(textOf(await rig.decide(outside("npm test"), { place })), "by a person");
  assert.deepEqual(
    rig.questions.map(({ leavesSandbox, asks }) => [leavesSandbox, asks.map(({ rule, covers }) => [rule, covers])]),
    [[true, [["outside", "npm test # in=/project rule=outside"]]]],
  );
  assert.equal(textOf(await rig.decide(outside("npm test"), { place })), "by a person");
  assert.equal(textOf(await rig.decide(outside("npm run build"), { place })), "no_approver");
  const reviewer = { review: async () => ok("APPROVE") };
  const smart = policyRig({ settings: { mode: "smart" }, reviewer });
  assert.equal(textOf(await smart.decide(outside("npm test"), { place })), "no_approver");
  const yolo = policyRig({ settings: { mode: "yolo" } });
  assert.equal(textOf(await yolo.decide(outside("npm test"), { place })), "allowed");
  const { isolated: _, ...open } = place;
  assert.equal(textOf(await policyRig().decide(outside("npm test"), { place: open })), "allowed");
});
