// covers: src/tools, src/environments
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { systemClock } from "../../src/base/clock.ts";
import { asId, newId, type SessionId } from "../../src/base/ids.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { err, ok } from "../../src/base/result.ts";
import type { CommandDefaults } from "../../src/contracts/environment/environment.ts";
import type { ToolResult } from "../../src/contracts/tool/tool-result.ts";
import type { Tool } from "../../src/contracts/tool/tool.ts";
import { createLocalFactory } from "../../src/environments/local/local-environment.ts";
import { createInbox } from "../../src/kernel/inbox.ts";
import { createProcessTable } from "../../src/kernel/processes/process-table.ts";
import processTool from "../../src/tools/terminal/process.tool.ts";
import terminalTool from "../../src/tools/terminal/terminal.tool.ts";
import { analysedEffects } from "../support/analysed-effects.ts";
import { localDeps, removeProcesses } from "../support/local-deps.ts";
import { memoryKernels } from "../support/memory-kernels.ts";
import { findProgram, missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";

/** Texts that results may have. */
type Data = JsonObject &
  Readonly<Record<"session_id" | "output" | "output_preview" | "screen" | "hint" | "note", string>>;

const sessionId = asId<SessionId>("ses_test");
const never = new AbortController().signal;

/** A folder in which programs of the test run; it is removed afterwards. */
async function place() {
  const home = await tempHome();
  const work = join(home.path, "work");
  await mkdir(work);
  return {
    home: home.path,
    work,
    async [Symbol.asyncDispose]() {
      await removeProcesses(home.path);
      await home[Symbol.asyncDispose]();
    },
  };
}

/** One run of the program: the tools with the real environment. Disposing ends it. */
async function program(home: string, work: string, options: { path?: string; sudo?: string } = {}) {
  const deps = localDeps(home, work);
  const env =
    options.path === undefined ? deps.env : { ...deps.env, PATH: `${options.path}:${deps.env["PATH"] ?? ""}` };
  const opened = await createLocalFactory({ ...deps, env }).open({ taskId: "test" }, never);
  assert.ok(opened.ok, JSON.stringify(opened));
  const environment = opened.value;
  const inbox = createInbox();
  const common = { clock: systemClock, log: silentLog };
  const redactor = { redact: (text: string) => text };
  const table = createProcessTable({
    environment,
    inbox,
    redactor,
    program: newId("run"),
    principal: "anna",
    ...common,
  });
  let forgotten = 0;
  const { sudo } = options;
  const commandDefaults: CommandDefaults = {
    timeoutMs: 60_000,
    sudoPassword: async () => (sudo === undefined ? err({ reason: "nobody is there" }) : ok(sudo)),
    forgetSudoPassword: () => void (forgotten += 1),
  };

  async function call(tool: Tool, args: JsonObject, signal: AbortSignal): Promise<ToolResult> {
    const prepared = await tool.prepare(args);
    if (!prepared.ok) return prepared;
    return prepared.value.run({
      sessionId,
      callId: newId("call"),
      origin: "model",
      principal: { id: "anna" },
      cwd: "/",
      effects: await analysedEffects(prepared.value),
      signal,
      secrets: {},
      progress() {},
      printed() {},
      environment,
      processes: table,
      code: memoryKernels().code,
      commandDefaults,
      ...common,
    });
  }
  async function dataOf(tool: Tool, args: JsonObject) {
    const result = await call(tool, args, never);
    assert.ok(result.ok, JSON.stringify(result));
    return result.value.data as Data;
  }
  const process = (action: string, session_id: string, more: JsonObject = {}) =>
    dataOf(processTool, { action, session_id, ...more });

  return {
    table,
    environment,
    process,
    terminal: (args: JsonObject) => dataOf(terminalTool, args),
    call,
    list: async () => (await dataOf(processTool, { action: "list" }))["processes"] as readonly JsonObject[],
    async start(command: string, more: JsonObject = {}): Promise<string> {
      return (await dataOf(terminalTool, { command, background: true, ...more })).session_id;
    },
    /** Waits until the screen matches. */
    async untilScreen(id: string, isRight: (screen: string) => boolean): Promise<string> {
      return until(async () => {
        const { screen } = await process("screen", id);
        return isRight(screen) ? screen : undefined;
      });
    },
    async untilOutput(id: string, text: string): Promise<void> {
      await until(async () => (await process("log", id)).output.includes(text) || undefined);
    },
    messages: () => inbox.take(sessionId).flatMap(({ content }) => content.map((part) => JSON.stringify(part))),
    forgotten: () => forgotten,
    async [Symbol.asyncDispose]() {
      await table[Symbol.asyncDispose]();
      await environment[Symbol.asyncDispose]();
    },
  };
}

async function until<T>(look: () => Promise<T | undefined> | T | undefined): Promise<T> {
  for (let round = 0; round < 1_500; round++) {
    const match = await look();
    if (match !== undefined) return match;
    await pause(20);
  }
  throw new Error("it never came about");
}

/** A process that ended and was not yet collected by its parent is not alive. */
function isAlive(pid: number): boolean {
  try {
    return !/^.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

test("a background server is started, reported when ready, polled, read, waited for and killed with its children", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  await writeFile(
    join(there.work, "server.mjs"),
    `import { createServer } from "node:http";
     import { spawn } from "node:child_process";
     const child = spawn("sleep", ["987"], { stdio: "ignore", detached: true });
     const server = createServer((request, response) => { console.log("asked", request.url); response.end("hello"); });
     server.listen(0, "127.0.0.1", () => console.log("child", child.pid, "\\nready on", server.address().port));`,
  );
  const command = `${JSON.stringify(process.execPath)} server.mjs`;
  const started = await run.terminal({ command, background: true, watch_patterns: ["ready on"] });
  assert.deepEqual([started["exit_code"], started["error"], started["backend"]], [0, null, "local"]);
  const id = started.session_id;
  assert.match(id, /^proc_[0-9a-f]{12}$/);
  const [reported = ""] = await until(() => {
    const messages = run.messages();
    return messages.length > 0 ? messages : undefined;
  });
  const port = /ready on (\d+)/.exec(reported)?.[1];
  assert.equal(await (await fetch(`http://127.0.0.1:${port}/x`)).text(), "hello");
  await run.untilOutput(id, "asked /x");
  const polled = await run.process("poll", id);
  assert.deepEqual([polled["status"], polled["pid"]], ["running", started["pid"]]);
  const child = Number(/child (\d+)/.exec(polled.output_preview)?.[1]);
  assert.ok(isAlive(child));
  const waited = await run.process("wait", id.slice(0, 11), { timeout: 0.2 });
  assert.deepEqual([waited["status"], waited["process_running"]], ["timeout", true]);
  const killed = await run.process("kill", id);
  assert.deepEqual([killed["status"], killed["completion_reason"]], ["killed", "killed"]);
  assert.deepEqual([isAlive(child), isAlive(Number(started["pid"]))], [false, false]);
  assert.equal((await run.process("poll", id))["status"], "exited");
  assert.deepEqual(run.messages(), []);
});

test("the end of a background process is reported once, and not at all if a wait has already returned it", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  await run.start("echo out; exit 3", { notify_on_complete: true });
  const [reported = "", ...more] = await until(() => {
    const messages = run.messages();
    return messages.length > 0 ? messages : undefined;
  });
  assert.match(reported, /has ended: exit code 3 \(reason: exited\)\.\\nCommand: echo out; exit 3\\n.*out/);
  assert.deepEqual(more, []);
  const seen = await run.start("read line; echo $line; exit 4", { notify_on_complete: true });
  const waiting = run.process("wait", seen);
  await run.process("submit", seen, { data: "typed" });
  const waited = await waiting;
  assert.deepEqual([waited["exit_code"], waited.output], [4, "typed"]);
  await pause(100);
  assert.deepEqual(run.messages(), []);
});

test("an installer that asks questions gets answers and the end of its input", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const id = await run.start(
    `printf 'Name? '; read name; printf 'Sure [y/N] '; read sure; echo "$name:$sure"; cat >rest; echo end`,
  );
  await run.untilOutput(id, "Name?");
  await run.process("submit", id, { data: "Anna's box" });
  await run.untilOutput(id, "Sure");
  await run.process("submit", id, { data: "y" });
  await run.process("write", id, { data: "a\nb\u0003" });
  await run.process("close", id);
  const waited = await run.process("wait", id);
  assert.deepEqual([waited["exit_code"], waited.output], [0, "Name? Sure [y/N] Anna's box:y\nend"]);
  assert.equal(await readFile(join(there.work, "rest"), "utf8"), "a\nb\u0003");
  const late = await run.call(processTool, { action: "submit", session_id: id }, never);
  assert.match(late.ok ? "" : late.error.message, /has ended and accepts no input/);
});

test("a shell in a terminal is typed into, read as displayed, resized, interrupted and closed", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const id = await run.start("bash --norc --noprofile -i", { pty: true });
  await run.process("submit", id, { data: "PS1='ready> '" });
  await run.untilScreen(id, (screen) => /^ready> $|^ready>$/m.test(screen));
  await run.process("submit", id, { data: "echo $((6 * 7)); tput cols" });
  assert.match(await run.untilScreen(id, (screen) => /^42\n/m.test(screen)), /^42\n120$/m);
  await run.process("resize", id, { columns: 60, rows: 12 });
  await run.process("submit", id, { data: "clear; stty size" });
  await run.untilScreen(id, (screen) => /^12 60$/m.test(screen));
  await run.process("submit", id, { data: "trap 'echo caught' INT; echo going; sleep 987" });
  await run.untilScreen(id, (screen) => /^going$/m.test(screen));
  await run.process("write", id, { data: "\u0003" });
  await run.untilScreen(id, (screen) => screen.includes("caught"));
  await run.process("submit", id, { data: "exit 5" });
  assert.equal((await run.process("wait", id))["exit_code"], 5);
  assert.match((await run.process("log", id)).note, /process screen/);
});

test("Ctrl-C ends a command in a terminal, with the command's exit code", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const id = await run.start("trap 'echo bye; exit 7' INT; echo up; while :; do sleep 0.05; done", { pty: true });
  await run.untilOutput(id, "up");
  await run.process("write", id, { data: "\u0003" });
  const waited = await run.process("wait", id);
  assert.deepEqual([waited["exit_code"], waited["completion_reason"]], [7, "exited"]);
  assert.match(waited.output, /bye$/);
});

test("a REPL in a terminal can be used line by line", { skip: missingPrograms({ python3: "python3" }) }, async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const id = await run.start(`${findProgram("python3")} -q`, { pty: true });
  await run.untilScreen(id, (screen) => screen.includes(">>>"));
  await run.process("submit", id, { data: "print('é' * 3, 2 ** 10)" });
  await run.untilScreen(id, (screen) => screen.includes("ééé 1024"));
  await run.process("close", id);
  assert.equal((await run.process("wait", id))["exit_code"], 0);
});

test("vim can be operated as by a user", { skip: missingPrograms({ vim: "vim" }) }, async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const id = await run.start("TERM=xterm-256color vim -u NONE -N notes.txt", { pty: true });
  await run.untilScreen(id, (screen) => screen.includes("~"));
  await run.process("write", id, { data: "ihello from vim\u001b" });
  await run.untilScreen(id, (screen) => screen.startsWith("hello from vim"));
  await run.process("submit", id, { data: ":wq" });
  assert.equal((await run.process("wait", id))["exit_code"], 0);
  assert.equal(await readFile(join(there.work, "notes.txt"), "utf8"), "hello from vim\n");
});

test("the output of a foreground command with a terminal looks as on a screen", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const bar = "for i in 1 2 3; do printf '\\r\\033[K%s0%%' $i; sleep 0.01; done; printf '\\n\\033[32mdone\\033[0m\\n'";
  const data = await run.terminal({ command: `test -t 0 && test -t 1 && stty size; ${bar}; exit 3`, pty: true });
  assert.deepEqual([data.output, data["exit_code"]], ["30 120\n30%\ndone\n", 3]);
});

test("at the end, background processes are killed unless kept; the next run lists, reads and kills kept ones", async () => {
  await using there = await place();
  let kept = "";
  let keptPid = 0;
  let ownPid = 0;
  {
    await using run = await program(there.home, there.work);
    kept = await run.start("echo kept; read line; echo got $line; sleep 987", { keep: true });
    const own = await run.start("trap '' TERM INT HUP; setsid sleep 987 & echo own; sleep 987");
    await run.untilOutput(own, "own");
    await run.untilOutput(kept, "kept");
    ownPid = Number((await run.process("poll", own))["pid"]);
    keptPid = Number((await run.process("poll", kept))["pid"]);
    assert.deepEqual(
      (await run.table.own(never)).map(({ id }) => id),
      [own],
    );
  }
  assert.deepEqual([isAlive(ownPid), isAlive(keptPid)], [false, true]);
  await using next = await program(there.home, there.work);
  const listed = await next.list();
  assert.deepEqual(
    listed.map((each) => [each["session_id"] === kept, each["status"]]),
    [
      [true, "running"],
      [false, "exited"],
    ],
  );
  await next.process("submit", kept, { data: "again" });
  await next.untilOutput(kept, "got again");
  assert.equal((await next.process("kill", kept))["status"], "killed");
  assert.equal(isAlive(keptPid), false);
});

test("fifty processes are started, listed and killed at the same time", async () => {
  await using there = await place();
  await using run = await program(there.home, there.work);
  const ids = await Promise.all(Array.from({ length: 50 }, (_, index) => run.start(`echo number ${index}; sleep 987`)));
  assert.equal(new Set(ids).size, 50);
  const pids = (await run.list()).map((each) => Number(each["pid"]));
  assert.equal(pids.filter(isAlive).length, 50);
  const killed = await Promise.all(ids.map((id) => run.process("kill", id)));
  assert.ok(killed.every((each) => each["status"] === "killed"));
  assert.deepEqual(pids.filter(isAlive), []);
});

test("sudo gets the password separately from the command; a wrong password is discarded, and none is shown", async () => {
  await using there = await place();
  const bin = join(there.home, "bin");
  await mkdir(bin);
  const fake = `#!/bin/sh
[ "$1" = -A ] || { echo 'sudo: a password is required' >&2; exit 1; }
shift
[ "$("$SUDO_ASKPASS")" = 'right horse' ] || { echo 'sudo: 1 incorrect password attempt' >&2; exit 1; }
exec "$@"
`;
  await writeFile(join(bin, "sudo"), fake);
  await chmod(join(bin, "sudo"), 0o755);
  {
    await using run = await program(there.home, there.work, { path: bin, sudo: "right horse" });
    const data = await run.terminal({ command: 'sudo echo "as root"; env | grep -c horse; echo right horse' });
    assert.equal(data.output, "as root\n0\n***\n");
    assert.equal((await run.terminal({ command: "cd / && time sudo true" }))["exit_code"], 0);
  }
  {
    await using run = await program(there.home, there.work, { path: bin, sudo: "wrong horse" });
    const data = await run.terminal({ command: "sudo true" });
    assert.deepEqual([data["exit_code"], data["sudo_auth_failed"], run.forgotten()], [1, true, 1]);
  }
  await using run = await program(there.home, there.work, { path: bin });
  const data = await run.terminal({ command: "sudo true" });
  assert.match(data.hint, /needs a password and there is none: nobody is there/);
  const guess = await run.call(terminalTool, { command: "echo x | sudo -S touch guessed" }, never);
  assert.equal(!guess.ok && guess.error.kind, "blocked");
});
