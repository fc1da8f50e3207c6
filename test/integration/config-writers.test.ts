// covers: src/config
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { parse } from "yaml";

import { inChild, runAll } from "../support/child-process.ts";
import { tempHome } from "../support/temp-home.ts";

const source = join(import.meta.dirname, "..", "..", "src");

test("eight concurrent writers lose no setting", async () => {
  await using home = await tempHome();
  const file = join(home.path, "config.yaml");
  const before = "# mine\nlogging: {level: debug} # keep\n";
  await writeFile(file, before);
  const code = `
    import { systemClock } from "./base/clock.ts";
    import { setKey } from "./config/write.ts";
    const [path, name] = process.argv.slice(1);
    const options = { signal: new AbortController().signal, clock: systemClock, force: false };
    for (let i = 0; i < 3; i++) {
      const done = await setKey({ path, root: path, profile: "default" }, "custom_toolsets." + name + i, "[web]", options);
      if (!done.ok) throw new Error(JSON.stringify(done.error));
    }`;
  const children = Array.from({ length: 8 }, (_, index) => inChild(source, code, [home.path, `p${index}_`]));
  await runAll(children, async () => {
    for (const { code: exit } of await Promise.all(children.map((child) => child.ended))) assert.equal(exit, 0);
  });
  const text = await readFile(file, "utf8");
  assert.ok(text.startsWith(before));
  assert.equal(Object.keys(parse(text).custom_toolsets).length, 24);
});
