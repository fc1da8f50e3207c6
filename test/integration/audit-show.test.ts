// covers: src/operations/safety, src/safety/audit
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

test("audit show names the command of each session's call, even if the sessions are damaged", async () => {
  await using folder = await tempHome();
  const [home, work] = [join(folder.path, "home"), join(folder.path, "work")];
  await mkdir(work);
  const hermes = (...args: readonly string[]) =>
    runProgram(process.execPath, [bundle, ...args], { cwd: work, env: { HERMES_HOME: home, HOME: folder.path } });
  // The built-in model numbers the calls of each session from one.
  await hermes("-z", "run echo first");
  await hermes("-z", "run echo second; exit 3");
  const shown = await hermes("audit", "show");
  assert.deepEqual(shown.stdout.match(/echo \w+/gu), ["echo first", "echo first", "echo second", "echo second"]);
  assert.deepEqual(shown.stdout.match(/effect +terminal +.*/gu), [
    "effect    terminal  ok      echo first",
    "effect    terminal  exit 3  echo second; exit 3",
  ]);

  await writeFile(join(home, "sessions.db"), "this is not a store");
  const damaged = await hermes("audit", "show");
  assert.equal(damaged.code, 0, damaged.stderr);
  assert.match(damaged.stdout, /decision +terminal +allow/u);
  assert.doesNotMatch(damaged.stdout, /echo/u);
  assert.match(damaged.stderr, /sessions cannot be read/u);
});
