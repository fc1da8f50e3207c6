// `npm test`: every check and every test. Options narrow it to tests:
//   WORD…      test files whose path contains one of the words
//   --unit     without the integration tests
//   --changed  tests that the files changed since the last commit can break
//   --watch    runs the tests that a change reaches after each change, until Ctrl-C
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { root, setUp } from "./setup.mjs";
import { processesOf } from "./test-groups.ts";
import {
  changedFiles,
  isIntegration,
  parseTestOptions,
  readSources,
  selectTests,
  type TestOptions,
} from "./test-selection.ts";
import { timeReport } from "./test-times.ts";

/** A test that hangs fails with its name, after far longer than any takes on a busy machine. */
const maxTestMs = 1_200_000;

const options = parseTestOptions(process.argv.slice(2));
if (typeof options === "string") {
  console.error(options);
  process.exitCode = 2;
} else if (options.isWatch) await watchTests(options);
else process.exitCode = await runOnce(options);

async function runOnce(selected: TestOptions): Promise<number> {
  const isEverything = !selected.isUnit && !selected.isChanged && selected.words.length === 0;
  const files = selectTests(readSources(root), selected, selected.isChanged ? changedFiles(root) : undefined);
  if (files.length === 0 && selected.isChanged) {
    console.log("No test depends on the changed files.");
    return 0;
  }
  if (files.length === 0) {
    console.log(`No test file has ${selected.words.join(" or ")} in its path.`);
    return 1;
  }
  return withScratch((scratch) => runAll(isEverything, files, scratch));
}

/**
 * Runs the tests that depend on uncommitted changes, then after each change the tests that depend on it. Ends on
 * Ctrl-C.
 */
async function watchTests(selected: TestOptions): Promise<void> {
  let pending = new Set(changedFiles(root));
  let wake = (): void => {};
  for (const folder of ["src", "test", "bench", "scripts", "docs", "skills"])
    watch(join(root, folder), { recursive: true }, (_, name) => {
      if (name === null) return;
      pending.add(`${folder}/${name.replaceAll("\\", "/")}`);
      wake();
    });
  process.on("SIGINT", () => process.exit(0));
  for (;;) {
    const changed = [...pending];
    pending = new Set();
    const files = selectTests(readSources(root), selected, changed);
    if (files.length > 0) {
      // Integration tests start the built program.
      if (files.some(isIntegration)) await setUp();
      await withScratch((scratch) => runAll(false, files, scratch));
    }
    console.log("Waiting for changes. Ctrl-C ends.");
    while (pending.size === 0) await new Promise<void>((resolve) => (wake = resolve));
    // Waits a moment after a change, because editors write a file in several steps.
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

async function withScratch(run: (scratch: string) => Promise<number>): Promise<number> {
  const scratch = mkdtempSync(join(tmpdir(), "hermes-test-"));
  const remove = (): void => rmSync(scratch, { recursive: true, force: true });
  // Ctrl-C in watch mode ends the process in the middle of a run.
  process.once("exit", remove);
  try {
    return await run(scratch);
  } finally {
    process.off("exit", remove);
    remove();
  }
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  failures: string[];
  timesMs: Record<string, number>;
}

async function runAll(withChecks: boolean, files: readonly string[], scratch: string): Promise<number> {
  const startedAt = Date.now();
  const total: Tally = { passed: 0, failed: 0, skipped: 0, failures: [], timesMs: {} };
  const testJob = (title: string, tests: readonly string[]): Job => {
    const run = testRun(tests, join(scratch, `${title.replaceAll(/\W/gu, "-")}.json`));
    return {
      title,
      run: async () => {
        const ok = await runProgram({ ...run, scratch });
        // A file that ends without a result failed before its first test.
        return addTally(total, run.tallyFile) && ok;
      },
    };
  };
  // Unit tests share a few processes: one per core, because each loads all sources, and without integration tests two,
  // because some wait for the disk.
  const unit = files.filter((file) => !isIntegration(file));
  const perCore = unit.length < files.length ? 1 : 2;
  const shards = Math.min(availableParallelism() * perCore, Math.ceil(unit.length / 40));
  const failures = await runJobs([
    ...(withChecks ? [checkJob(scratch)] : []),
    ...shardsOf(unit, shards).map((shard, index) => testJob(`unit tests ${index + 1} of ${shards}`, shard)),
    ...processesOf(files.filter(isIntegration)).map(([first = "", ...others]) =>
      testJob(others.length === 0 ? first : `${first} and ${others.length} more`, [first, ...others]),
    ),
  ]);

  const duration = `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  console.log(`\n${timeReport(total.timesMs).join("\n")}`);
  for (const failure of total.failures) console.log(`FAILED ${failure}`);
  console.log(
    failures.length === 0 ? `\nAll passed in ${duration}.` : `\nFailed: ${failures.join(", ")} (${duration}).`,
  );
  // A failed check that is not a test is counted too, so that the summary does not say "0 failed".
  const failed = Math.max(total.failed, failures.length);
  console.log(`tests: ${total.passed} passed, ${failed} failed${total.skipped ? `, ${total.skipped} skipped` : ""}`);
  return failures.length === 0 && total.passed > 0 ? 0 : 1;
}

/** Distributes the files in turn, so that a slow folder is spread over all shards. */
function shardsOf(files: readonly string[], count: number): readonly (readonly string[])[] {
  return Array.from({ length: count }, (_, shard) => files.filter((_file, index) => index % count === shard));
}

/** Part of a run. Its output is printed when it ends. */
interface Job {
  readonly title: string;
  /** True: passed. */
  run(): Promise<boolean>;
}

/** Runs jobs in order, several at the same time; returns the titles of those that failed. */
async function runJobs(jobs: readonly Job[]): Promise<readonly string[]> {
  const waiting = [...jobs];
  const failures: string[] = [];
  const work = async (): Promise<void> => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const startedAt = Date.now();
      const ok = await job.run();
      if (!ok) failures.push(job.title);
      console.log(`── ${job.title}: ${ok ? "ok" : "FAILED"} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
    }
  };
  // Integration tests wait for programs and the disk, so more run than there are cores. Eight on two cores were not faster.
  await Promise.all(Array.from({ length: availableParallelism() + 4 }, work));
  return failures;
}

/** One check after another: together they would need several gigabytes. */
function checkJob(scratch: string): Job {
  const checks = [
    ["oxfmt", "--check", "."],
    // With the compiler's own diagnostics, so that the types are checked once.
    ["oxlint", "--type-aware", "--type-check", "--deny-warnings"],
    ["knip", "--no-progress"],
  ] as const;
  // The type checker is a Go program. If it collects garbage less often, it needs a tenth less processor time.
  const env = { GOGC: "400" };
  return {
    title: "format, lint, types, dead code",
    async run() {
      let ok = true;
      for (const [tool, ...args] of checks)
        ok = (await runProgram({ command: join(root, "node_modules", ".bin", tool), args, scratch, env })) && ok;
      return ok;
    },
  };
}

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly scratch: string;
  readonly env?: NodeJS.ProcessEnv;
}

function testRun(files: readonly string[], tallyFile: string) {
  const args = [
    // A young generation that starts large is collected less often, which saves a tenth of the processor time.
    "--min-semi-space-size=16",
    "--import",
    join(root, "test", "support", "same-cases.mjs"),
    `--test-timeout=${maxTestMs}`,
    "--test-reporter=spec",
    "--test-reporter-destination=stdout",
    `--test-reporter=${join(root, "scripts", "tally-reporter.mjs")}`,
    `--test-reporter-destination=${tallyFile}`,
    join(root, "scripts", "run-test-files.mjs"),
    ...files,
  ];
  return { command: process.execPath, args, tallyFile };
}

function addTally(total: Tally, tallyFile: string): boolean {
  try {
    const tally: Tally = JSON.parse(readFileSync(tallyFile, "utf8"));
    total.passed += tally.passed;
    total.failed += tally.failed;
    total.skipped += tally.skipped;
    total.failures.push(...tally.failures);
    for (const [file, ms] of Object.entries(tally.timesMs)) total.timesMs[file] = (total.timesMs[file] ?? 0) + ms;
    return true;
  } catch {
    return false;
  }
}

/** Returns true if the program exits with 0. Tests never see the user's home. */
function runProgram({ command, args, scratch, env: more }: Run): Promise<boolean> {
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HERMES_HOME: join(scratch, "home"),
    ...more,
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  };
  for (const name of ["NODE_TEST_CONTEXT", "HERMES_DEBUG", "FORCE_COLOR"]) delete env[name];
  return new Promise((resolve) => {
    // A file whose tests are over, but which does not end, fails too.
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "pipe", "pipe"], env, timeout: 2 * maxTestMs });
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk) => output.push(chunk));
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(false);
    });
    child.on("close", (code) => {
      process.stdout.write(Buffer.concat(output));
      resolve(code === 0);
    });
  });
}
