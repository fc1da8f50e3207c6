// covers: src/plugins, src/runtime/plugins, src/environments/sandbox-gate.ts
import assert from "node:assert/strict";
import { cpSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { valueOr } from "../../src/base/result.ts";
import { confinedPlugin } from "../support/confined-plugin.ts";

test("if a folder is swapped during the mount, the sandbox detects it and the process does not start", async () => {
  let plugin = "";
  const roots: string[] = [];
  await using rig = await confinedPlugin({
    language: "python",
    watchFiles() {
      const planted = `${plugin}-planted`;
      cpSync(plugin, planted, { recursive: true });
      writeFileSync(join(planted, "__init__.py"), "planted = 1\n");
      renameSync(plugin, `${plugin}-aside`);
      renameSync(planted, plugin);
      return (root) => {
        // The files are checked again if the sandbox has another root meanwhile.
        if (roots.length === 0) {
          renameSync(plugin, planted);
          renameSync(`${plugin}-aside`, plugin);
        }
        roots.push(root);
        // The sandbox may change its root just now; then the file cannot be read, which is a fault too.
        const file = join(root, root === "" ? planted : plugin, "__init__.py");
        const isPlanted = valueOr(() => readFileSync(file, "utf8").includes("planted"), true);
        return isPlanted ? "its files changed while it started." : undefined;
      };
    },
  });
  plugin = join(rig.home, "plugins/sample");
  assert.match(await rig.run("result = 1"), /cannot start: its files changed while it started\./u);
  assert.ok(roots.length >= 1);
});
