// covers: test/integration
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { processesOf, sharingFiles } from "../scripts/test-groups.ts";
import {
  coveredPaths,
  isIntegration,
  parseTestOptions,
  reachedTests,
  readSources,
  selectTests,
} from "../scripts/test-selection.ts";
import { slowestFiles, slowestFirst, timeReport } from "../scripts/test-times.ts";

const root = join(import.meta.dirname, "..");

const sources = [
  { file: "src/base/text.ts", text: "export const a = 1;" },
  { file: "src/base/text.test.ts", text: 'import { a } from "./text.ts";' },
  { file: "src/kernel/turn.ts", text: 'import { a } from "../base/text.ts";' },
  { file: "src/kernel/turn.test.ts", text: 'import { turn } from "./turn.ts";' },
  { file: "src/kernel/lazy.test.ts", text: 'const turn = await import("./turn.ts");' },
  { file: "src/store/store.ts", text: 'import type { a } from "../base/text.ts";' },
  { file: "src/store/store.test.ts", text: 'import { store } from "./store.ts";' },
  { file: "test/integration/chat.test.ts", text: '// covers: src/kernel, skills\nimport {} from "node:fs";' },
  { file: "test/integration/store.test.ts", text: "// covers: src/store\n" },
];

test("a change selects the tests that import the file, directly or indirectly, and the tests that cover its folder", () => {
  assert.deepEqual(
    [...reachedTests(sources, ["src/base/text.ts"])],
    ["src/base/text.test.ts", "src/kernel/turn.test.ts", "src/kernel/lazy.test.ts"],
  );
  assert.deepEqual(
    [...reachedTests(sources, ["src/kernel/turn.ts"])],
    ["src/kernel/turn.test.ts", "src/kernel/lazy.test.ts", "test/integration/chat.test.ts"],
  );
  assert.deepEqual([...reachedTests(sources, ["skills/git/SKILL.md"])], ["test/integration/chat.test.ts"]);
  assert.deepEqual(
    [...reachedTests(sources, ["src/store/store.test.ts"])],
    ["src/store/store.test.ts", "test/integration/store.test.ts"],
  );
  assert.deepEqual([...reachedTests(sources, ["docs/guide/chat.md"])], []);
});

test("a change of the dependencies selects every test", () => {
  assert.equal(reachedTests(sources, ["package-lock.json"]).size, 6);
});

test("options and words narrow the selection together", () => {
  const select = (args: readonly string[], changed?: readonly string[]) => {
    const options = parseTestOptions(args);
    assert.notEqual(typeof options, "string");
    return typeof options === "string" ? [] : selectTests(sources, options, changed);
  };
  assert.equal(select([]).length, 6);
  assert.deepEqual(select(["store"]), ["src/store/store.test.ts", "test/integration/store.test.ts"]);
  assert.deepEqual(select(["--unit", "store"]), ["src/store/store.test.ts"]);
  assert.deepEqual(select(["--unit", "--changed"], ["src/kernel/turn.ts"]), [
    "src/kernel/lazy.test.ts",
    "src/kernel/turn.test.ts",
  ]);
  assert.deepEqual(select(["nothing-has-this"]), []);
});

test("an unknown option is refused with the options that exist", () => {
  assert.equal(
    parseTestOptions(["--unti"]),
    "Unknown option --unti. Options: --unit, --changed, --watch, and words of test paths.",
  );
});

test("every integration test declares paths that it covers, and they exist", () => {
  const declared = readSources(root).filter(({ file }) => isIntegration(file) && file.endsWith(".test.ts"));
  assert.ok(declared.length > 0);
  const faults = declared.flatMap((source) => {
    const paths = coveredPaths(source);
    if (paths === undefined) return [`${source.file}: no line "// covers: src/FOLDER, …" at its top`];
    return paths
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${source.file}: ${path} does not exist`);
  });
  assert.deepEqual(faults, []);
});

test("the time of a folder is the sum of its files, and a folder over its budget is marked", () => {
  const report = timeReport({
    "src/base/a.test.ts": 9_000,
    "src/base/text/b.test.ts": 7_000,
    "src/memory/c.test.ts": 500,
  });
  assert.deepEqual(report.slice(0, 3), [
    "Processor time of the tests by folder, and its budget:",
    "   16.0 of   8 s  src/base  over budget",
    "    0.5 of   4 s  src/memory",
  ]);
});

test("the slowest integration tests start first, and all of their files exist", () => {
  const all = readSources(root)
    .map(({ file }) => file)
    .filter((file) => file.endsWith(".test.ts") && isIntegration(file));
  const ordered = slowestFirst(all);
  assert.deepEqual(ordered.toSorted(), all.toSorted());
  const moved = slowestFirst(["test/integration/agents.test.ts", "test/integration/bench.test.ts"]);
  assert.deepEqual(moved, ["test/integration/bench.test.ts", "test/integration/agents.test.ts"]);
  assert.deepEqual(
    slowestFiles.filter((file) => !all.includes(file)),
    [],
  );
});

test("every integration test runs in one process, and those that share one exist", () => {
  const all = readSources(root)
    .map(({ file }) => file)
    .filter((file) => file.endsWith(".test.ts") && isIntegration(file));
  assert.deepEqual(processesOf(all).flat().toSorted(), all.toSorted());
  assert.deepEqual(
    sharingFiles.flat().filter((file) => !all.includes(file)),
    [],
  );
  const [agents, goals, bench] = ["agents", "goals", "bench"].map((name) => `test/integration/${name}.test.ts`);
  assert.ok(agents && goals && bench);
  assert.deepEqual(processesOf([agents, bench, goals]), [[bench], [agents, goals]]);
});
