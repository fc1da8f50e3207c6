// covers: src/base/files, src/environments/local, src/store, src/runtime
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, readdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";

import { makeTempFolder } from "../../src/base/files/temp-folder.ts";
import { byText } from "../../src/base/text/order.ts";
import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

test("the next start removes files of a killed process, but none of a live process", async () => {
  await using folder = await tempHome();
  const [home, work, temp] = ["home", "work", "temp"].map((name) => join(folder.path, name));
  assert.ok(home !== undefined && work !== undefined && temp !== undefined);
  for (const path of [home, work, temp]) await mkdir(path, { mode: 0o700 });
  const env = { HERMES_HOME: home, HERMES_MODEL: "offline", TMPDIR: temp };
  const started: ChildProcess[] = [];
  const start = () => {
    const child = spawn(process.execPath, [bundle, "-z", "run `sleep 300`"], {
      cwd: work,
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
    started.push(child);
    return child;
  };
  const locks = join(home, "session-locks");
  const shells = join(home, `hermes-shells-${process.getuid?.() ?? 0}`);
  const entries = (path: string) => readdir(path).catch((): string[] => []);
  const holders = async () => (await entries(locks)).filter((name) => name.endsWith(".holder"));
  try {
    const killed = start();
    await eventually(async () => (await entries(shells)).length === 1 && (await holders()).length === 1);
    killed.kill("SIGKILL");
    await once(killed, "exit");
    const [left = ""] = await entries(shells);
    const leave = async (name: string): Promise<void> => {
      const path = join(temp, left.replace("hermes-shell-", `hermes-${name}-`));
      await mkdir(path);
      await writeFile(join(path, "file"), "");
    };
    await leave("agent");
    await symlink(work, join(temp, left.replace("hermes-shell-", "hermes-replay-")));
    await mkdir(join(temp, left.replace("hermes-shell-", "hermes-import-").replace(/\.[0-9a-f]{8}-/u, ".00000000-")));
    makeTempFolder(temp, "skills");
    await writeFile(join(locks, "gone.lock"), "");
    await writeFile(join(work, "notes"), "");
    using database = new DatabaseSync(join(home, "sessions.db"), { timeout: 5_000 });
    // The state after an interrupted `sessions delete --now`.
    database.exec("UPDATE sessions SET principal = '', id = 'erased:' || id, deleted_at = 0 WHERE pk = 1");
    const erasing = () => database.prepare("SELECT 1 FROM sessions WHERE principal = ''").all().length;
    assert.equal(erasing(), 1);

    const live = start();
    await eventually(async () => erasing() === 0 && !(await entries(locks)).includes("gone.lock"));
    await eventually(async () => (await entries(shells)).length === 1 && (await holders()).length === 1);
    const kept = [await entries(shells), await holders()];
    assert.ok(kept[0]?.[0]?.includes(`-${live.pid}.`), "the folder is not of the live process");

    await leave("agent");
    assert.equal((await runProgram(process.execPath, [bundle, "-z", "run `sleep 3`"], { cwd: work, env })).code, 0);
    assert.deepEqual([await entries(shells), await holders()], kept);
    assert.deepEqual(
      (await entries(temp)).map((name) => name.split("-", 2)[1] ?? "").toSorted(byText),
      ["import", "replay", "skills"],
      "another machine's, a link, and a live process's stay",
    );
    assert.deepEqual(await entries(work), ["notes"]);
  } finally {
    for (const child of started) child.kill("SIGKILL");
  }
});
