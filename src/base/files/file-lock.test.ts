import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readlinkSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { type Child, inChild, runAll } from "../../../test/support/child-process.ts";
import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { sleep } from "../async/abort.ts";
import { systemClock } from "../clock.ts";
import { createFileLock, withFileLock } from "./file-lock.ts";

const { signal } = new AbortController();
const patient = { signal, timeoutMs: 20_000, clock: systemClock };

/** A process that takes the lock, says so, and keeps it until it is killed. */
async function startHolder(path: string): Promise<Child> {
  const child = inChild(
    import.meta.dirname,
    `import { withFileLock } from "./file-lock.ts";
     import { systemClock as clock } from "../clock.ts";
     const { signal } = new AbortController();
     await withFileLock(process.argv[1], async () => { console.log("held"); await new Promise((r) => setTimeout(r, 60_000)); }, { signal, clock, timeoutMs: 5_000 });`,
    [path],
  );
  if (child.process.stdout) await once(child.process.stdout, "data");
  return child;
}

test("what runs under the lock gives its value, and the lock is free again", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  for (const value of [1, 2]) {
    assert.deepEqual(await withFileLock(path, async () => value, patient), { ok: true, value });
  }
  const { mode, size } = await stat(`${path}.lock`);
  assert.deepEqual([await readdir(home.path), mode & 0o777, size], [["file.lock"], 0o600, 0]);
});

test("what throws under the lock frees it", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  await assert.rejects(
    withFileLock(path, () => Promise.reject(new Error("a bug")), patient),
    /a bug/u,
  );
  assert.deepEqual(await withFileLock(path, async () => "free", patient), { ok: true, value: "free" });
});

test("a hundred at once in one process run one after another", async () => {
  await using home = await tempHome();
  let inside = 0;
  let most = 0;
  const runs = Array.from({ length: 100 }, () =>
    withFileLock(
      join(home.path, "file"),
      async () => {
        most = Math.max(most, ++inside);
        await Promise.resolve();
        inside -= 1;
      },
      patient,
    ),
  );
  assert.ok((await Promise.all(runs)).every((run) => run.ok));
  assert.equal(most, 1);
});

test("one who waits in vain is told who holds the lock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const holder = await startHolder(path);
  await runAll([holder], async () => {
    const result = await withFileLock(path, async () => "mine", { ...patient, timeoutMs: 50 });
    assert.equal(result.ok ? "taken" : result.error.code, "ETIMEDOUT");
    const by = process.platform === "linux" ? `process ${holder.process.pid}` : "another process";
    assert.match(result.ok ? "" : result.error.message, new RegExp(`held by ${by} after 50 ms; wait`, "u"));
  });
});

test("the lock of a process that is killed becomes free", async () => {
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

test("waiting ends as soon as the signal is aborted", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  await withFileLock(
    path,
    async () => {
      const controller = new AbortController();
      const waiting = withFileLock(path, async () => "mine", { ...patient, signal: controller.signal });
      await sleep(5, signal, systemClock);
      controller.abort();
      const result = await waiting;
      assert.equal(result.ok ? "taken" : result.error.code, "ABORT_ERR");
      const late = await withFileLock(path, async () => "mine", { ...patient, signal: controller.signal });
      assert.equal(late.ok ? "taken" : late.error.code, "ABORT_ERR");
    },
    patient,
  );
});

test("time comes from the clock", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const clock = fakeClock();
  await withFileLock(
    path,
    async () => {
      const waiting = withFileLock(path, async () => "mine", { signal, clock, timeoutMs: 60_000 });
      while (clock.waiting === 0) await sleep(1, signal, systemClock);
      clock.advance(60_000);
      const result = await waiting;
      assert.match(result.ok ? "" : result.error.message, /held by this process after 60000 ms/u);
    },
    patient,
  );
});

test("a lock that cannot be made is a fault", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "folder.lock"));
  await writeFile(join(home.path, "foreign.lock"), "12345 somebody else's lock file\n".repeat(50));
  const codes: string[] = [];
  for (const name of ["missing/file", "folder", "foreign", "nul\0"]) {
    const result = await withFileLock(join(home.path, name), async () => "mine", patient);
    codes.push(result.ok ? "taken" : result.error.code);
  }
  assert.deepEqual(codes, ["ENOENT", "EISDIR", "EEXIST", "ERR_INVALID_ARG_VALUE"]);
  assert.match(await readFile(join(home.path, "foreign.lock"), "utf8"), /^12345/u);
});

test("processes that count together, some killed on the way, never hold the lock at once", async () => {
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
      }, { signal, clock, timeoutMs: 30_000 });
      if (!result.ok) throw new Error(result.error.message);
    }`;
  const counting = Array.from({ length: 6 }, () => inChild(import.meta.dirname, code, [path, "50", ""]));
  const dying = Array.from({ length: 2 }, () => inChild(import.meta.dirname, code, [path, "50", "dies"]));
  await runAll([...counting, ...dying], async () => {
    const ends = await Promise.all([...counting, ...dying].map((child) => child.ended));
    assert.deepEqual(
      ends.map(({ code }) => code),
      [0, 0, 0, 0, 0, 0, null, null],
    );
    assert.equal(await readFile(path, "utf8"), String(6 * 50 + 2 * 20));
  });
});

test(
  "a lock file that is a pipe is named as one, and nothing hangs",
  { skip: process.platform === "win32" },
  async () => {
    await using home = await tempHome();
    const path = join(home.path, "file");
    execFileSync("mkfifo", [`${path}.lock`]);
    const taken = await withFileLock(path, async () => 1, patient);
    assert.deepEqual(taken.ok || taken.error.code, "EFTYPE");
  },
);

test("a folder that takes no file is named, not the lock file in it", { skip: process.getuid?.() !== 0 }, async () => {
  await using home = await tempHome();
  await chmod(home.path, 0o555);
  const program = `import { withFileLock } from "./file-lock.ts";
    import { systemClock as clock } from "../clock.ts";
    process.setuid(65534);
    const { signal } = new AbortController();
    console.log(JSON.stringify(await withFileLock(process.argv[1], async () => 1, { signal, clock, timeoutMs: 5_000 })));`;
  const child = inChild(import.meta.dirname, program, [join(home.path, "file")]);
  const { output: said } = await child.ended;
  assert.match(said, /"EACCES"/u);
  assert.ok(said.includes(`"message":"${home.path} may not be accessed`), said);
});

test("of many that wait, nobody is passed by for ever", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const waits = await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (let turn = 0; turn < 3; turn++)
        if (!(await withFileLock(path, () => sleep(10, signal, systemClock), { ...patient, timeoutMs: 8_000 })).ok)
          return false;
      return true;
    }),
  );
  assert.ok(waits.every(Boolean));
});

test("a lock that is taken often keeps its file open only while nobody holds it, and only for a moment", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const clock = fakeClock();
  const lock = createFileLock(path);
  const options = { ...patient, clock };
  const openFiles = () =>
    readdirSync("/proc/self/fd").filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(`${path}.lock`);
      } catch {
        return false;
      }
    }).length;
  for (const value of [1, 2, 3]) assert.deepEqual(await lock.hold(async () => value, options), { ok: true, value });
  assert.equal(openFiles(), 1);
  // Whoever else wants it gets it at once.
  assert.deepEqual(await withFileLock(path, async () => "other", { ...patient, timeoutMs: 0 }), {
    ok: true,
    value: "other",
  });
  await lock.hold(async () => {
    const others = await withFileLock(path, async () => "other", { ...patient, timeoutMs: 0 });
    assert.equal(others.ok ? "taken" : others.error.code, "ETIMEDOUT");
  }, options);
  clock.advance(1_000);
  assert.equal(openFiles(), 0);
});

test("a lock that is taken often is the same for all in this process and others, also when its file was replaced", async () => {
  await using home = await tempHome();
  const path = join(home.path, "file");
  const [one, other] = [createFileLock(path), createFileLock(path)];
  let inside = 0;
  let most = 0;
  const work = async () => {
    most = Math.max(most, ++inside);
    await Promise.resolve();
    inside -= 1;
  };
  const runs = Array.from({ length: 60 }, (_, at) => (at % 2 === 0 ? one : other).hold(work, patient));
  assert.ok((await Promise.all(runs)).every((run) => run.ok));
  assert.equal(most, 1);
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
