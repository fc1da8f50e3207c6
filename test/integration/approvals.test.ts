// covers: src/safety, src/hosts, src/runtime
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { verifyAudit } from "../../src/safety/audit/verify-audit.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const source = join(import.meta.dirname, "..", "..", "src");
const program = join(source, "..", "dist", "hermes.js");

async function house() {
  const folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(join(work, ".git"), { recursive: true });
  const env = { HERMES_HOME: home, HOME: folder.path };
  const hermes = (...args: string[]) => runProgram(process.execPath, [program, ...args], { cwd: work, env });
  return {
    home,
    work,
    hermes,
    /** Waits for an answer until it is killed. */
    waiting: (...args: string[]) => spawn(process.execPath, [program, ...args], { cwd: work, env, stdio: "ignore" }),
    /** The question of another run of the program, as soon as it appears. */
    async question(): Promise<{ id: string; text: string; asks: { covers?: string }[] }> {
      for (let tries = 0; tries < 100; tries++) {
        const { stdout } = await runHere({ work, env }, ["approvals", "list", "--json"]);
        const [first] = JSON.parse(stdout).approvals;
        if (first) return first;
        await pause(50);
      }
      throw new Error("no question came");
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("four programs that write to the audit log concurrently produce one chain", async () => {
  await using at = await house();
  const place = { folder: join(at.home, "audit"), headFile: join(at.home, "audit-head.json") };
  const code = `
    import { systemClock } from "./base/clock.ts";
    import { createAuditLog } from "./safety/audit/audit-log.ts";
    const [folder, headFile, who] = process.argv.slice(1);
    const log = createAuditLog({ folder, headFile, clock: systemClock, maxBytes: 20_000 });
    for (let i = 0; i < 100; i++) {
      const done = await log.append({ kind: "decision", who, decision: "allow" });
      if (!done.ok) throw new Error(done.error.message);
    }`;
  const children = ["a", "b", "c", "d"].map((who) => inChild(source, code, [place.folder, place.headFile, who]));
  await runAll(children, async () => {
    for (const { code: exit } of await Promise.all(children.map((child) => child.ended))) assert.equal(exit, 0);
  });
  const report = await verifyAudit(place);
  assert.deepEqual([report.faults, report.entries, report.head?.seq], [[], 400, 400]);
});

test("the audit chain continues after a program is killed while it writes", async () => {
  await using at = await house();
  const place = { folder: join(at.home, "audit"), headFile: join(at.home, "audit-head.json") };
  const code = `
    import { systemClock } from "./base/clock.ts";
    import { createAuditLog } from "./safety/audit/audit-log.ts";
    const [folder, headFile] = process.argv.slice(1);
    const log = createAuditLog({ folder, headFile, clock: systemClock });
    for (;;) {
      await log.append({ kind: "decision", who: "x", decision: "allow" });
      process.stdout.write(".");
    }`;
  for (let round = 0; round < 5; round++) {
    const child = inChild(source, code, [place.folder, place.headFile]);
    await runAll([child], async () => {
      for (let entries = 0; entries < 2 + round;)
        entries += await new Promise<number>((resolve) =>
          child.process.stdout?.once("data", (chunk: Buffer) => resolve(chunk.length)),
        );
    });
  }
  const report = await verifyAudit(place);
  assert.ok(report.entries > 5);
  const { stdout } = await at.hermes("policy", "deny", "x", "--json");
  assert.equal(JSON.parse(stdout).added, true);
  assert.deepEqual((await verifyAudit(place)).faults, []);
});

test("another program can answer an approval question, and after `always` the command needs no approval", async () => {
  await using at = await house();
  await mkdir(join(at.work, "build"));
  const call = ["tools", "call", "terminal", "--args", '{"command":"rm -rf build"}', "--json"];
  const asking = at.hermes(...call, "--wait");
  const { id, text, asks } = await at.question();
  assert.equal(text, "rm -rf build");
  const [covers] = asks.map((ask) => ask.covers);
  assert.equal((await at.hermes("approvals", "answer", id, "always")).code, 0);
  assert.equal(JSON.parse((await asking).stdout).ok, true);
  assert.ok((await readFile(join(at.home, "config.yaml"), "utf8")).includes(covers ?? "?"));
  const again = JSON.parse((await at.hermes(...call)).stdout);
  assert.equal(again.ok, true, JSON.stringify(again));
  const { entries } = JSON.parse((await at.hermes("audit", "show", "--json")).stdout) as {
    entries: { kind: string; approval?: string; outcome?: string; note?: string }[];
  };
  assert.deepEqual(
    entries.map(({ kind, approval, outcome }) => `${kind} ${approval ?? outcome ?? ""}`.trim()).toSorted(),
    [
      "answer",
      "decision person, always, hermes approvals answer",
      "decision rule",
      "effect ok",
      "effect ok",
      "rules",
    ].toSorted(),
  );
  assert.equal((await at.hermes("audit", "verify")).code, 0);
});

test("a denial from another program reaches the caller with its reason", async () => {
  await using at = await house();
  const asking = at.hermes("tools", "call", "terminal", "--args", '{"command":"rm -rf build"}', "--json", "--wait");
  const { id } = await at.question();
  await at.hermes("approvals", "answer", id, "deny", "not", "today");
  const { ok, error } = JSON.parse((await asking).stdout);
  assert.deepEqual([ok, error.kind, error.data.cause], [false, "denied", "person"]);
  assert.match(error.message, /not today/u);
});

test("if the program that asks is killed, its question can no longer be answered, and the command does not run", async () => {
  await using at = await house();
  await mkdir(join(at.work, "build"));
  const child = at.waiting("tools", "call", "terminal", "--args", '{"command":"rm -rf build"}', "--wait");
  const removed = once(child, "exit");
  const { id } = await at.question();
  child.kill("SIGKILL");
  await removed;
  const answered = await at.hermes("approvals", "answer", id, "once");
  assert.deepEqual([answered.code, /nothing waits/u.test(answered.stderr)], [1, true]);
  assert.deepEqual(JSON.parse((await at.hermes("approvals", "list", "--json")).stdout).approvals, []);
  assert.deepEqual(await readdir(join(at.home, "approvals")), []);
  assert.ok((await readdir(at.work)).includes("build"));
  assert.equal((await at.hermes("audit", "verify")).code, 0);
});

test("if two programs answer concurrently, one wins and the other gets an error", async () => {
  await using at = await house();
  const asking = at.hermes("tools", "call", "terminal", "--args", '{"command":"rm -rf build"}', "--json", "--wait");
  const { id } = await at.question();
  const answers = await Promise.all([
    at.hermes("approvals", "answer", id, "once"),
    at.hermes("approvals", "answer", id, "deny"),
  ]);
  assert.equal(answers.filter(({ code }) => code === 0).length, 1);
  assert.equal(JSON.parse((await asking).stdout).ok, answers[0]?.code === 0);
});

test("a script gets a denial as data with an exit code; one setting turns approvals off, with a notice", async () => {
  await using at = await house();
  await mkdir(join(at.work, "build"));
  const call = ["tools", "call", "terminal", "--args", '{"command":"rm -rf build"}', "--json"];
  const denied = await at.hermes(...call);
  const { ok, error } = JSON.parse(denied.stdout);
  assert.deepEqual(
    [denied.code, ok, error.kind, error.effect, error.data.cause, error.data.rule],
    [1, false, "denied", "none", "no_approver", "delete_recursive"],
  );
  assert.equal(error.data.asks[0].covers, `rm -rf build # in=${at.work} rule=delete_recursive`);
  assert.ok((await readdir(at.work)).includes("build"));
  const plain = await at.hermes("tools", "call", "terminal", "--args", '{"command":"touch a; ls"}', "--json");
  assert.equal(JSON.parse(plain.stdout).ok, true);
  const allowed = await at.hermes(...call, "--set", "approvals.unattended=allow");
  assert.equal(JSON.parse(allowed.stdout).ok, true);
  assert.match(allowed.stderr, /approvals\.unattended is allow/u);
});
