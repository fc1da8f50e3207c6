// covers: bench
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";

import { nodeFlags } from "../../scripts/setup.mjs";
import { sourceFlags } from "../support/child-process.ts";
import { runProgram } from "../support/run-program.ts";

const root = join(import.meta.dirname, "..", "..");

/** These benches report bytes and calls, which a busy machine does not change. */
const counted = new Set(["prompt", "code-savings"]);

/** A short run of every bench: the figures of a busy machine prove nothing, so only those that cannot be noise are held to their limit. */
describe("benches", { concurrency: 3 }, () => {
  for (const file of globSync("bench/*.ts", { cwd: root })) {
    const name = basename(file, ".ts");
    test(`the bench ${name} runs and prints one JSON line per measurement`, () => runsAndPrints(file, name));
  }
});

async function runsAndPrints(file: string, name: string): Promise<void> {
  const ran = await runProgram(
    process.execPath,
    [...nodeFlags, ...sourceFlags, "--expose-gc", join(root, file), "--quick"],
    {
      cwd: root,
      timeoutMs: 300_000,
    },
  );
  assert.equal(ran.code, 0, ran.stderr);
  const lines = ran.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.ok(lines.length > 0);
  for (const line of lines) {
    assert.equal(line.bench, name);
    assert.equal(typeof line.what, "string");
    assert.equal(typeof (line.skipped ?? line.holds), "skipped" in line ? "string" : "boolean");
    if (counted.has(name)) assert.ok(line.holds, JSON.stringify(line));
    if ("heapRatio" in line) assert.ok(line.heapRatio <= 1.2, "memory grows with the number of calls");
  }
}
