// `npm run docs`: writes the generated references. A test fails when they are stale.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { references } from "./references.ts";
import { root } from "./setup.mjs";

for (const [file, text] of Object.entries(await references())) {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), text);
  console.log(file);
}
