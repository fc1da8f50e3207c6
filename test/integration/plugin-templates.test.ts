// covers: src/plugins/templates, src/plugin.ts, src/contracts/plugin
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { readPlugin } from "../../src/plugins/find/read-plugin.ts";
import { authorTypesFile } from "../../src/plugins/sources/runner-files.ts";
import { pluginTemplate } from "../../src/plugins/templates/plugin-template.ts";
import { load, start, toolText } from "../support/node-plugin.ts";
import { pluginMistakes } from "../support/plugin-mistakes.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

function write(folder: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return folder;
}

function run(cwd: string, program: string, args: readonly string[]): string {
  // The compiler is a Go program. If it collects garbage less often, it needs less processor time.
  const env = { PATH: "/usr/bin:/bin", PYTHONDONTWRITEBYTECODE: "1", GOGC: "400" };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env, encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, `${stdout}${stderr}`);
  return stdout + stderr;
}

const tsc = join(root, "node_modules", "typescript", "bin", "tsc");

test("a new TypeScript plugin passes its test, loads, and has types", async () => {
  await using home = await tempHome();
  assert.ok(existsSync(authorTypesFile()));
  symlinkSync(join(root, "node_modules"), join(home.path, "node_modules"));
  const files = pluginTemplate({ name: "My.first-plugin", language: "typescript", typesFile: authorTypesFile() });
  const folder = write(join(home.path, "plugin"), files);
  assert.match(run(folder, process.execPath, ["--test"]), /pass 2/u);
  // The types of the package report the same mistakes: see package.test.ts.
  writeFileSync(join(folder, "mistakes.ts"), pluginMistakes);
  run(folder, process.execPath, [tsc, "-p", "."]);

  const plugin = await readPlugin(folder, "home", ({ name }) => name);
  assert.ok(plugin.ok && plugin.value, JSON.stringify(plugin));
  const { manifest, entry } = plugin.value;
  assert.deepEqual(
    [manifest.name, manifest.version, manifest.kind, entry],
    ["My.first-plugin", "0.1.0", "standalone", join(folder, "index.ts")],
  );

  const { "index.ts": code = "", ...others } = files;
  await using rig = await start(code, { files: others });
  const { tools, hooks, warnings } = await load(rig);
  assert.deepEqual(
    [tools.map(({ name }) => name), hooks.map(({ hook }) => hook), warnings],
    [["my_first_plugin_greet"], ["afterToolCall"], []],
  );
  assert.equal(await toolText(rig, "my_first_plugin_greet", { name: "Anna" }), "Hello, Anna!");
  assert.match(
    await toolText(rig, "my_first_plugin_greet", { name: "" }),
    /^failed: .*name is empty.*\(greet\.ts:6\)$/u,
  );
});

test("a new Python plugin passes its test and is discovered", async () => {
  await using home = await tempHome();
  const folder = write(join(home.path, "plugin"), pluginTemplate({ name: "my-notes", language: "python" }));
  assert.match(run(folder, "/usr/bin/python3", ["-m", "unittest"]), /Ran 2 tests[\s\S]*OK/u);
  const plugin = await readPlugin(folder, "home", ({ name }) => name);
  assert.ok(plugin.ok && plugin.value, JSON.stringify(plugin));
  assert.deepEqual([plugin.value.language, plugin.value.manifest.name], ["python", "my-notes"]);
});
