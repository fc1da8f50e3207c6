// covers: src/base/files, src/environments/local, src/store, src/runtime
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
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
  const start = () =>
    spawn(process.execPath, [bundle, "-z", "run `sleep 15`"], {
      cwd: work,
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
  const locks = join(home, "session-locks");
  const shells = join(home, `hermes-shells-${process.getuid?.() ?? 0}`);
  const entries = (path: string) => readdir(path).catch((): string[] => []);
  const holders = async () => (await entries(locks)).filter((name) => name.endsWith(".holder"));

  const killed = start();
  await eventually(async () => (await entries(shells)).length === 1 && (await holders()).length === 1);
  killed.kill("SIGKILL");
  await once(killed, "exit");
  const live = start();
  await eventually(async () => (await entries(shells)).length === 2 && (await holders()).length === 2);
  const left = (await entries(shells)).find((name) => name.includes(`-${killed.pid}.`)) ?? "";
  const kept = (await entries(shells)).find((name) => name.includes(`-${live.pid}.`)) ?? "";
  const named = (name: string) => left.replace("hermes-shell-", `hermes-${name}-`);
  await mkdir(join(temp, named("agent")));
  await writeFile(join(temp, named("agent"), "file"), "");
  await symlink(work, join(temp, named("replay")));
  await mkdir(join(temp, named("import").replace(/\.[0-9a-f]{8}-/u, ".00000000-")));
  makeTempFolder(temp, "skills");
  await writeFile(join(locks, "gone.lock"), "");
  await writeFile(join(work, "notes"), "");

  const database = new DatabaseSync(join(home, "sessions.db"), { timeout: 5_000 });
  const erasing = () =>
    Number(database.prepare("SELECT count(*) AS c FROM sessions WHERE principal = ''").get()?.["c"]);
  // The state after an interrupted `sessions delete --now`.
  database.exec("UPDATE sessions SET principal = '', id = 'erased:' || id, deleted_at = 0 WHERE pk = 1");

  assert.equal(erasing(), 1);
  assert.equal((await runProgram(process.execPath, [bundle, "-z", "hello"], { cwd: work, env })).code, 0);
  assert.equal(erasing(), 0);
  database.close();
  assert.deepEqual(await entries(shells), [kept]);
  assert.equal((await holders()).length, 1);
  assert.ok(!(await entries(locks)).includes("gone.lock"));
  assert.deepEqual(
    (await entries(temp)).map((name) => name.split("-", 2)[1] ?? "").toSorted(byText),
    ["import", "replay", "skills"],
    "another machine's, a link, and a live process's stay",
  );
  assert.deepEqual(await entries(work), ["notes"]);
  live.kill("SIGKILL");
  await once(live, "exit");
});
