// covers: src/environments, src/bin
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { test } from "node:test";

import type { ProcessHandle } from "../../src/contracts/environment/environment.ts";
import type { SupervisorDeps } from "../../src/environments/supervisor/create-supervisor.ts";
import { encodeFrame } from "../../src/environments/supervisor/frames.ts";
import type { SupervisedStart, Supervisor } from "../../src/environments/supervisor/supervisor.ts";
import { inChild, runAll } from "../support/child-process.ts";
import { neverAborted } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { assertFails } from "../support/failure.ts";
import { removeProcesses, testSupervisor } from "../support/local-deps.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");
const owner = { program: "test", session: "session", principal: "person", isKept: false };

interface Place extends AsyncDisposable {
  readonly home: string;
  readonly supervisor: Supervisor & AsyncDisposable;
  /** Another runtime of the same home. */
  another(): Supervisor & AsyncDisposable;
}

async function place(changes: Partial<SupervisorDeps> = {}, below = ""): Promise<Place> {
  const temp = await tempHome();
  const home = join(temp.path, below);
  mkdirSync(home, { recursive: true });
  const clients: AsyncDisposable[] = [];
  const another = () => {
    const created = testSupervisor(home, changes);
    clients.push(created);
    return created;
  };
  return {
    home,
    supervisor: another(),
    another,
    async [Symbol.asyncDispose]() {
      await removeProcesses(home);
      for (const client of clients) await client[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

function shell(command: string, changes: Partial<SupervisedStart> = {}): SupervisedStart {
  const marker = `test-${process.pid}-${Math.random()}`;
  return {
    command,
    cwd: "/",
    place: "local",
    backend: "local",
    owner,
    program: "/bin/bash",
    args: ["-c", command],
    env: { PATH: process.env.PATH ?? "", HERMES_RUN: marker },
    folder: "/",
    marker,
    ...changes,
  };
}

async function start(
  supervisor: Supervisor,
  command: string,
  changes: Partial<SupervisedStart> = {},
): Promise<ProcessHandle> {
  const started = await supervisor.start(shell(command, changes), neverAborted());
  assert.ok(started.ok, JSON.stringify(started));
  return started.value;
}

async function list(supervisor: Supervisor): Promise<readonly ProcessHandle[]> {
  const listed = await supervisor.list(neverAborted());
  assert.ok(listed.ok, JSON.stringify(listed));
  return listed.value;
}

async function textOf(handle: ProcessHandle): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let from = 0; ;) {
    const { bytes, next, total } = await handle.output(from, neverAborted());
    parts.push(bytes);
    if (next >= total) return Buffer.concat(parts).toString();
    from = next;
  }
}

function isAlive(pid: number | undefined): boolean {
  try {
    return pid !== undefined && !/^\d+ \(.*\) [ZX]/su.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

/** The supervisors of a home, from the system's own books. */
function supervisorsOf(home: string): number[] {
  return readdirSync("/proc").flatMap((name) => {
    try {
      const words = readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0");
      return words.includes(join(home, "processes")) && isAlive(Number(name)) ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}

test("after the runtime is killed its processes are listed completely and correctly, and can be killed", async () => {
  await using at = await place();
  const code = `
    import { testSupervisor } from ${JSON.stringify(join(root, "test", "support", "local-deps.ts"))};
    const supervisor = testSupervisor(process.argv[1]);
    const { signal } = new AbortController();
    const owner = ${JSON.stringify(owner)};
    for (let n = 0; n < 20; n++) {
      const command = n < 10
        ? "seq 1 2000; read -t 0.3 x; seq 2001 4000; exit " + n
        : "echo on " + n + "; setsid sleep 7777 & sleep 7777";
      const marker = "crash-" + process.pid + "-" + n;
      const started = await supervisor.start({
        command, cwd: "/", place: "local", backend: "local", owner, program: "/bin/bash", args: ["-c", command],
        env: { PATH: process.env.PATH, HERMES_RUN: marker }, folder: "/", marker,
      }, signal);
      if (!started.ok) throw new Error(JSON.stringify(started));
    }
    process.stdout.write("started");
    setInterval(() => {}, 1000);
  `;
  const child = inChild(root, code, [at.home]);
  await runAll([child], async () => {
    await new Promise((resolve) => child.process.stdout?.once("data", resolve));
    child.process.kill("SIGKILL");
    await child.ended;
  });
  const handles = await list(at.supervisor);
  assert.equal(handles.length, 20);
  const expected = Array.from({ length: 4000 }, (_, line) => `${line + 1}\n`).join("");
  for (const [n, handle] of handles.entries()) {
    if (n < 10) {
      const { how, exitCode } = await handle.wait(neverAborted());
      assert.deepEqual({ how, exitCode }, { how: "exited", exitCode: n });
      assert.equal(await textOf(handle), expected);
    } else {
      assert.equal(await handle.ending(neverAborted()), undefined);
      await eventually(async () => (await textOf(handle)) === `on ${n}\n`, "its output");
      const killed = await handle.kill(neverAborted());
      assert.equal(killed.ok && killed.value.how, "killed");
      assert.equal(isAlive(handle.pid), false);
    }
  }
  assert.equal(withMarker("crash-").length, 0);
});

/** Living processes with a mark that begins so. */
function withMarker(marker: string): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HERMES_RUN=${marker}`);
    } catch {
      return false;
    }
  });
}

test("many runtimes that need a supervisor at the same moment start one", async () => {
  await using at = await place();
  const clients = Array.from({ length: 8 }, () => at.another());
  const handles = await Promise.all(clients.map((client, n) => start(client, `echo ${n}; sleep 100`)));
  assert.equal(supervisorsOf(at.home).length, 1);
  const ids = handles.map(({ id }) => id).toSorted();
  for (const client of clients) assert.deepEqual((await list(client)).map(({ id }) => id).toSorted(), ids);
  const [first] = handles;
  const seen = (await list(clients[7] ?? at.supervisor)).find(({ id }) => id === first?.id);
  const waiting = first?.wait(neverAborted());
  assert.ok((await seen?.kill(neverAborted()))?.ok);
  assert.equal((await waiting)?.how, "killed");
});

test("an idle supervisor exits; ended processes are still listed with their output", async () => {
  await using at = await place();
  const handle = await start(at.supervisor, "echo out; exit 3");
  await handle.wait(neverAborted());
  await at.supervisor[Symbol.asyncDispose]();
  await eventually(() => supervisorsOf(at.home).length === 0, "gone");
  assert.equal(existsSync(join(at.home, "processes", "supervisor.sock")), false);
  const [match] = await list(at.another());
  assert.ok(match);
  assert.equal(await textOf(match), "out\n");
  assert.equal((await match.ending(neverAborted()))?.exitCode, 3);
  assert.deepEqual(supervisorsOf(at.home), []);
});

test("after the supervisor is killed its processes continue, lose no output and can be killed", async () => {
  await using at = await place();
  const chatty = await start(at.supervisor, "for i in {1..30}; do seq 1 2000; sleep 0.02; done; echo end; sleep 1000");
  const killed = join(at.home, "killed");
  const short = await start(at.supervisor, `echo short; until [ -e '${killed}' ]; do sleep 0.01; done; exit 5`);
  await eventually(async () => (await textOf(chatty)).length > 0, "output");
  for (const pid of supervisorsOf(at.home)) process.kill(pid, "SIGKILL");
  writeFileSync(killed, "");
  await eventually(() => !isAlive(short.pid), "the short one is over");
  assert.equal(isAlive(chatty.pid), true);
  const { how, exitCode } = await short.wait(neverAborted());
  assert.deepEqual({ how, exitCode }, { how: "lost", exitCode: undefined });
  assert.equal(await chatty.ending(neverAborted()), undefined);
  await eventually(async () => (await textOf(chatty)).endsWith("end\n"), "all of the output");
  const once = Array.from({ length: 2000 }, (_, line) => `${line + 1}\n`).join("");
  assert.equal(await textOf(chatty), `${once.repeat(30)}end\n`);
  const ended = await chatty.kill(neverAborted());
  assert.equal(ended.ok && ended.value.how, "killed");
  assert.equal(isAlive(chatty.pid), false);
  const after = await start(at.supervisor, "echo after");
  assert.equal((await after.wait(neverAborted())).exitCode, 0);
  assert.equal(supervisorsOf(at.home).length, 1);
});

test("a supervisor that is stopped kills its processes first", async () => {
  await using at = await place();
  const handle = await start(at.supervisor, "sleep 1000");
  const waiting = handle.wait(neverAborted());
  for (const pid of supervisorsOf(at.home)) process.kill(pid, "SIGTERM");
  assert.equal((await waiting).how, "killed");
  assert.equal(isAlive(handle.pid), false);
});

test("two hundred processes are started, listed, killed and removed without a trace", async () => {
  await using at = await place();
  const before = readdirSync("/proc/self/fd").length;
  const handles = await Promise.all(
    Array.from({ length: 200 }, (_, n) => start(at.supervisor, `echo ${n}; sleep 999 & sleep 999`)),
  );
  const [supervisor = 0] = supervisorsOf(at.home);
  assert.equal((await list(at.supervisor)).length, 200);
  const endings = await Promise.all(handles.map((handle) => handle.kill(neverAborted())));
  assert.ok(endings.every((ending) => ending.ok && ending.value.how === "killed"));
  assert.deepEqual(withMarker(`test-${process.pid}-`), []);
  assert.ok(readdirSync(`/proc/${supervisor}/fd`).length < 60);
  await Promise.all(handles.map((handle) => handle.remove(neverAborted())));
  assert.deepEqual(await list(at.supervisor), []);
  await at.supervisor[Symbol.asyncDispose]();
  await eventually(() => supervisorsOf(at.home).length === 0, "gone");
  assert.deepEqual(readdirSync(join(at.home, "processes")), ["supervisor.lock"]);
  assert.ok(readdirSync("/proc/self/fd").length <= before + 2);
});

test("the latest part of endless output is kept, with correct offsets", async () => {
  await using at = await place({ maxOutputBytes: 64_000 });
  const handle = await start(at.supervisor, "seq 1 100000");
  await handle.wait(neverAborted());
  const whole = Array.from({ length: 100_000 }, (_, line) => `${line + 1}\n`).join("");
  const { total } = await handle.output(0, neverAborted());
  assert.equal(total, whole.length);
  assert.equal(await textOf(handle), whole.slice(-64_000));
  const late = await handle.output(total - 10, neverAborted());
  assert.equal(Buffer.from(late.bytes).toString(), whole.slice(-10));
  assert.deepEqual({ ...(await handle.output(Infinity, neverAborted())), bytes: 0 }, { bytes: 0, next: total, total });
});

test("a reader gets no garbled output when it is overwritten at the same time", async () => {
  await using at = await place({ maxOutputBytes: 200_000 });
  const handle = await start(at.supervisor, "seq -f 'line %010.0f' 1 400000");
  let lines = 0;
  for (let from = 0, rest = ""; (await handle.ending(neverAborted())) === undefined || lines === 0;) {
    const { bytes, next } = await handle.output(from, neverAborted());
    if (next - bytes.length !== from) rest = "";
    const parts = (rest + Buffer.from(bytes).toString()).split("\n");
    rest = parts.pop() ?? "";
    // The first one may be cut: it began before the kept part.
    for (const line of parts.slice(1)) assert.match(line, /^line \d{10}$/);
    lines += parts.length;
    from = next;
  }
});

test("input waits for a process that does not read yet, whole and in order", async () => {
  await using at = await place();
  const handle = await start(at.supervisor, "sleep 0.3; cksum");
  const bytes = Buffer.from(Array.from({ length: 3_000_000 }, (_, n) => (n * 7) % 251));
  const sum = await start(at.supervisor, "cksum");
  for (const one of [handle, sum]) {
    assert.ok((await one.write(bytes, neverAborted())).ok);
    assert.ok((await one.closeInput(neverAborted())).ok);
    assert.equal((await one.wait(neverAborted())).exitCode, 0);
    assert.match(await textOf(one), / 3000000\n$/);
  }
  assert.equal(await textOf(handle), await textOf(sum));
  const deaf = await start(at.supervisor, "sleep 1000");
  assertFails(await deaf.write(bytes, AbortSignal.timeout(100)), /interrupted/u);
  assert.ok((await deaf.kill(neverAborted())).ok);
});

test("a process inherits nothing from the runtime or the supervisor except its arguments", async () => {
  await using at = await place();
  const leaked = openSync("/dev/null", "r");
  try {
    const terminal = await start(at.supervisor, "sleep 1000", { pty: { columns: 80, rows: 24 } });
    const handle = await start(at.supervisor, "ls -l /proc/$$/fd; env; ulimit -c; umask; cat <&3", {
      env: { ONLY: "this", PATH: process.env.PATH ?? "" },
    });
    await handle.wait(neverAborted());
    const text = await textOf(handle);
    assert.doesNotMatch(text, /ptmx|socket|supervisor/);
    assert.match(text, /^ONLY=this$/m);
    assert.ok(text.includes(`\n${process.umask().toString(8).padStart(4, "0")}\n`), text);
    assert.doesNotMatch(text, /HERMES|NODE/);
    const [supervisor = 0] = supervisorsOf(at.home);
    assert.equal(readFileSync(`/proc/${supervisor}/environ`, "latin1"), "");
    assert.equal((await terminal.kill(neverAborted())).ok, true);
  } finally {
    closeSync(leaked);
  }
});

test("the supervisor closes descriptors that the runtime had inherited", async () => {
  await using at = await place();
  const code = `
    import { testSupervisor } from ${JSON.stringify(join(root, "test", "support", "local-deps.ts"))};
    const supervisor = testSupervisor(process.argv[1]);
    const owner = ${JSON.stringify(owner)};
    const started = await supervisor.start({
      command: "sleep 1000", cwd: "/", place: "local", backend: "local", owner, program: "/bin/sleep", args: ["1000"],
      env: {}, folder: "/", marker: "fds",
    }, new AbortController().signal);
    process.exit(started.ok ? 0 : 1);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", code, at.home], {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit", ...Array.from({ length: 20 }, () => "ignore" as const), "pipe"],
  });
  // The process ends when the other end is closed.
  const pipe: unknown = child.stdio.at(-1);
  assert.ok(pipe instanceof Readable);
  const ended = new Promise((resolve) => pipe.resume().once("close", resolve));
  assert.equal(await new Promise((resolve) => child.once("exit", resolve)), 0);
  await ended;
  assert.equal(supervisorsOf(at.home).length, 1);
});

test("a home with a very long path works", async () => {
  await using at = await place({}, join("a".repeat(100), "ü".repeat(50)));
  const handle = await start(at.supervisor, "echo fine");
  assert.equal((await handle.wait(neverAborted())).exitCode, 0);
  assert.equal(await textOf(handle), "fine\n");
});

test("a program that cannot start gives the reason and leaves nothing", async () => {
  await using at = await place();
  const missing = await at.supervisor.start(shell("x", { program: "/no/such/program" }), neverAborted());
  assert.match(missing.ok ? "" : missing.error.message, /no\/such\/program could not be started/);
  const noFolder = await at.supervisor.start(shell("x", { folder: "/no/such/folder" }), neverAborted());
  assertFails(noFolder, /could not be started/u);
  const file = join(at.home, "script");
  writeFileSync(file, "");
  const long = await at.supervisor.start(
    shell("x", { args: ["-c", "x".repeat(200_000)], files: [file] }),
    neverAborted(),
  );
  assert.equal(!long.ok && long.error.kind, "refused");
  assert.equal(existsSync(file), false);
  const terminal = await at.supervisor.start(shell("x", { args: ["x".repeat(20_000_000)] }), neverAborted());
  assertFails(terminal, /too long/u);
  assert.deepEqual(await list(at.supervisor), []);
  assertFails(await at.supervisor.start(shell("x"), AbortSignal.abort()), /interrupted/u);
});

test("an aborted start leaves nothing running", async () => {
  await using at = await place();
  await start(at.supervisor, "sleep 1000");
  const stop = new AbortController();
  const marker = `given-up-${process.pid}`;
  const env = { PATH: process.env.PATH ?? "", HERMES_RUN: marker };
  const starting = at.supervisor.start(shell("sleep 1000", { marker, env }), stop.signal);
  await Promise.resolve();
  stop.abort();
  assertFails(await starting, /interrupted/u);
  await eventually(async () => (await list(at.supervisor)).length === 1 && withMarker(marker).length === 0, "gone");
});

test("a supervisor that cannot be started is an error that says so", async () => {
  await using at = await place({ entry: "/no/such/entry.js" });
  const started = await at.supervisor.start(shell("true"), neverAborted());
  assert.match(started.ok ? "" : started.error.message, /supervisor .* could not be started/);
  assert.deepEqual(await list(at.supervisor), []);
});

test("a folder that other users can write to is not used", async () => {
  await using at = await place();
  mkdirSync(join(at.home, "processes"));
  chmodSync(join(at.home, "processes"), 0o777);
  const started = await at.supervisor.start(shell("true"), neverAborted());
  assert.match(started.ok ? "" : started.error.message, /other users can write to it/);
});

test("a supervisor of another version is reported and left running", async () => {
  await using at = await place();
  mkdirSync(join(at.home, "processes"), { mode: 0o700 });
  const other = createServer((socket) => socket.end(encodeFrame({ supervisor: 999, pid: 1 })));
  await new Promise<void>((resolve) => other.listen(join(at.home, "processes", "supervisor.sock"), resolve));
  try {
    const started = await at.supervisor.start(shell("true"), neverAborted());
    assert.match(started.ok ? "" : started.error.message, /another version of Hermes/);
    assert.deepEqual(supervisorsOf(at.home), []);
  } finally {
    await new Promise((resolve) => other.close(resolve));
  }
});

test("random bytes in the folder and on the socket do no harm", async () => {
  await using at = await place();
  const handle = await start(at.supervisor, "sleep 1000");
  const folder = join(at.home, "processes");
  for (const name of ["proc_000000000000", "proc_../../x".replaceAll("/", "%"), "other"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "proc_000000000000", "record"), '{"id":"proc_111111111111"');
  assert.deepEqual(
    (await list(at.another())).map(({ id }) => id),
    [handle.id],
  );
  const { createConnection } = await import("node:net");
  for (const bytes of [
    Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    Buffer.alloc(64, 255),
    encodeFrame({ ask: 1, what: "remove", id: "../.." }),
  ]) {
    const socket = createConnection(join(folder, "supervisor.sock"));
    socket.on("error", () => {});
    socket.write(bytes);
    await new Promise<void>((resolve) => {
      socket.on("close", () => resolve());
      socket.on("data", (chunk) => String(chunk).includes("fault") && socket.destroy());
    });
  }
  assert.equal(await handle.ending(neverAborted()), undefined);
  assert.ok(existsSync(at.home));
});

test("a terminal replies to queries, and shows wide characters, titles and the alternate screen", async () => {
  await using at = await place();
  const ask = String.raw`printf '\033[2J\033[4;7H\033[6n'; IFS= read -rs -d R place; printf '%q' "$place"`;
  const draw = String.raw`printf '\033]0;my title\007\r\n日本|😀|é\r\n'; read x; printf '\033[?1049h\033[Hother'; read x; printf '\033[?1049l'; read x`;
  const handle = await start(at.supervisor, `stty -echo; ${ask}; ${draw}`, { pty: { columns: 40, rows: 8 } });
  const screen = async () => {
    const seen = await handle.screen(neverAborted());
    assert.ok(seen.ok, JSON.stringify(seen));
    return seen.value;
  };
  await eventually(async () => (await screen()).lines.some((line) => line.includes("日本")), "the text");
  const { title, lines, cursor, columns, rows } = await screen();
  assert.deepEqual({ title, columns, rows }, { title: "my title", columns: 40, rows: 8 });
  assert.equal(lines[3], String.raw`      $'\E[4;7'`);
  assert.equal(lines[4], "日本|😀|é");
  assert.deepEqual(cursor, { column: 0, row: 5 });
  await handle.write(Buffer.from("\r"), neverAborted());
  await eventually(async () => (await screen()).lines[0] === "other", "the other screen");
  await handle.write(Buffer.from("\r"), neverAborted());
  await eventually(async () => (await screen()).lines[4] === "日本|😀|é", "the first screen");
  assertFails(await handle.resize({ columns: 0, rows: 1e9 }, neverAborted()), /1 to 1000 columns and rows/u);
  await handle.closeInput(neverAborted());
  await handle.wait(neverAborted());
  assert.equal((await screen()).lines[4], "日本|😀|é");
});

test("no output that a program writes before it exits is lost", async () => {
  await using at = await place();
  const handle = await start(at.supervisor, "seq 1 20000; exit 9", { pty: { columns: 80, rows: 24 } });
  assert.equal((await handle.wait(neverAborted())).exitCode, 9);
  assert.equal(await textOf(handle), Array.from({ length: 20_000 }, (_, line) => `${line + 1}\r\n`).join(""));
});
