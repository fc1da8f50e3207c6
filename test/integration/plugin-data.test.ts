// covers: src/plugins/process, src/runtime/plugins
import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { confinedPlugin } from "../support/confined-plugin.ts";

test("a plugin that fills its data folder is stopped, and works again after the folder is emptied", async () => {
  await using rig = await confinedPlugin({ language: "python", settings: { plugins: { max_data_mb: 2 } } });
  const folder = join(rig.home, "plugin-data/sample");
  const write = (megabytes: number) =>
    `import time\nopen(${JSON.stringify(join(folder, "big"))}, "wb").write(b"x" * ${megabytes} * 2 ** 20)\n`;
  assert.match(await rig.run(`${write(1)}time.sleep(2.5)\nresult = "small"`), /small/u);
  const ended =
    /^crashed: .*keeps more than 2 MB in .*plugin-data\/sample and its temporary files \(plugins\.max_data_mb\)/u;
  assert.match(await rig.run(`${write(4)}time.sleep(60)`), ended);
  rmSync(join(folder, "big"));
  assert.match(await rig.run(`result = "works"`), /works/u);
});
