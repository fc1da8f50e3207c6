// covers: src/environments, src/safety
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { Environment, CreatedEnvironment } from "../../src/contracts/environment/environment.ts";
import { createLocalFactory, type LocalDeps } from "../../src/environments/local/local-environment.ts";
import { parseCarriedState } from "../../src/environments/shell/carried-state.ts";
import { dialects, shellArguments } from "../../src/environments/shell/dialect.ts";
import { environmentConformance, neverAborted, run } from "../support/environment-conformance.ts";
import { eventually } from "../support/eventually.ts";
import { localDeps, removeProcesses } from "../support/local-deps.ts";
import { missingPrograms } from "../support/system-programs.ts";
import { tempHome } from "../support/temp-home.ts";
import { testIsolation } from "../support/test-isolation.ts";

/** Simulates that this process itself runs in a command: its marker comes first in that of every command. */
const ours = `test-${process.pid}`;

async function localFactory(changes: Partial<LocalDeps> = {}) {
  const home = await tempHome();
  const folder = join(home.path, "work");
  await mkdir(folder);
  const factory = createLocalFactory({
    ...localDeps(home.path, folder),
    env: { PATH: process.env.PATH, HOME: home.path, LANG: "C.UTF-8", HERMES_RUN: ours },
    ...changes,
  });
  return {
    factory,
    folder,
    home: home.path,
    hasTerminals: true,
    async [Symbol.asyncDispose]() {
      await removeProcesses(home.path);
      await home[Symbol.asyncDispose]();
    },
  };
}

environmentConformance("the local", () => localFactory());
const withoutBubblewrap = missingPrograms({ bwrap: "bubblewrap" });
if (withoutBubblewrap === false) {
  environmentConformance("the local, in a sandbox,", () => localFactory({ isolation: testIsolation() }));
}

async function withLocal(
  changes: Partial<LocalDeps>,
  check: (environment: CreatedEnvironment, place: { readonly folder: string; readonly home: string }) => Promise<void>,
): Promise<void> {
  await using local = await localFactory(changes);
  const opened = await local.factory.open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok, JSON.stringify(opened));
  await using environment = opened.value;
  await check(environment, local);
}

test("keys and tokens do not reach commands, unless they are listed", async () => {
  const env = {
    PATH: process.env.PATH,
    OPENAI_API_KEY: "a",
    OPENAI_BASE_URL: "a",
    GITHUB_TOKEN: "a",
    AWS_SECRET_ACCESS_KEY: "a",
    TELEGRAM_BOT_TOKEN: "a",
    SOME_NEW_PROVIDER_API_KEY: "a",
    HERMES_INTERNAL: "a",
    _HERMES_FORCE_X: "a",
    SUDO_PASSWORD: "a",
    HERMES_HOME: "/h",
    NPM_TOKEN: "mine",
    GH_TOKEN: "listed",
  };
  await withLocal({ env, passthrough: ["GH_TOKEN"] }, async (environment) => {
    const { text } = await run(environment, "env | grep -v -e ^_= -e ^PATH -e ^PWD -e ^SHLVL | sort");
    assert.match(text, /^GH_TOKEN=listed\nHERMES_HOME=\/h\nHERMES_RUN=[0-9a-f]+\.\d+\nNPM_TOKEN=mine\n$/);
  });
});

test("the user's start-up files are read once, and secrets that they export are removed", async () => {
  await using local = await localFactory();
  const file = join(local.home, "rc");
  await writeFile(
    file,
    "export FROM_RC=1 ANTHROPIC_API_KEY=x; hi() { echo hi; }; alias yo='hi'; echo noise; nosuch; cd /\n",
  );
  await withLocal({ initFiles: [file, "/no/such/file"] }, async (environment, { folder }) => {
    const { text, cwd } = await run(environment, 'yo; echo "$FROM_RC ${ANTHROPIC_API_KEY-unset}"');
    assert.deepEqual({ text, cwd }, { text: "hi\n1 unset\n", cwd: folder });
  });
});

test("a start-up file that exits or fails does not prevent the environment from opening", async () => {
  await using local = await localFactory();
  const file = join(local.home, "rc");
  await writeFile(file, "export BEFORE=1\nexit 3\n");
  await withLocal({ initFiles: [file] }, async (environment) => {
    assert.equal((await run(environment, 'echo "${BEFORE-unset}"')).exitCode, 0);
  });
});

test("start-up files that hang time out with a notice", async () => {
  await using local = await localFactory();
  const file = join(local.home, "rc");
  await writeFile(file, "export BEFORE=1\nsleep 987\nexport AFTER=1\n");
  const reported: string[] = [];
  const say = (sentence: string) => reported.push(sentence);
  await withLocal({ initFiles: [file], initFilesMs: 1_000, say }, async (environment) => {
    assert.equal((await run(environment, 'echo "${BEFORE-unset} ${AFTER-unset}"')).text, "1 unset\n");
    assert.equal((await run(environment, "echo again")).text, "again\n");
    assert.deepEqual(
      reported.map((sentence) => /start-up files .* did not finish within 1 s/u.test(sentence)),
      [true],
    );
  });
});

test("a failure to save the shell state does not affect the result", async () => {
  await using local = await localFactory();
  const tempFolder = join(local.home, "temp");
  const rc = join(local.home, "rc");
  await writeFile(rc, "greet() { echo hi; }; export FROM_RC=1\n");
  await withLocal({ tempFolder, initFiles: [rc] }, async (environment) => {
    const [own = ""] = await readdir(tempFolder);
    for (const version of [1, 2]) await mkdir(join(tempFolder, own, `state-${version}`));
    assert.equal((await run(environment, 'echo "$FROM_RC"; f() { :; }')).text, "1\n");
    assert.equal((await run(environment, "echo next")).text, "next\n");
  });
});

test("unusual syntax in a command does not affect the shell around it", async () => {
  const quote = "bash: eval: line 1: unexpected EOF while looking for matching `''\n";
  await withLocal({}, async (environment) => {
    for (const [command, exitCode, text] of [
      ["echo a\\", 0, "a\\\n"],
      ["echo b \\\n", 0, "b\n"],
      ["echo 'open", 2, quote],
      ["set -v; echo c", 0, "c\n"],
      ["ulimit -f 0; false", 1, ""],
    ] as const) {
      const ran = await run(environment, command);
      assert.deepEqual({ command, exitCode: ran.exitCode, text: ran.text }, { command, exitCode, text });
    }
  });
});

test("a plain sh reports its folder, exports and aliases", async () => {
  await using home = await tempHome();
  const saveTo = join(home.path, "left");
  const command = `cd /; export A="it's"; alias ll='echo x'; exit 5`;
  const args = shellArguments(dialects.sh, command, { saveTo, mark: "mark" });
  assert.throws(() => execFileSync("/bin/sh", args, { env: {} }), { status: 5 });
  const state = parseCarriedState(readFileSync(saveTo, "latin1"), "mark", dialects.sh);
  assert.equal(state?.cwd, "/");
  assert.equal(state?.exports.get("A"), "it's");
  assert.deepEqual(state?.aliases, { ll: "echo x" });
});

test("beyond the size limit, the output file keeps both ends and a note about the gap", async () => {
  const outputLimits = { headBytes: 1_000, tailBytes: 1_000, spill: { headBytes: 600_000, tailBytes: 100_000 } };
  await withLocal({ outputLimits }, async (environment) => {
    const whole = execFileSync("seq", ["1", "300000"], { maxBuffer: 1e8 });
    const { head, tail, totalBytes, spillPath } = await run(environment, "seq 1 300000");
    assert.deepEqual([head.length, tail.length, totalBytes], [1_000, 1_000, whole.length]);
    const spilled = readFileSync(spillPath ?? "", "latin1");
    const expected = `${whole.toString().slice(0, 600_000)}\n[… ${whole.length - 700_000} bytes left out …]\n`;
    assert.equal(Buffer.from(spilled, "latin1").toString(), expected + whole.toString().slice(-100_000));
    const exact = await run(environment, "head -c 2000 /dev/zero");
    assert.equal(exact.spillPath, undefined);
    const onlyJust = await run(environment, "head -c 700000 /dev/zero");
    assert.equal(readFileSync(onlyJust.spillPath ?? "").length, 700_000);
  });
});

test("files of long outputs stay within their limits", async () => {
  const outputLimits = { headBytes: 10, tailBytes: 10, spill: { headBytes: 1_000_000, tailBytes: 1_000 } };
  const spillLimits = { maxTotalBytes: 250_000, maxAgeMs: 1e9 };
  await withLocal({ outputLimits, spillLimits }, async (environment, { home }) => {
    for (let round = 0; round < 6; round++) await run(environment, "head -c 100000 /dev/zero");
    assert.ok((await readdir(join(home, "spill"))).length <= 3);
  });
});

test("thirty consecutive timeouts leave no descendant process", async () => {
  await withLocal({}, async (environment) => {
    const command = "sleep 999 & setsid sleep 999 & (setsid sh -c 'sleep 999 & sleep 999' &) ; sleep 999";
    for (let round = 0; round < 30; round++) {
      assert.equal((await run(environment, command, { timeoutMs: 20 })).ended, "timeout");
    }
  });
  assert.deepEqual(descendants(), []);
});

for (const isolation of [undefined, testIsolation()]) {
  const how = isolation ? "confined" : "plain";
  const skip = isolation ? withoutBubblewrap : false;

  test(`the next ${how} command runs in a prepared shell`, { skip }, async () => {
    await withLocal(isolation ? { isolation } : {}, async (environment) => {
      const text = async (command: string, more = {}) => (await run(environment, command, more)).text;
      await text("true");
      await waitingShell(environment);
      assert.equal(await text("echo $SECONDS"), "0\n");
      await waitingShell(environment);
      const before = descendants();
      assert.equal(await text("echo it; exit 3"), "it\n");
      assert.ok(before.every((pid) => !descendants().includes(pid)));
      await waitingShell(environment);
      // The prepared shell was not started for any of these.
      assert.equal(await text("cat; echo $X", { stdin: Buffer.from("in "), env: { X: "1" } }), "in 1\n");
      assert.equal(await text("pwd", { cwd: "/" }), "/\n");
      await text("cd /; export Y=2; f() { echo f; }");
      assert.equal(await text("pwd; echo $Y; f"), "/\n2\nf\n");
      await waitingShell(environment);
      assert.equal(await text("cat"), "");
      assert.equal(await text(`echo ${"x".repeat(3000)} | wc -c`), "3001\n");
    });
    assert.deepEqual(descendants(), []);
  });
}

test("a prepared shell that was killed is replaced", async () => {
  await withLocal({}, async (environment) => {
    await run(environment, "true");
    await waitingShell(environment);
    const killed = descendants();
    for (const pid of killed) process.kill(Number(pid), "SIGKILL");
    // The end of a process is known when it is no longer a zombie.
    await eventually(() => killed.every((pid) => !existsSync(`/proc/${pid}`)));
    assert.equal((await run(environment, "echo on")).text, "on\n");
  });
});

async function waitingShell(environment: Environment): Promise<void> {
  environment.getReady?.();
  for (let tries = 0; descendants().length === 0; tries++) {
    assert.ok(tries < 6_000, "no shell waits");
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  // The shell has reached the point where it waits.
  await new Promise((resolve) => setTimeout(resolve, 100));
}

test(
  "no process of a confined command survives, not even one without session, parent and marker",
  { skip: withoutBubblewrap },
  async () => {
    await withLocal({ isolation: testIsolation() }, async (environment) => {
      const escape = `(env -i setsid sleep 86413.${process.pid} >/dev/null 2>&1 &)`;
      const { text, leftRunning } = await run(environment, `${escape}; echo done`);
      assert.equal(text, "done\n");
      assert.match(leftRunning.join(), /^sleep 86413/);
      assert.equal((await run(environment, `${escape}; sleep 100`, { timeoutMs: 300 })).ended, "timeout");
      const spawned = await environment.spawn(`${escape}; echo on; sleep 100`, { owner }, neverAborted());
      assert.ok(spawned.ok);
      while ((await spawned.value.output(0, neverAborted())).total === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.ok((await spawned.value.kill(neverAborted())).ok);
      assert.equal(readdirSync("/proc").filter((pid) => commandOf(pid).includes(`86413.${process.pid}`)).length, 0);
      assert.equal((await run(environment, "exit 137")).exitCode, 137);
      const stop = new AbortController();
      const polite = await run(environment, "trap 'echo bye; exit' TERM; echo on; sleep 100 & wait", {
        signal: stop.signal,
        onOutput: () => stop.abort(),
      });
      assert.equal(polite.text, "on\nbye\n");
    });
  },
);

test("where isolation is required and unavailable, only approved commands run", async () => {
  const fault = { kind: "misconfigured", message: "no sandbox here", hint: "Install one." } as const;
  await withLocal({ isolation: async () => ({ mode: "missing", fault }) }, async (environment) => {
    const refused = await environment.exec("echo hi", { signal: neverAborted(), timeoutMs: 60_000 });
    assert.deepEqual(refused, { ok: false, error: fault });
    const spawned = await environment.spawn("echo hi", { owner }, neverAborted());
    assert.deepEqual(spawned, { ok: false, error: fault });
    assert.ok(environment.outside);
    assert.equal((await run(environment.outside, "echo hi")).text, "hi\n");
  });
});

test("a sudo password is passed to one command and stored nowhere", async () => {
  const sudoPassword = `it's "secret" $5 ${process.pid}`;
  await withLocal({}, async (environment, { home }) => {
    const look = `"$SUDO_ASKPASS"; env; cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n'; stat -c %a "$SUDO_ASKPASS"`;
    const { text } = await run(environment, look, { sudoPassword });
    assert.equal(text.split("\n")[0], sudoPassword);
    assert.equal(text.split(`secret" $5 ${process.pid}`).length, 2);
    assert.match(text, /\n700\n$/);
    assert.equal((await run(environment, 'echo "${SUDO_ASKPASS-unset}"')).text, "unset\n");
    await run(environment, "sleep 100", { sudoPassword, timeoutMs: 50 });
    const [folder = ""] = await readdir(join(home, "tmp"));
    assert.deepEqual(
      (await readdir(join(home, "tmp", folder))).filter((name) => name.startsWith("ask")),
      [],
    );
  });
});

test("a command in a terminal ends when its input ends", async () => {
  await withLocal({}, async (environment) => {
    const pty = { columns: 80, rows: 24 };
    const { text } = await run(environment, "stty -echo; cat; echo end; tty >/dev/null && echo terminal", {
      pty,
      stdin: Buffer.from("one\ntwo"),
    });
    assert.match(text, /one\r\n(?:two)+end\r\nterminal\r\n$/);
    assert.equal((await run(environment, "cat; echo $TERM", { pty })).text, "xterm-256color\r\n");
    assert.equal((await run(environment, 'echo "${TERM-unset}"')).text, await ownTerm(environment));
    const long = await run(environment, "seq 1 100000", { pty });
    assert.equal(long.totalBytes, 688_895);
    const refused = await environment.exec("true", {
      signal: neverAborted(),
      timeoutMs: 9,
      pty: { columns: 0, rows: 1 },
    });
    assert.equal(!refused.ok && refused.error.kind, "refused");
  });
});

/** The value without any terminal. */
async function ownTerm(environment: Environment): Promise<string> {
  return (await run(environment, 'echo "${TERM-unset}"', { carry: false })).text;
}

test("a background process outlives its environment and keeps its functions", async () => {
  await using local = await localFactory();
  const opened = await local.factory.open({ taskId: "test" }, neverAborted());
  assert.ok(opened.ok);
  await run(opened.value, "say() { echo said $1; }");
  const spawned = await opened.value.spawn("say hi; echo $PYTHONUNBUFFERED; exit 4", { owner }, neverAborted());
  await opened.value[Symbol.asyncDispose]();
  assert.ok(spawned.ok);
  assert.equal((await spawned.value.wait(neverAborted())).exitCode, 4);
  assert.equal(Buffer.from((await spawned.value.output(0, neverAborted())).bytes).toString(), "said hi\n1\n");
  const [shells = ""] = await readdir(join(local.home, "tmp"));
  assert.deepEqual(await readdir(join(local.home, "tmp", shells)), []);
});

const owner = { program: "test", session: "session", principal: "person", isKept: false };

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}

test("fifty commands that are interrupted together leave no process", async () => {
  await withLocal({}, async (environment, { home }) => {
    const stop = new AbortController();
    const running = Array.from({ length: 50 }, () =>
      run(environment, "setsid sleep 999 & sleep 999", { signal: stop.signal }),
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    stop.abort();
    const endings = new Set((await Promise.all(running)).map(({ ended }) => ended));
    assert.deepEqual([...endings], ["aborted"]);
    assert.deepEqual(descendants(), []);
    assert.equal((await run(environment, "echo fine")).text, "fine\n");
    assert.deepEqual((await readdir(join(home, "tmp"))).length, 1);
  });
});

test("a fork bomb ends at the timeout", async () => {
  await withLocal({}, async (environment) => {
    // A few hundred processes: other programs on this machine must still be able to start one.
    const bomb = "grow() { [ $1 = 5 ] && exec sleep 60; for i in 1 2 3; do (grow $(($1 + 1))) & done; wait; }; grow 0";
    assert.notEqual((await run(environment, bomb, { timeoutMs: 300 })).ended, "aborted");
    assert.deepEqual(descendants(), []);
  });
});

test("a shell that is killed from outside reports a signal, and its children are killed", async () => {
  await withLocal({}, async (environment) => {
    const running = run(environment, "sleep 999 & echo $$; wait", {
      onOutput: (chunk) => process.kill(Number(Buffer.from(chunk).toString()), "SIGKILL"),
    });
    const { ended, signal, leftRunning } = await running;
    assert.deepEqual({ ended, signal }, { ended: "signal", signal: "SIGKILL" });
    assert.match(leftRunning.join(), /sleep 999/);
    assert.deepEqual(descendants(), []);
  });
});

test("on a full disk the old content stays, and commands report shell state that could not be saved", async (context) => {
  if (process.getuid?.() !== 0) return context.skip("mounting a tiny disk needs root");
  await using local = await localFactory();
  const disk = join(local.home, "disk");
  await mkdir(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=256k", "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return context.skip("this system does not let root mount a tmpfs");
  }
  try {
    await withLocal({ spillFolder: disk }, async (environment) => {
      const path = join(disk, "file");
      assert.ok((await environment.files.write(path, Buffer.from("old"), neverAborted())).ok);
      const full = await environment.files.write(path, Buffer.alloc(1_000_000), neverAborted());
      assert.equal(!full.ok && full.error.kind, "no_space");
      assert.deepEqual(await readdir(disk), ["file"]);
      assert.equal(readFileSync(path, "utf8"), "old");
      const { exitCode, totalBytes, spillPath, spillFault } = await run(environment, "head -c 3000000 /dev/zero");
      assert.deepEqual(
        { exitCode, totalBytes, spillPath },
        { exitCode: 0, totalBytes: 3_000_000, spillPath: undefined },
      );
      assert.match(spillFault ?? "", /disk is full/);
      assert.deepEqual(await readdir(disk), ["file"]);
    });
  } finally {
    execFileSync("umount", [disk]);
  }
});

/** Running processes with our marker, according to the system. */
function descendants(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HERMES_RUN=${ours} `);
    } catch {
      return false;
    }
  });
}

test("start-up files are read when the first command needs them, and only once", async () => {
  await using local = await localFactory();
  const file = join(local.home, "rc");
  const log = join(local.home, "log");
  await writeFile(file, `echo read >>${log}; export FROM_RC=1; sleep 0.2\n`);
  await withLocal({ initFiles: [file] }, async (environment) => {
    assert.ok((await environment.files.write("file", Buffer.from("x"), neverAborted())).ok);
    assert.ok((await environment.files.read("file", neverAborted())).ok);
    assert.throws(() => readFileSync(log));
    const stopped = run(environment, "echo no", { signal: AbortSignal.timeout(50) });
    const ran = await Promise.all([1, 2, 3].map(() => run(environment, "echo $FROM_RC")));
    assert.equal((await stopped).ended, "aborted");
    assert.deepEqual(
      ran.map(({ text, carried }) => ({ text, carried })),
      ran.map(() => ({ text: "1\n", carried: false })),
    );
    assert.equal(readFileSync(log, "utf8"), "read\n");
    await environment[Symbol.asyncDispose]();
  });
});

test("closing the environment lets start-up files finish, up to their timeout", async () => {
  await using local = await localFactory();
  const [file, lock, go] = ["rc", "lock", "go"].map((name) => join(local.home, name)) as [string, string, string];
  await writeFile(file, `: >${lock}; until [ -e ${go} ]; do sleep 0.05; done; rm ${lock}\n`);
  for (const initFilesMs of [600_000, 5_000]) {
    await withLocal({ initFiles: [file], initFilesMs }, async (environment) => {
      const running = environment.exec("true", { signal: new AbortController().signal, timeoutMs: 60_000 });
      const state = assert.rejects(environment.state(new AbortController().signal));
      await eventually(() => existsSync(lock));
      await environment[Symbol.asyncDispose]();
      assert.ok(existsSync(lock), "closing does not wait for them");
      const ran = await running;
      assert.equal(ran.ok && ran.value.ended, "aborted");
      await state;
      if (initFilesMs === 600_000) {
        await writeFile(go, "");
        await eventually(() => !existsSync(lock));
        await rm(go);
      }
      await eventually(() => descendants().length === 0);
    });
  }
});
