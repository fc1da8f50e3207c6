import { execFileSync } from "node:child_process";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { dirname, join as joinPosix, normalize } from "node:path/posix";

import { importsOf, type Source } from "../test/support/architecture.ts";

export interface TestOptions {
  readonly isUnit: boolean;
  readonly isChanged: boolean;
  readonly isWatch: boolean;
  /** A test file runs when its path contains one of the words; without words all files run. */
  readonly words: readonly string[];
}

/** The options of `npm test`, or an error message for an unknown option. */
export function parseTestOptions(args: readonly string[]): TestOptions | string {
  const unknown = args.find((arg) => arg.startsWith("-") && !["--unit", "--changed", "--watch"].includes(arg));
  if (unknown !== undefined)
    return `Unknown option ${unknown}. Options: --unit, --changed, --watch, and words of test paths.`;
  return {
    isUnit: args.includes("--unit"),
    isChanged: args.includes("--changed"),
    isWatch: args.includes("--watch"),
    words: args.filter((arg) => !arg.startsWith("-")),
  };
}

export function isIntegration(file: string): boolean {
  return file.startsWith("test/integration/");
}

/** All test files that the options select, sorted. `changed` limits them to tests that depend on these files. */
export function selectTests(
  sources: readonly Source[],
  options: TestOptions,
  changed?: readonly string[],
): readonly string[] {
  const reached = changed === undefined ? undefined : reachedTests(sources, changed);
  return sources
    .map(({ file }) => file)
    .filter((file) => file.endsWith(".test.ts"))
    .filter((file) => !options.isUnit || !isIntegration(file))
    .filter((file) => options.words.length === 0 || options.words.some((word) => file.includes(word)))
    .filter((file) => reached === undefined || reached.has(file))
    .toSorted();
}

/** Files that determine how everything runs: a change of one of them selects every test. */
const everywhere =
  /^(package(-lock)?\.json|tsconfig\.json|test\/support\/(same-cases|load-sources)\.mjs|scripts\/run-test-files\.mjs)$/;

/** The test files that a change of the given files can break: by imports, and by the paths that a test covers. */
export function reachedTests(sources: readonly Source[], changed: readonly string[]): ReadonlySet<string> {
  const tests = sources.filter(({ file }) => file.endsWith(".test.ts"));
  if (changed.some((file) => everywhere.test(file))) return new Set(tests.map(({ file }) => file));
  const importers = importersOf(sources);
  const reached = new Set(changed);
  for (const file of reached) for (const importer of importers.get(file) ?? []) reached.add(importer);
  const isCovered = (paths: readonly string[]): boolean =>
    changed.some((file) => paths.some((path) => file === path || file.startsWith(`${path}/`)));
  return new Set(
    tests.filter((test) => reached.has(test.file) || isCovered(coveredPaths(test) ?? [])).map(({ file }) => file),
  );
}

/** The paths of a `// covers: src/store, skills` line at the top of a test; undefined without one. */
export function coveredPaths({ text }: Source): readonly string[] | undefined {
  const line = /^\/\/ covers: (.+)$/m.exec(text.slice(0, 2_000));
  return line?.[1]?.split(",").map((path) => path.trim());
}

/** Maps each file to its importers. A type-only import cannot change the behaviour of a test. */
function importersOf(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>();
  for (const source of sources) {
    for (const { from, typeOnly } of importsOf(source)) {
      if (typeOnly || !from.startsWith(".")) continue;
      const target = normalize(joinPosix(dirname(source.file), from));
      importers.set(target, [...(importers.get(target) ?? []), source.file]);
    }
  }
  return importers;
}

/** Every TypeScript file of the repository. */
export function readSources(root: string): readonly Source[] {
  return globSync("{src,test,bench,scripts}/**/*.{ts,mjs}", { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));
}

/** Files that differ from the last commit, new ones included. */
export function changedFiles(root: string): readonly string[] {
  const git = (...args: readonly string[]) =>
    execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 }).split("\0");
  return [
    ...git("diff", "--name-only", "-z", "--no-renames", "HEAD"),
    ...git("ls-files", "--others", "--exclude-standard", "-z"),
  ].filter((file) => file !== "");
}
