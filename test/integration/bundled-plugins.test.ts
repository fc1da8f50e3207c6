// covers: plugins, src/plugins
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { talking } from "../support/talking-program.ts";

test("the bundled plugins write spans, and remove and restore the agent's scratch files", async () => {
  const write = (path: string) => ({ calls: [{ name: "write_file", args: { path, content: "x" } }] });
  await using at = await talking([write("tmp_new.txt"), write("kept.txt"), { text: "Done." }, { text: "Done." }]);
  await writeFile(join(at.work, "tmp_own.txt"), "mine");
  for (const name of ["trace-export", "disk-cleanup"]) {
    const enabled = await at.run(["plugins", "enable", name, "--yes"]);
    assert.equal(enabled.code, 0, enabled.stderr);
  }
  const turn = await at.run(["-z", "write two files"]);
  assert.equal(turn.stdout, "Done.\n", turn.stderr);

  const folder = join(at.env.HERMES_HOME, "plugin-data", "trace-export", "traces");
  const [file = ""] = await readdir(folder);
  const spans = (await readFile(join(folder, file), "utf8"))
    .trim()
    .split("\n")
    .map((line): Record<string, unknown> => JSON.parse(line));
  const names = spans.map(({ name }) => name);
  assert.deepEqual(names.filter((name) => name === "execute_tool write_file").length, 2);
  assert.equal(names.at(-1), "invoke_agent hermes");
  assert.equal(new Set(spans.map(({ traceId }) => traceId)).size, 1, "one trace per turn");
  assert.doesNotMatch(JSON.stringify(spans), /tmp_new/u, "contents are left out by default");

  const left = await readdir(at.work);
  assert.ok(!left.includes("tmp_new.txt") && left.includes("kept.txt") && left.includes("tmp_own.txt"));
  const restored = await at.run([], "/disk-cleanup restore\n");
  assert.match(restored.stdout, /tmp_new\.txt/u, restored.stderr);
  assert.ok(existsSync(join(at.work, "tmp_new.txt")));
});
