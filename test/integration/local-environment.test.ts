import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { Environment } from "../../src/contracts/environment.ts";
import { createLocalFactory, type LocalDeps } from "../../src/environments/local/local-environment.ts";
import { readState } from "../../src/environments/shell/carried-state.ts";
import { dialects, shellArguments } from "../../src/environments/shell/dialect.ts";
import { environmentConformance, never, run } from "../support/environment-conformance.ts";
import { localDeps } from "../support/local-deps.ts";
import { tempHome } from "../support/temp-home.ts";

/** As if this process itself ran in a command: its mark comes first in that of every command. */
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
  return { factory, folder, home: home.path, [Symbol.asyncDispose]: () => home[Symbol.asyncDispose]() };
}

environmentConformance("the local", () => localFactory());

async function withLocal(
  changes: Partial<LocalDeps>,
  check: (environment: Environment, place: { readonly folder: string; readonly home: string }) => Promise<void>,
): Promise<void> {
  await using local = await localFactory(changes);
  const opened = await local.factory.open({ taskId: "test" }, never());
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

test("the user's own start-up files are read once, without the secrets they export", async () => {
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

test("a start-up file that exits or fails does not keep the environment from opening", async () => {
  await using local = await localFactory();
  const file = join(local.home, "rc");
  await writeFile(file, "export BEFORE=1\nexit 3\n");
  await withLocal({ initFiles: [file] }, async (environment) => {
    assert.equal((await run(environment, 'echo "${BEFORE-unset}"')).exitCode, 0);
  });
});

test("a plain sh tells its folder, exports and aliases", async () => {
  await using home = await tempHome();
  const saveTo = join(home.path, "left");
  const command = `cd /; export A="it's"; alias ll='echo x'; exit 5`;
  const args = shellArguments(dialects.sh, command, { saveTo, mark: "mark" });
  assert.throws(() => execFileSync("/bin/sh", args, { env: {} }), { status: 5 });
  const state = readState(readFileSync(saveTo, "latin1"), "mark", dialects.sh);
  assert.equal(state?.cwd, "/");
  assert.equal(state?.exports.get("A"), "it's");
  assert.deepEqual(state?.aliases, { ll: "echo x" });
});

test("past the limit the file too keeps the two ends and says what is missing", async () => {
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

test("a hundred timeouts in a row leave no descendant", async () => {
  await withLocal({}, async (environment) => {
    const command = "sleep 999 & setsid sleep 999 & (setsid sh -c 'sleep 999 & sleep 999' &) ; sleep 999";
    for (let round = 0; round < 100; round++) {
      assert.equal((await run(environment, command, { timeoutMs: 20 })).ended, "timeout");
    }
    assert.deepEqual(descendants(), []);
  });
});

test("fifty commands interrupted at once leave nothing behind", async () => {
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

test("a fork bomb is over when its time is", async () => {
  await withLocal({}, async (environment) => {
    const bomb = "grow() { for i in 1 2 3; do (sleep 0.02; grow) & done; wait; }; ulimit -u 2000; grow";
    assert.notEqual((await run(environment, bomb, { timeoutMs: 300 })).ended, "aborted");
    assert.deepEqual(descendants(), []);
  });
});

test("the shell killed from outside is a signal, and what it ran is ended", async () => {
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

test("two hundred background processes come and go without a trace", async () => {
  await using local = await localFactory();
  const before = openFiles();
  const opened = await local.factory.open({ taskId: "test" }, never());
  assert.ok(opened.ok);
  const spawned = await Promise.all(
    Array.from({ length: 200 }, (_, at) => opened.value.spawn(`echo ${at}; sleep 999`, {}, never())),
  );
  assert.ok(spawned.every(({ ok }) => ok));
  assert.equal(descendants().length >= 200, true);
  await opened.value[Symbol.asyncDispose]();
  assert.deepEqual(descendants(), []);
  assert.deepEqual(await readdir(join(local.home, "tmp")), []);
  assert.ok(openFiles() <= before + 2, `${before} files were open, now ${openFiles()}`);
});

test("of endless background output the latest is kept, by true offsets", async () => {
  const outputLimits = { headBytes: 10, tailBytes: 10, spill: { headBytes: 60_000, tailBytes: 4_000 } };
  await withLocal({ outputLimits }, async (environment) => {
    const spawned = await environment.spawn("seq 1 100000", {}, never());
    assert.ok(spawned.ok);
    await using handle = spawned.value;
    await handle.ended;
    const whole = execFileSync("seq", ["1", "100000"], { maxBuffer: 1e8 });
    let from = 0;
    const parts: Uint8Array[] = [];
    for (;;) {
      const { bytes, next } = await handle.output(from);
      if (bytes.length === 0) break;
      parts.push(bytes);
      from = next;
    }
    assert.equal(from, whole.length);
    assert.ok(Buffer.concat(parts).equals(whole.subarray(-64_000)));
  });
});

test("on a full disk the old content stays, and commands say what they could not keep", async (context) => {
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
      assert.ok((await environment.files.write(path, Buffer.from("old"), never())).ok);
      const full = await environment.files.write(path, Buffer.alloc(1_000_000), never());
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

/** Living processes that carry our mark, from the system's own books. */
function descendants(): string[] {
  return readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/environ`, "latin1").includes(`HERMES_RUN=${ours} `);
    } catch {
      return false;
    }
  });
}

function openFiles(): number {
  return readdirSync("/proc/self/fd").length;
}
