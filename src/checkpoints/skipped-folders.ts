import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Which folders of a workspace are not recorded: what a program can make again, and the insides of version control. */
export interface SkipRule {
  /** By its name. */
  skips(name: string): boolean;
  /** Of a folder with these names in it. */
  isCache(names: ReadonlySet<string>): boolean;
}

/** By name, wherever they are. */
export const alwaysSkipped: ReadonlySet<string> = new Set([
  ".git",
  ".hg",
  ".svn",
  ".jj",
  "node_modules",
  "bower_components",
  ".venv",
  "__pycache__",
  ".mypy_cache",
  ".pytest_cache",
  ".ruff_cache",
  ".tox",
  ".nox",
  ".eggs",
  ".cache",
  ".gradle",
  ".terraform",
  ".next",
  ".nuxt",
  ".svelte-kit",
  ".turbo",
  ".parcel-cache",
  ".dart_tool",
  ".pnpm-store",
  ".yarn",
  "DerivedData",
]);

/** Where a project says itself, in its `.gitignore`, that they are made by a program. */
const outputFolders: ReadonlySet<string> = new Set([
  "dist",
  "build",
  "out",
  "target",
  "coverage",
  "vendor",
  "venv",
  "env",
  "bin",
  "obj",
  "tmp",
  "Pods",
]);

/** Files that say what the folder they are in is: a cache (bford.info/cachedir), a Python environment. */
export const cacheSigns: readonly string[] = ["CACHEDIR.TAG", "pyvenv.cfg"];

export function skipRule(root: string): SkipRule {
  return skipRuleFor(readIgnored(join(root, ".gitignore")));
}

/** Folders that a project says are made by a program. */
export function ignoredOutputs(gitignore: string): readonly string[] {
  const named = gitignore.split(/\r?\n/u).map((line) => /^\/?([\w.-]+)\/?$/u.exec(line.trim())?.[1] ?? "");
  return Array.from(new Set(named)).filter((name) => outputFolders.has(name));
}

function skipRuleFor(gitignore: string): SkipRule {
  const ignored = new Set(ignoredOutputs(gitignore));
  return {
    skips: (name) => alwaysSkipped.has(name) || ignored.has(name),
    isCache: (names) => cacheSigns.some((sign) => names.has(sign)),
  };
}

function readIgnored(path: string): string {
  try {
    const text = readFileSync(path, "utf8");
    return text.length > 1_000_000 ? "" : text;
  } catch {
    return "";
  }
}
