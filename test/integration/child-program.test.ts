// covers: src/base
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import { createChildStarter } from "../../src/base/process/child-program.ts";
import { runProgram } from "../../src/base/process/run-program.ts";
import { sourceFlags } from "../support/child-process.ts";

const env = { PATH: "/usr/bin:/bin" };
const { signal: never } = new AbortController();
const shell = (script: string) => ({ program: "/bin/sh", args: ["-c", script], cwd: "/", env });

async function startShell(script: string) {
  const started = await createChildStarter(clock)(shell(script));
  assert.ok(started.ok);
  return started.value;
}

/** Whether a process of the group is running. Zombies do not count. */
async function isGroupAlive(pid: number): Promise<boolean> {
  const listed = await runProgram({ ...shell("ps -e -o pgid=,stat="), signal: never, timeoutMs: 60_000, clock });
  assert.ok(listed.how === "exit");
  return listed.stdout.split("\n").some((line) => new RegExp(`^\\s*${pid}\\s+[^Z]`, "u").test(line));
}

async function untilGroupIsGone(pid: number): Promise<void> {
  while (await isGroupAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 20));
}

test("a program's exit is reported after its output, with the last lines of its standard error", async () => {
  const program = await startShell(`read line; echo "got $line"; printf '\\033[31mwarning\\033[0m' >&2; exit 3`);
  let output = "";
  program.stdout.setEncoding("utf8").on("data", (text: string) => (output += text));
  program.stdin.write("hello\n");
  assert.deepEqual(await program.exited, { code: 3, description: "exit code 3", isKilled: false });
  assert.deepEqual([output, program.stderrTail()], ["got hello\n", "warning"]);
});

test("ending a program kills its children, even when it ignores SIGTERM", async () => {
  for (const script of ["sleep 100 & wait", "trap '' TERM; sleep 100 & while :; do sleep 1; done"]) {
    const program = await startShell(`echo ready; ${script}`);
    await once(program.stdout, "data");
    await program.end();
    assert.equal((await program.exited).isKilled, true);
    await untilGroupIsGone(program.pid);
  }
});

test("a program that cannot be started is reported as a failure", async () => {
  const started = await createChildStarter(clock)({ ...shell(""), program: "/no/such/program" });
  assert.match(started.ok ? "" : started.error, /ENOENT/u);
});

test("many programs share one exit listener, which is removed with the last of them", async () => {
  const before = process.listenerCount("exit");
  const start = createChildStarter(clock);
  const started = await Promise.all(Array.from({ length: 12 }, () => start(shell("read line"))));
  assert.equal(process.listenerCount("exit"), before + 1);
  await Promise.all(started.map(async (one) => one.ok && one.value.end()));
  assert.equal(process.listenerCount("exit"), before);
});

for (const death of ["process.exit()", "process.kill(process.pid, 'SIGKILL')"])
  test(`a program does not outlive its parent: ${death}`, async () => {
    const module = (path: string) => JSON.stringify(new URL(`../../src/base/${path}`, import.meta.url).href);
    const script = "trap '' TERM; exec 0</dev/null; echo up; while :; do sleep 1; done";
    const code = `
      import { createChildStarter } from ${module("process/child-program.ts")};
      import { systemClock } from ${module("clock.ts")};
      const start = { program: "/bin/sh", args: ["-c", ${JSON.stringify(script)}], cwd: "/", env: ${JSON.stringify(env)} };
      const started = await createChildStarter(systemClock)(start);
      await new Promise((resolve) => started.value.stdout.once("data", resolve));
      console.log(started.value.pid);
      setTimeout(() => ${death}, 50);
    `;
    const stdio = ["ignore", "pipe", "inherit"] as const;
    const parent = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", code], { stdio: [...stdio] });
    const [line] = (await once(parent.stdout.setEncoding("utf8"), "data")) as [string];
    await once(parent, "exit");
    await untilGroupIsGone(Number(line));
  });

test("a run ends with its exit code and output, or with the reason why it has none", async () => {
  const run = (script: string, more: object = {}) =>
    runProgram({ ...shell(script), signal: never, timeoutMs: 60_000, clock, ...more });
  assert.deepEqual(await run("cat; echo err >&2; exit 2", { stdin: Buffer.from("in") }), {
    how: "exit",
    code: 2,
    stdout: "in",
    stderr: "err\n",
  });
  assert.deepEqual(await run("kill -9 $$"), { how: "exit", code: -1, stdout: "", stderr: "killed by SIGKILL" });
  assert.deepEqual(await run("exec sleep 100", { timeoutMs: 30 }), { how: "timeout" });
  assert.deepEqual(await run("exec sleep 100", { signal: AbortSignal.timeout(30) }), { how: "aborted" });
  const missing = await run("", { program: "/no/such/program" });
  assert.equal(missing.how === "unstarted" && missing.code, "ENOENT");
});
