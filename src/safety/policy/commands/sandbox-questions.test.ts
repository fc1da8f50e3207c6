import assert from "node:assert/strict";
import { test } from "node:test";

import { policyRig } from "../../../../test/support/policy-rig.ts";
import { err, ok } from "../../../base/result.ts";
import type { PolicyRequest, Verdict } from "../../../contracts/safety/approval.ts";

const place: PolicyRequest["place"] = { cwd: "/project", backend: "local", workspace: "/project", isolated: true };
const push = { kind: "exec", command: "git push", cwd: "/project", background: false, outside: true } as const;

function textOf(verdict: Verdict): string {
  if (verdict.decision === "deny") return verdict.rule ?? "";
  return verdict.byPerson === true ? "by a person" : "allowed";
}

function environment(fromSandbox: Readonly<Record<string, string>>, processes: unknown = ok([])): never {
  const state = { cwd: "/project", path: "", functions: {}, aliases: {}, programs: {}, fromSandbox };
  return {
    state: async () => state,
    files: {
      realPath: async (path: string) => ok(path),
      read: async () => err({ kind: "missing", message: "missing" }),
    },
    processes: async () => processes,
    // Contains only what the policy uses.
  } as never;
}

test("a stored approval does not cover a command outside the sandbox with variables that a sandboxed command set", async () => {
  const rig = policyRig({ allow: ["git push", "rm -rf build"], answers: ["always"] });
  const led = { place, environment: environment({ HOME: "/project/fake" }) };
  assert.equal(textOf(await rig.decide([push], { place, environment: environment({}) })), "by a person");
  assert.equal(textOf(await rig.run("rm -rf build", led)), "allowed", "it can as well stay inside");
  assert.equal(rig.questions.length, 0);
  assert.equal(textOf(await rig.decide([push], led)), "by a person");
  assert.deepEqual(
    rig.questions.flatMap(({ asks }) => asks.map(({ reason }) => reason)),
    ["outside the sandbox it would use HOME=/project/fake, set by a command in it"],
  );
  assert.deepEqual(rig.remembered, ["@variable HOME=/project/fake # rule=sandbox_variable"]);
  assert.equal(textOf(await rig.decide([push], led)), "by a person", "the same is not asked again");
  const other = { place, environment: environment({ HOME: "/project/other" }) };
  assert.equal(textOf(await rig.decide([push], other)), "sandbox_variable");
});

test("typing into a process outside the sandbox always needs approval", async () => {
  const typed = { kind: "process", id: "proc_aaaa", action: "type", text: "import os\r" } as const;
  const listed = ok([
    { id: "proc_aaaa11112222", command: "python3 -i", isConfined: false },
    { id: "proc_bbbb11112222", command: "python3 -i", isConfined: true },
  ]);
  const rig = policyRig({ answers: ["session"], settings: { denialLimit: 99 } });
  const index = { place, environment: environment({}, listed) };
  assert.equal(textOf(await rig.decide([{ ...typed, id: "proc_bbbb" }], index)), "allowed");
  assert.equal(textOf(await rig.decide([typed], index)), "by a person");
  assert.equal(textOf(await rig.decide([{ ...typed, text: "print(1)\r" }], index)), "allowed", "for the session");
  const fresh = policyRig({ settings: { denialLimit: 99 } });
  assert.equal(textOf(await fresh.decide([typed], index)), "outside");
  assert.equal(textOf(await fresh.decide([typed], { ...index, place: { ...place, isolated: false } })), "allowed");
  const unknown = { place, environment: environment({}, err({ kind: "unreachable", message: "gone" })) };
  assert.equal(textOf(await fresh.decide([typed], unknown)), "outside");
});

test("if no sandbox works, a person is asked once per session before commands run without one", async () => {
  const bare = { place: { ...place, isolated: false, unconfined: "bubblewrap is not installed" } };
  const rig = policyRig({ answers: ["once"], settings: { denialLimit: 99 } });
  assert.equal(textOf(await rig.run("ls", bare)), "allowed", "reading needs no sandbox");
  assert.equal(rig.questions.length, 0);
  assert.equal(textOf(await rig.run("npm test", bare)), "by a person");
  assert.equal(textOf(await rig.run("make", bare)), "allowed");
  assert.equal(rig.questions.length, 1);
  assert.equal(textOf(await rig.run("rm -rf build", bare)), "delete_recursive", "other questions stay");
  const alone = policyRig({ allow: ["npm test"], settings: { denialLimit: 99 } });
  const refused = await alone.run("npm test", bare);
  assert.equal(textOf(refused), "unconfined", "a rule allows the command, not the missing sandbox");
  assert.match(refused.decision === "deny" ? refused.reason : "", /bubblewrap is not installed.*`isolation: off`/);
  assert.equal(textOf(await alone.run("npm test", { ...bare, origin: "user" })), "allowed", "one's own command");
  const reviewer = { review: async () => ok("APPROVE") };
  const smart = policyRig({ settings: { mode: "smart" }, reviewer });
  assert.equal(textOf(await smart.run("npm test", bare)), "unconfined");
  assert.equal(textOf(await policyRig({ settings: { mode: "yolo" } }).run("npm test", bare)), "allowed");
});

test("text typed into a process is judged in the language that the process reads", async () => {
  const commands = ["python3 -i", "node", "sqlite3 a.db", "docker exec -it x psql", "vim notes.txt", "less a", "bash"];
  const listed = ok(
    commands.map((command, index) => ({ id: `proc_${index}${"x".repeat(11)}`, command, isConfined: true })),
  );
  const index = { place, environment: environment({}, listed) };
  const rig = policyRig({ settings: { denialLimit: 999 } });
  const type = async (reader: number, text: string) =>
    textOf(await rig.decide([{ kind: "process", id: `proc_${reader}`, action: "type", text }], index));
  for (const [reader, text] of [
    [0, "import shutil; shutil.rmtree('/home/anna/x')\r"],
    [1, "require('fs').rmSync('/home/anna/x', { recursive: true })\n"],
    [2, ".shell rm -r x\n"],
    [3, "DROP TABLE users;\n"],
    [4, ":!rm -r x\n"],
    [4, "dG:wq\n"],
    [5, "!rm -r x\n"],
    [6, "rm -r x\n"],
  ] as const)
    assert.notEqual(await type(reader, text), "allowed", `${commands[reader]}: ${text}`);
  for (const [reader, text] of [
    [0, "print(1 + 1)\r"],
    [1, "[1, 2].map((n) => n * 2)\n"],
    [2, "select * from users;\n"],
    [3, "select 1;\n"],
    [4, ":q!\n"],
    [5, "/word\nq"],
    [6, "ls -la\n"],
  ] as const)
    assert.equal(await type(reader, text), "allowed", `${commands[reader]}: ${text}`);
});
