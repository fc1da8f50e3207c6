// covers: src/store, src/runtime
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, chown, cp, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
const nobody = 65534;
const isRoot = process.getuid?.() === 0;

/** Makes a folder and its content read-only. Root may write anyway, so the user nobody becomes the owner. */
async function protect(folder: string): Promise<void> {
  for (const name of ["", ...(await readdir(folder, { recursive: true }))]) {
    const path = join(folder, name);
    if (isRoot) await chown(path, nobody, nobody);
    await chmod(path, (await stat(path)).isDirectory() ? 0o500 : 0o400);
  }
}

for (const [what, isKilled] of [
  ["", false],
  [" that a killed process left", true],
] as const) {
  test(`sessions in a read-only home${what} can be read, and nothing is created`, async () => {
    await using folder = await tempHome();
    await chmod(folder.path, 0o755);
    const [home, work, temp] = ["home", "work", "temp"].map((name) => join(folder.path, name));
    assert.ok(home !== undefined && work !== undefined && temp !== undefined);
    for (const path of [home, work, temp]) {
      await mkdir(path, { mode: 0o700 });
      if (isRoot) await chown(path, nobody, nobody);
    }
    const user = isRoot ? { uid: nobody } : {};
    const common = { HERMES_MODEL: "offline", TMPDIR: temp };
    const prompt = ["-z", isKilled ? "run `echo xylophone > ran; sleep 5`" : "xylophone"];
    const child = spawn(process.execPath, [bundle, ...prompt], {
      cwd: work,
      env: { ...process.env, ...common, HERMES_HOME: home, HOME: work },
      stdio: "ignore",
      ...user,
    });
    const shells = join(home, `hermes-shells-${isRoot ? nobody : (process.getuid?.() ?? 0)}`);
    if (isKilled) {
      await eventually(async () => (await readdir(work)).includes("ran"));
      child.kill("SIGKILL");
    }
    await once(child, "exit");
    const copy = join(folder.path, "copy");
    await cp(home, copy, { recursive: true, filter: (path) => path !== shells });
    await protect(copy);
    const before = (await readdir(copy, { recursive: true })).toSorted();
    const run = (...args: readonly string[]) =>
      runProgram(process.execPath, [bundle, ...args], {
        cwd: work,
        env: { ...common, HERMES_HOME: copy, HOME: work },
        ...user,
      });
    for (const args of [
      ["list", "--all"],
      ["show", "latest"],
      ["export", "latest"],
      ["search", "xylophone"],
    ]) {
      const ran = await run("sessions", ...args);
      assert.deepEqual({ args, code: ran.code, stderr: ran.stderr }, { args, code: 0, stderr: "" });
      assert.match(ran.stdout, /xylophone/u);
    }
    const readers = ["rollback", "checkpoints status", "audit verify", "usage", "approvals list"];
    // These do not read anything that a killed session leaves behind.
    const others = ["tools list", "skills list", "memory show", "policy list", "learnings list", "config check"];
    for (const line of isKilled ? readers : [...readers, ...others, "model list"]) {
      const ran = await run(...line.split(" "));
      assert.deepEqual({ line, code: ran.code, stderr: ran.stderr }, { line, code: 0, stderr: "" });
    }
    const { stdout } = await run("doctor");
    assert.match(stdout, /home .* is not writable[^]*sessions +1 session/u);
    const renamed = await run("sessions", "rename", "latest", "other");
    assert.notEqual(renamed.code, 0);
    assert.match(renamed.stderr, /cannot be written|read-only|permission|not allowed/u);
    assert.deepEqual((await readdir(copy, { recursive: true })).toSorted(), before);
    assert.deepEqual(await readdir(temp), []);
  });
}

/** Every path below a folder with the time of its last change. */
async function timesIn(folder: string): Promise<readonly string[]> {
  const names = (await readdir(folder, { recursive: true })).toSorted();
  return Promise.all(["", ...names].map(async (name) => `${name} ${(await stat(join(folder, name))).mtimeMs}`));
}

test("doctor writes nothing: neither into an empty home, nor a used one, nor the user's folder", async () => {
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(work);
  const env = { HERMES_MODEL: "offline", HOME: folder.path, HERMES_HOME: join(folder.path, "home"), TMPDIR: work };
  const run = (...args: readonly string[]) => runProgram(process.execPath, [bundle, ...args], { cwd: work, env });
  const empty = await timesIn(folder.path);
  const examined = await run("doctor");
  assert.match(examined.stdout, /isolation +on/u);
  assert.deepEqual(await timesIn(folder.path), empty);
  assert.equal((await run("-z", "run `echo xylophone > ran`")).code, 0);
  const used = await timesIn(folder.path);
  assert.match((await run("doctor")).stdout, /sessions +1 session/u);
  assert.deepEqual(await timesIn(folder.path), used);
});
