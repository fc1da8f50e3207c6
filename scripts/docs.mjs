import { spawnSync } from "node:child_process";
// `npm run docs`: writes the generated references. A test fails when they are stale.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { root, setUp, pinnedNode } from "./setup.mjs";

if (Number(process.versions.node.split(".")[0]) < 24) {
  await setUp();
  process.exit(spawnSync(pinnedNode(), process.argv.slice(1), { stdio: "inherit" }).status ?? 1);
}
const { references } = await import("./references.ts");
for (const [file, text] of Object.entries(await references())) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  console.log(file);
}
