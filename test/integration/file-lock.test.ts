// covers: src/base
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { chmod, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { sleep } from "../../src/base/async/abort.ts";
import { systemClock } from "../../src/base/clock.ts";
import { createFileLock, withFileLock } from "../../src/base/files/file-lock.ts";
import { isStopped } from "../../src/base/process/stopped-process.ts";
import { type Child, inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const folder = join(import.meta.dirname, "../../src/base/files");
const { signal } = new AbortController();
const patient = { signal, timeoutMs: 60_000, clock: systemClock };

/** A process that takes the lock, reports it, and holds it until it is killed. */
async function startHolder(path: string): Promise<Child> {
  const child = inChild(
    folder,
    `import { withFileLock } from "./file-lock.ts";
     import { systemClock as clock } from "../clock.ts";
     const { signal } = new AbortController();
     await withFileLock(process.argv[1], async () => { console.log("held"); await new Promise((r) => setTimeout(r, 60_000)); }, { signal, clock, timeoutMs: 5_000 });`,
    [path],
  );
  if (child.process.stdout) await once(child.process.stdout, "data");
  return child;
}

test("a timeout names the process that holds the lock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const holder = await startHolder(path);
  await runAll([holder], async () => {
    const result = await withFileLock(path, async () => "mine", { ...patient, timeoutMs: 50 });
    assert.equal(result.ok ? "taken" : result.error.code, "ETIMEDOUT");
    const by = process.platform === "linux" ? `process ${holder.process.pid}` : "another process";
    assert.match(result.ok ? "" : result.error.message, new RegExp(`held by ${by} after 50 ms; wait`, "u"));
    if (process.platform !== "linux") return;
    holder.process.kill("SIGSTOP");
    while (!isStopped(holder.process.pid ?? 0)) await sleep(5, signal, systemClock);
    const again = await withFileLock(path, async () => "mine", { ...patient, timeoutMs: 50 });
    const advice = new RegExp(`it is stopped: .*kill -CONT ${holder.process.pid}`, "u");
    assert.match(again.ok ? "" : again.error.message, advice);
    holder.process.kill("SIGCONT");
  });
});

test("the lock of a killed process is released", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const holder = await startHolder(path);
  await runAll([holder], async () => {
    let isKilled = false;
    const waiting = withFileLock(path, async () => isKilled, patient);
    await sleep(30, signal, systemClock);
    isKilled = true;
    holder.process.kill("SIGKILL");
    assert.deepEqual(await waiting, { ok: true, value: true });
  });
});

test("concurrent counters, some of them killed, never hold the lock at the same time", async () => {
  await using home = await tempHome();
  const path = join(home.path, "count");
  await writeFile(path, "0");
  const code = `import { readFileSync, writeFileSync, openSync, closeSync, rmSync, appendFileSync } from "node:fs";
    import { withFileLock } from "./file-lock.ts";
    import { systemClock as clock } from "../clock.ts";
    const [path, rounds, dies] = process.argv.slice(1);
    const { signal } = new AbortController();
    for (let at = 0; at < Number(rounds); at++) {
      const result = await withFileLock(path, async () => {
        if (dies && at === 20) process.kill(process.pid, "SIGKILL");
        const count = Number(readFileSync(path, "utf8"));
        await new Promise((resolve) => setImmediate(resolve));
        writeFileSync(path, String(count + 1));
      }, { signal, clock, timeoutMs: 60_000 });
      if (!result.ok) throw new Error(result.error.message);
    }`;
  const counting = Array.from({ length: 6 }, () => inChild(folder, code, [path, "50", ""]));
  const dying = Array.from({ length: 2 }, () => inChild(folder, code, [path, "50", "dies"]));
  await runAll([...counting, ...dying], async () => {
    const ends = await Promise.all([...counting, ...dying].map((child) => child.ended));
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0, 0, 0, 0, 0, null, null],
    );
    assert.equal(await readFile(path, "utf8"), String(6 * 50 + 2 * 20));
  });
});

test("a lock file that is a pipe is reported, and nothing hangs", { skip: process.platform === "win32" }, async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  execFileSync("mkfifo", [`${path}.lock`]);
  const result = await withFileLock(path, async () => 1, patient);
  assert.deepEqual(result.ok || result.error.code, "EFTYPE");
});

test(
  "if a folder is not writable, the lock error names the folder, not the lock file",
  { skip: process.getuid?.() !== 0 },
  async () => {
    await using home = await tempHome();
    await chmod(home.path, 0o555);
    const program = `import { withFileLock } from "./file-lock.ts";
    import { systemClock as clock } from "../clock.ts";
    process.setuid(65534);
    const { signal } = new AbortController();
    console.log(JSON.stringify(await withFileLock(process.argv[1], async () => 1, { signal, clock, timeoutMs: 5_000 })));`;
    const child = inChild(folder, program, [join(home.path, "file")]);
    const { output: printed } = await child.ended;
    assert.match(printed, /"EACCES"/u);
    assert.ok(printed.includes(`"message":"${home.path} may not be accessed`), printed);
  },
);

test("a frequently used lock excludes this process and others, even after its file was replaced", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const [one, other] = [createFileLock(path), createFileLock(path)];
  let inside = 0;
  let max = 0;
  const work = async () => {
    max = Math.max(max, ++inside);
    await Promise.resolve();
    inside -= 1;
  };
  const runs = Array.from({ length: 60 }, (_, index) => (index % 2 === 0 ? one : other).hold(work, patient));
  assert.ok((await Promise.all(runs)).every((run) => run.ok));
  assert.equal(max, 1);
  await rm(`${path}.lock`);
  const holder = await startHolder(path);
  await runAll([holder], async () => {
    const result = await one.hold(async () => "mine", { ...patient, timeoutMs: 50 });
    assert.equal(result.ok ? "taken" : result.error.code, "ETIMEDOUT");
  });
  assert.deepEqual(await one.hold(async () => "free", patient), { ok: true, value: "free" });
  await assert.rejects(
    one.hold(() => Promise.reject(new Error("a bug")), patient),
    /a bug/u,
  );
  assert.deepEqual(await other.hold(async () => "free", patient), { ok: true, value: "free" });
});
