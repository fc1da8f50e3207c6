// `npm run bench -- NAME…`: runs bench/NAME.ts and prints one JSON line per measurement. Without a name: all of them.
import { spawnSync } from "node:child_process";
import { globSync } from "node:fs";
import { basename, join } from "node:path";

import { nodeFlags, root } from "./setup.mjs";

const benches = globSync("bench/*.ts", { cwd: root })
  .map((file) => basename(file, ".ts"))
  .toSorted();
const names = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknown = names.filter((name) => !benches.includes(name));
if (unknown.length > 0) {
  console.error(`There is no bench ${unknown.join(", ")}. There are: ${benches.join(", ")}.`);
  process.exit(2);
}
let failed = false;
for (const name of names.length > 0 ? names : benches) {
  const { status } = spawnSync(
    process.execPath,
    [
      ...nodeFlags,
      "--expose-gc",
      join(root, "bench", `${name}.ts`),
      ...process.argv.slice(2).filter((word) => word.startsWith("-")),
    ],
    {
      cwd: root,
      stdio: "inherit",
    },
  );
  failed ||= status !== 0;
}
process.exit(failed ? 1 : 0);
