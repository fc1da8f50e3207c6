// `npm run fuzz [-- RUNS [WORD…]]`: every property test with many more cases (default 5,000 each; `npm test` runs the usual 100).
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { root } from "./setup.mjs";

const [runs = "5000", ...words] = process.argv.slice(2);
const files = globSync("{src,test}/**/*.test.ts", { cwd: root })
  .filter((file) => readFileSync(join(root, file), "utf8").includes("fast-check"))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
const { status } = spawnSync(
  process.execPath,
  ["--import", join(root, "test", "support", "more-cases.ts"), "--test", "--test-isolation=none", ...files],
  {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, FUZZ_RUNS: runs },
  },
);
process.exit(status ?? 1);
