import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Folders of a workspace that are not recorded: output that programs can regenerate, and version control data. */
export interface SkipRule {
  /** Decides by the folder's name. */
  skips(name: string): boolean;
  /** Decides by the names in the folder. */
  isCache(names: ReadonlySet<string>): boolean;
}

/** Folders skipped by name, at any depth. */
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

/** Folders that are skipped if the project's `.gitignore` lists them as generated. */
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

/** Files that mark their folder as a cache (bford.info/cachedir) or a Python environment. */
export const cacheSigns: readonly string[] = ["CACHEDIR.TAG", "pyvenv.cfg"];

export function skipRule(root: string): SkipRule {
  return skipRuleFor(readIgnored(join(root, ".gitignore")));
}

/** Output folders that the project's `.gitignore` lists. */
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
