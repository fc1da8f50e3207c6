// covers: bench
import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, test } from "node:test";

import { nodeFlags } from "../../scripts/setup.mjs";
import { sourceFlags } from "../support/child-process.ts";
import { type Ran, runProgram } from "../support/run-program.ts";

const root = join(import.meta.dirname, "..", "..");

/** These benches report bytes and calls, which a busy machine does not change. */
const counted = new Set(["prompt", "code-savings"]);

/** The benches of a line share a process: they change nothing in it, do not measure it, and do not end it. */
const sharing = [
  "check-commands check-text policy search tool-search terminal-output documents",
  "catalog code-rpc code-savings delegate prompt",
  "checkpoint containers drift edit isolation processes search-files",
  "code-start interrupt stream terminal tool-turn",
  "oneshot startup tui-latency tui-memory tui-start",
].map((line) => line.split(" "));

/** A short run of every bench: the figures of a busy machine prove nothing, so only those that cannot be noise are held to their limit. */
describe("benches", { concurrency: 3 }, () => {
  const names = globSync("bench/*.ts", { cwd: root }).map((file) => basename(file, ".ts"));
  for (const group of sharing) {
    const runner = join(root, "test", "support", "run-benches.mjs");
    let ran: Promise<Ran> | undefined;
    for (const name of group)
      test(titleOf(name), async () => {
        ran ??= runQuick([runner, ...group.map(fileOf)]);
        await printsLines(name, ran, group);
      });
  }
  for (const name of names.filter((each) => !sharing.flat().includes(each)))
    test(titleOf(name), () => printsLines(name, runQuick([...nodeFlags, fileOf(name), "--quick"]), [name]));

  test("benches that share a process exist", () =>
    assert.deepEqual(
      sharing.flat().filter((name) => !names.includes(name)),
      [],
    ));
});

function titleOf(name: string): string {
  return `the bench ${name} runs and prints one JSON line per measurement`;
}

function fileOf(name: string): string {
  return join(root, "bench", `${name}.ts`);
}

function runQuick(args: readonly string[]): Promise<Ran> {
  return runProgram(process.execPath, [...sourceFlags, "--expose-gc", ...args], { cwd: root, timeoutMs: 300_000 });
}

async function printsLines(name: string, running: Promise<Ran>, group: readonly string[]): Promise<void> {
  const { code, stdout, stderr } = await running;
  assert.equal(code, 0, stderr);
  const all = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    all.filter((line) => !group.includes(line.bench)),
    [],
  );
  const lines = all.filter((line) => line.bench === name);
  assert.ok(lines.length > 0);
  for (const line of lines) {
    assert.equal(typeof line.what, "string");
    assert.equal(typeof (line.skipped ?? line.holds), "skipped" in line ? "string" : "boolean");
    if (counted.has(name)) assert.ok(line.holds, JSON.stringify(line));
    if ("heapRatio" in line) assert.ok(line.heapRatio <= 1.2, "memory grows with the number of calls");
  }
}
