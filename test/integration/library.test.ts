// covers: src/index.ts, src/runtime, docs/guide
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");
const entry = pathToFileURL(join(root, "src", "index.ts")).href;

test("the example of the library guide runs as written, and its process exits", async () => {
  const guide = await readFile(join(root, "docs", "guide", "library.md"), "utf8");
  const example = /```ts\n([\s\S]*?)```/u.exec(guide)?.[1] ?? "";
  await using folder = await tempHome();
  const work = join(folder.path, "work");
  await mkdir(work);
  await writeFile(join(work, "notes.txt"), "hello");
  await writeFile(join(folder.path, "example.ts"), example.replace('"hermes-agent-ts"', JSON.stringify(entry)));
  await writeFile(join(folder.path, "package.json"), '{"type":"module"}');
  const env = { HERMES_HOME: join(folder.path, "home"), HOME: folder.path };
  const ran = await runProgram(process.execPath, [join(folder.path, "example.ts")], { cwd: work, env });
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /notes\.txt[\s\S]*\nanswered: \d+ characters, \d+ tokens\n$/u);
  assert.match(ran.stderr, /: ok\n/u);
});
