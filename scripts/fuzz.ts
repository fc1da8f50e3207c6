/**
 * `npm run fuzz [-- [--minutes N] [WORD…]]`: runs the property tests with many more and always new cases, file by file
 * in a loop, until the time is over (default: 10 minutes), and tests that are reduced in `npm test` in full size
 * (`test/support/test-size.ts`). WORD: only files whose path contains it. Tests of the command analysis come first and
 * get most of the cases. A file that takes far too long counts as a hang.
 *
 * `npm run fuzz -- verdict [--minutes N] [--seed N | --continue]`: random scripts run in a sandbox, and the analysis of
 * commands must foresee every program that ran and every file that changed, or say that it cannot. The corpus and the next
 * seed are kept below `node_modules/.cache`; `--continue` resumes from there.
 */
import { spawnSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";

import { fuzzVerdict } from "./fuzz-verdict.ts";
import { root } from "./setup.mjs";

const { values, positionals: words } = parseArgs({
  options: {
    minutes: { type: "string", default: "10" },
    seed: { type: "string" },
    continue: { type: "boolean", default: false },
  },
  allowPositionals: true,
});
const limitMs = Number(values.minutes) * 60_000;
if (!(limitMs > 0)) throw new Error(`--minutes must be a number above 0, not ${values.minutes}`);

if (words[0] === "verdict") {
  const isForeseen = await fuzzVerdict({
    limitMs,
    ...(values.seed !== undefined && { seed: Number(values.seed) }),
    isContinued: values.continue,
    corpusFile: join(root, "node_modules", ".cache", "fuzz", "verdict.json"),
    write: (line) => process.stdout.write(`${line}\n`),
  });
  process.exit(isForeseen ? 0 : 1);
}

const testFiles = globSync("{src,test}/**/*.test.ts", { cwd: root })
  .filter((file) => readFileSync(join(root, file), "utf8").match(/fast-check|testSize/u))
  .filter((file) => words.length === 0 || words.some((word) => file.includes(word)));
const isCentral = (file: string) => /safety\/(?:command|code)|command-equivalence/u.test(file);
const files = [...testFiles.filter(isCentral), ...testFiles.filter((file) => !isCentral(file))];
if (files.length === 0) throw new Error(`no property test has ${words.join(" or ")} in its path`);

/** Time limit per file, longer than any file takes even on a busy machine. */
const hangMs = 10 * 60_000;
const startedAt = performance.now();
const failed: string[] = [];
let ran = 0;
for (let round = 1; performance.now() - startedAt < limitMs; round++) {
  for (const file of files) {
    if (performance.now() - startedAt >= limitMs) break;
    const fileAt = performance.now();
    const runs = isCentral(file) ? 500 * Math.min(round, 4) : 300;
    const { status, stdout, stderr, error } = spawnSync(
      process.execPath,
      ["--import", join(root, "test", "support", "more-cases.ts"), "--test", "--test-isolation=none", file],
      { cwd: root, encoding: "utf8", timeout: hangMs, env: { ...process.env, FUZZ_RUNS: String(runs) } },
    );
    ran += 1;
    const seconds = ((performance.now() - fileAt) / 1000).toFixed(1);
    const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1);
    const isFine = status === 0 && error === undefined;
    const how = isFine ? "ok" : error ? `does not end: ${error.message}` : "FAILED";
    process.stdout.write(`${minutes} min  round ${round}  ${file}  ${runs} cases each, ${seconds} s  ${how}\n`);
    if (isFine) continue;
    failed.push(file);
    process.stdout.write(`${stdout}\n${stderr}\n`);
  }
}
const summary = failed.length === 0 ? "no failures" : `failed: ${[...new Set(failed)].join(", ")}`;
process.stdout.write(`${ran} runs of ${files.length} files: ${summary}\n`);
process.exit(failed.length === 0 ? 0 : 1);
