// `npm test`: everything that must hold, in one command. `npm test -- WORD…` runs only test files whose path has a WORD.
import { spawn } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { root } from "./setup.mjs";

process.exitCode = await runEverything(process.argv.slice(2));

async function runEverything(words: readonly string[]): Promise<number> {
  const startedAt = Date.now();
  const scratch = mkdtempSync(join(tmpdir(), "hermes-test-"));
  const chosen = (pattern: string) =>
    globSync(pattern, { cwd: root })
      .filter((file) => words.length === 0 || words.some((word) => file.includes(word)))
      .toSorted();
  const failures: string[] = [];
  const counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    if (words.length === 0) {
      for (const check of [
        ["format", "oxfmt", "--check", "."],
        ["lint", "oxlint", "--type-aware", "--deny-warnings"],
        ["types", "tsc", "-p", "."],
        ["dead code", "knip", "--no-progress"],
      ] as const) {
        const [title, tool, ...args] = check;
        if (!(await step(title, join(root, "node_modules", ".bin", tool), args, scratch))) failures.push(title);
      }
    }
    if (words.length > 0 && chosen("{src,test}/**/*.test.ts").length === 0) {
      console.log(`No test file has ${words.join(" or ")} in its path.`);
      return 1;
    }
    // Unit tests share one process; whatever starts programs of its own has a file, and a process, to itself.
    const unit = [...chosen("src/**/*.test.ts"), ...chosen("test/*.test.ts")];
    const integration = chosen("test/integration/**/*.test.ts");
    for (const [title, files, isolation] of [
      ["unit tests", unit, "none"],
      ["integration tests", integration, "process"],
    ] as const) {
      if (files.length === 0) continue;
      const tally = join(scratch, `${isolation}.json`);
      const args = [
        "--import",
        join(root, "test", "support", "same-cases.ts"),
        "--test",
        `--test-isolation=${isolation}`,
        // They wait for programs more than they work.
        "--test-concurrency=2",
        "--test-reporter=spec",
        "--test-reporter-destination=stdout",
        `--test-reporter=${join(root, "scripts", "tally-reporter.mjs")}`,
        `--test-reporter-destination=${tally}`,
        ...files,
      ];
      if (!(await step(title, process.execPath, args, scratch))) failures.push(title);
      try {
        const { passed, failed, skipped } = JSON.parse(readFileSync(tally, "utf8"));
        counts.passed += passed;
        counts.failed += failed;
        counts.skipped += skipped;
      } catch {
        failures.push(`${title} (ended without a count)`);
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  const took = `${((Date.now() - startedAt) / 1000).toFixed(0)} s`;
  console.log(
    failures.length === 0 ? `\nEverything holds, in ${took}.` : `\nFailed: ${failures.join(", ")} (${took}).`,
  );
  // A failed check that is no test must not read as a clean count.
  const failed = Math.max(counts.failed, failures.length);
  console.log(`tests: ${counts.passed} passed, ${failed} failed${counts.skipped ? `, ${counts.skipped} skipped` : ""}`);
  return failures.length === 0 && counts.passed > 0 ? 0 : 1;
}

/** Runs one program; true when it exits with 0. Tests never see the user's own home. */
function step(title: string, command: string, args: readonly string[], scratch: string): Promise<boolean> {
  const startedAt = Date.now();
  console.log(`── ${title}`);
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    HERMES_HOME: join(scratch, "home"),
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
  };
  for (const name of ["NODE_TEST_CONTEXT", "HERMES_DEBUG", "FORCE_COLOR"]) delete env[name];
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: ["ignore", "inherit", "inherit"], env });
    child.on("error", (error) => {
      console.error(`${command}: ${error.message}`);
      resolve(false);
    });
    child.on("exit", (code) => {
      console.log(`   ${code === 0 ? "ok" : "FAILED"} (${((Date.now() - startedAt) / 1000).toFixed(1)} s)`);
      resolve(code === 0);
    });
  });
}
