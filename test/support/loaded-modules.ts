import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { runProgram } from "./run-program.ts";
import { tempHome } from "./temp-home.ts";

const dist = join(import.meta.dirname, "..", "..", "dist");
const bundle = join(dist, "hermes.js");

/** The addresses of all modules that a run of the bundle loads: V8 counts them for its coverage. */
export async function loadedModules(args: readonly string[], home: string): Promise<readonly string[]> {
  await using coverage = await tempHome();
  // Saving compiled code would load more modules, but only in some runs.
  const env = { HERMES_HOME: home, NODE_V8_COVERAGE: coverage.path, NODE_DISABLE_COMPILE_CACHE: "1" };
  const ran = await runProgram(process.execPath, [bundle, ...args], { env });
  assert.equal(ran.code, 0, ran.stderr);
  return coveredModules(coverage.path);
}

/** The addresses of the modules in the reports that `NODE_V8_COVERAGE` put into a folder. */
export async function coveredModules(folder: string): Promise<readonly string[]> {
  const reports = await Promise.all((await readdir(folder)).map((name) => readFile(join(folder, name), "utf8")));
  return reports
    .flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result)
    .map(({ url }) => url);
}

/** The source files and files of packages whose code is in these modules of the bundle. */
export async function loadedSources(modules: readonly string[]): Promise<readonly string[]> {
  const text = await readFile(join(dist, "modules.json"), "utf8");
  const sources = JSON.parse(text) as Readonly<Record<string, readonly string[]>>;
  return [...new Set(modules)].flatMap((url) => {
    const [, path = ""] = url.split("/dist/");
    // A group is a script with a module that loads it.
    return (
      sources[path.replace(/\.cjs$/u, ".js")] ??
      (url.includes("/node_modules/") ? [url.slice(url.lastIndexOf("node_modules/"))] : [])
    );
  });
}
