// covers: src
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { globSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { hookFacts } from "../src/contracts/host/hook.ts";
import {
  identityFaults,
  clockReadings,
  faceFaults,
  importCycles,
  importsOf,
  layerFaults,
  mutableState,
  packageHomes,
  sharedNames,
  prototypeFaults,
  serviceFaults,
  packageFaults,
  wiringFaults,
  withoutComments,
} from "./support/architecture.ts";

const root = join(import.meta.dirname, "..");
const sources = globSync("src/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !file.endsWith(".test.ts"))
  .toSorted()
  .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

test("imports point down: base, contracts, peers, runtime, operations, commands, hosts, bin", () => {
  assert.deepEqual(sources.flatMap(layerFaults), []);
});

test("hosts and slash commands reach services through operations", () => {
  assert.deepEqual(sources.flatMap(serviceFaults), []);
});

test("other parts use safety only through the files directly in src/safety", () => {
  assert.deepEqual(sources.flatMap(faceFaults), []);
});

test("no two files import each other, directly or indirectly", () => {
  assert.deepEqual(importCycles(sources), []);
});

test("only hosts read the name of the current user", () => {
  assert.deepEqual(sources.flatMap(identityFaults), []);
});

test("no object wraps another one as its prototype", () => {
  assert.deepEqual(sources.flatMap(prototypeFaults), []);
});

test("the runtime is wiring only", () => {
  assert.deepEqual(sources.flatMap(wiringFaults), []);
});

test("no two files export the same name", () => {
  assert.deepEqual(sharedNames(sources), []);
});

test("no module has mutable state", () => {
  assert.deepEqual(sources.flatMap(mutableState), []);
});

test("every third-party package is imported only in its own folder", () => {
  assert.deepEqual(sources.flatMap(packageFaults), []);
  const used = new Set(sources.flatMap((source) => importsOf(source).flatMap(({ from }) => packageOf(from) ?? [])));
  assert.deepEqual(
    Object.keys(packageHomes).filter((name) => !used.has(name)),
    [],
    "a home for a package nobody imports",
  );
});

test("the environment and the time are each read in one file", () => {
  const allowed: Record<string, RegExp> = {
    "src/config/process-env.ts": /process\.env\b/,
    // The process of a plugin is another program: its variables are those of the plugin.
    "src/plugins/runner/node/forward-network.ts": /process\.env\b/,
    // So is the process of a script.
    "src/code/child/programs/node/hermes_rpc.ts": /process\.env\b/,
    "src/base/clock.ts": /Date\.now\(|performance\.now\(/,
  };
  const faults = sources.flatMap(({ file, text }) => {
    const code = withoutComments(text);
    const matches: string[] = [];
    if (/\bprocess\.env\b/.test(code) && !allowed[file]?.test("process.env")) matches.push(`${file}: process.env`);
    if (/\bDate\.now\(|new Date\(\)|\bperformance\.now\(/.test(code) && !allowed[file]?.test("Date.now("))
      matches.push(`${file}: the time`);
    if (/\bMath\.random\(/.test(code)) matches.push(`${file}: Math.random`);
    return matches;
  });
  assert.deepEqual(faults, []);
});

test("no test asserts a wall-clock time", () => {
  const tests = globSync(["src/**/*.test.ts", "test/**/*.ts"], { cwd: root }).map((file) => ({
    file: file.replaceAll("\\", "/"),
    text: readFileSync(join(root, file), "utf8"),
  }));
  assert.ok(tests.length > 0);
  assert.deepEqual(
    tests.filter(({ file }) => file !== "test/architecture.test.ts").flatMap(clockReadings),
    [],
    "count operations, use the fake clock, or compare two runs (test/support/growth.ts)",
  );
});

test("a hook is marked as not fired exactly when no code fires it", () => {
  const fired = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/\.(?:notify|ask)\(\s*"(\w+)"/g)].map((match) => match[1])),
  );
  const facts = Object.entries(hookFacts);
  assert.deepEqual(
    facts.filter(([, { waitsFor }]) => waitsFor !== undefined).map(([name]) => name),
    facts.filter(([name]) => !fired.has(name)).map(([name]) => name),
  );
});

test("no source file exceeds the maximum number of lines", () => {
  const long = sources.filter(({ text }) => text.split("\n").length > 400).map(({ file }) => file);
  assert.deepEqual(long, []);
});

test("each rule detects a violation", () => {
  const bad = (file: string, text: string) => ({ file, text });
  assert.equal(layerFaults(bad("src/base/a.ts", 'import { x } from "../kernel/b.ts";')).length, 1);
  assert.equal(layerFaults(bad("src/tools/a.ts", 'import { x } from "../kernel/b.ts";')).length, 1);
  assert.equal(layerFaults(bad("src/hosts/cli/a.ts", 'import { x } from "../../kernel/b.ts";')).length, 1);
  assert.equal(serviceFaults(bad("src/hosts/cli/a.ts", 'import { x } from "../../config/b.ts";')).length, 1);
  assert.equal(serviceFaults(bad("src/commands/a.ts", 'import { x } from "../runtime/b.ts";')).length, 1);
  assert.equal(serviceFaults(bad("src/hosts/cli/a.ts", 'import { x } from "../../operations/b.ts";')).length, 0);
  assert.equal(layerFaults(bad("src/tools/a.ts", 'import type { x } from "../kernel/b.ts";')).length, 1);
  assert.equal(layerFaults(bad("src/kernel/a.ts", 'const x = await import("../config/b.ts");')).length, 1);
  assert.equal(layerFaults(bad("src/runtime/a.ts", 'import { x } from "../kernel/b.ts";')).length, 0);
  assert.equal(wiringFaults(bad("src/runtime/a.ts", 'import { x } from "../base/b.ts";')).length, 1);
  assert.equal(wiringFaults(bad("src/runtime/a.ts", 'import { x } from "../store/b.ts";')).length, 0);
  assert.equal(faceFaults(bad("src/runtime/a.ts", 'const x = await import("../safety/url/b.ts");')).length, 1);
  assert.equal(faceFaults(bad("src/runtime/a.ts", 'import type { x } from "../safety/url/b.ts";')).length, 1);
  assert.equal(faceFaults(bad("src/runtime/a.ts", 'import { x } from "../safety/url.ts";')).length, 0);
  const declaring = (file: string) => bad(file, "export interface Meaning {}\nexport const commands = [];");
  assert.equal(sharedNames([declaring("src/base/a.ts"), declaring("src/base/b.ts")]).length, 1);
  assert.equal(mutableState(bad("src/base/a.ts", "let count = 0;")).length, 1);
  assert.equal(
    mutableState(bad("src/base/a.ts", "const seen = new Map();\nfunction f() {\n  seen.set(1, 2);\n}")).length,
    1,
  );
  assert.equal(
    mutableState(bad("src/base/a.ts", "const names = [];\nexport function f() {\n  names.push(1);\n}")).length,
    1,
  );
  assert.equal(
    mutableState(
      bad("src/base/a.ts", 'const names = ["a"];\nfunction f() {\n  let x = 0;\n  return names.map((n) => n + x);\n}'),
    ).length,
    0,
  );
  const asksWho = 'import { userName } from "../base/this-user.ts";\nconst name = userName();';
  assert.equal(identityFaults(bad("src/runtime/a.ts", asksWho)).length, 1);
  assert.equal(identityFaults(bad("src/hosts/cli/a.ts", asksWho)).length, 0);
  assert.equal(identityFaults(bad("src/runtime/a.ts", "// userName")).length, 0);
  for (const line of [
    "const from = performance.now();",
    "assert.ok(systemClock.elapsed() - startedAt < 200);",
    "assert.ok(data.duration_ms < 1_000);",
    "assert.ok(tookMs < 1000);",
    "assert.ok(Date.now() - startedAt < 5);",
    "const before = process.cpuUsage();",
  ])
    assert.equal(clockReadings(bad("src/kernel/a.test.ts", line)).length, 1, line);
  assert.equal(clockReadings(bad("src/kernel/a.test.ts", "assert.equal(event.durationMs, 40);")).length, 0);
  assert.equal(prototypeFaults(bad("src/runtime/a.ts", "Object.assign(Object.create(store), { path })")).length, 1);
  assert.equal(prototypeFaults(bad("src/runtime/a.ts", "Object.create(null)")).length, 0);
  assert.equal(packageFaults(bad("src/kernel/a.ts", 'import { parse } from "yaml";')).length, 1);
  for (const word of ["import", "import type"])
    assert.equal(
      importCycles([
        bad("src/base/a.ts", `${word} { b } from "./b.ts";`),
        bad("src/base/b.ts", `${word} { a } from "./a.ts";`),
      ]).length,
      1,
    );
});

function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith(".") || specifier.startsWith("node:")) return undefined;
  return specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/");
}
