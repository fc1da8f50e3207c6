import { type Dirent, readdirSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { findProgram } from "../base/process/find-program.ts";
import type { Variables } from "../base/process/run-program.ts";
import { valueOr } from "../base/result.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";

/** A path, and its state when it was looked at. */
export type Stamp = readonly [path: string, state: string];

/** Whether none of the files changed. Checks only their states, so that a start may ask about every plugin. */
export function isCurrent(stamps: readonly Stamp[], read: ReadState = stateOf): boolean {
  return stamps.every(([path, state]) => read(path) === state);
}

export type ReadState = (path: string) => string;

/** Looks at each path once. */
export function statesOnce(): ReadState {
  const states = new Map<string, string>();
  return (path) => {
    const state = states.get(path) ?? stateOf(path);
    states.set(path, state);
    return state;
  };
}

export function takeStamp(path: string): Stamp {
  return [path, stateOf(path)];
}

/** Of files of which only the first counts that exists: that one and those before it. */
export function stampFirst(folder: string, names: readonly string[]): readonly Stamp[] {
  const stamps = names.map((name) => takeStamp(join(folder, name)));
  const first = stamps.findIndex(([, state]) => state !== absent);
  return first < 0 ? stamps : stamps.slice(0, first + 1);
}

const absent = "absent";

/**
 * States of a plugin's files and folders and of its interpreter. Folders count too, so that a new file is noticed. Files
 * near the top come first; beyond `maxFiles` a change is not noticed.
 */
export function fingerprint(plugin: FoundPlugin, python: string, maxFiles = 500): readonly Stamp[] {
  const paths = plugin.source === "python" ? codeOfModule(plugin, maxFiles) : filesBelow([plugin.folder], maxFiles);
  return [...paths, ...(plugin.language === "python" ? [python] : [])].map(takeStamp);
}

/** The Python that runs plugins. Empty: there is none. */
export function pythonOf(env: Variables): string {
  const program = findProgram(["python3", "python"], env);
  return program === undefined ? "" : valueOr(() => realpathSync(program), program);
}

/** Everything below the folders, level by level, the folders included. */
function filesBelow(folders: readonly string[], maxFiles: number): readonly string[] {
  const paths = [...folders];
  // Grows while it is walked.
  const pending = [...folders];
  for (const folder of pending) {
    for (const entry of entriesOf(folder)) {
      if (paths.length >= maxFiles) return paths;
      if (ignored.has(entry.name)) continue;
      const path = join(folder, entry.name);
      paths.push(path);
      if (entry.isDirectory()) pending.push(path);
    }
  }
  return paths;
}

const ignored: ReadonlySet<string> = new Set([".git", ".hg", ".venv", "venv"]);

/** A package is a folder of its own; a module is one file among those of others. */
function codeOfModule({ folder, entry }: FoundPlugin, maxFiles: number): readonly string[] {
  const module = entry.split(/[.:]/u, 1)[0] ?? "";
  const file = join(folder, `${module}.py`);
  const isPackage = join(dirname(folder), module) === folder;
  return isPackage ? filesBelow([folder], maxFiles) : [file];
}

function entriesOf(folder: string): readonly Dirent[] {
  const entries = valueOr(() => readdirSync(folder, { withFileTypes: true }), []);
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** The time of the last change cannot be set by a program, unlike the time of modification. */
function stateOf(path: string): string {
  if (path === "") return "";
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? `${stats.ctimeMs} ${stats.ino} ${stats.isDirectory() ? "" : stats.size}` : absent;
  } catch {
    return "unreadable";
  }
}
