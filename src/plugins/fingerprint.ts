import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { findProgram } from "../base/process/find-program.ts";
import type { Variables } from "../base/process/run-program.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../base/result.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";

/** A path, and its state when it was looked at. */
export type Stamp = readonly [path: string, state: string];

/** Whether none of the files changed. Checks only their states, so that a start can check every plugin. */
export function isCurrent(stamps: readonly Stamp[], read: ReadState = stateOf): boolean {
  return stamps.every(([path, state]) => read(path) === state);
}

export type ReadState = (path: string) => string;

/** Looks at each path once. */
export function createStateCache(): ReadState {
  const states = new Map<string, string>();
  return (path) => {
    const state = states.get(path) ?? stateOf(path);
    states.set(path, state);
    return state;
  };
}

/** Reads the states of a folder's files below another root; other files at their own path. */
export function readStatesBelow(root: string, folder: string): ReadState {
  // Some systems do not allow a look into a sandbox.
  const isVisible = root !== "" && stateOf(join(root, folder)) !== unreadable;
  return (path) => stateOf(isVisible && (path === folder || path.startsWith(`${folder}/`)) ? join(root, path) : path);
}

export function takeStamp(path: string): Stamp {
  return [path, stateOf(path)];
}

/** For files of which only the first existing one is used: that one and those before it. */
export function stampFirstExisting(folder: string, names: readonly string[]): readonly Stamp[] {
  const stamps = names.map((name) => takeStamp(join(folder, name)));
  const first = stamps.findIndex(([, state]) => state !== absent);
  return first < 0 ? stamps : stamps.slice(0, first + 1);
}

const absent = "absent";
const unreadable = "unreadable";

/**
 * States of all files and folders of a plugin and of its interpreter. Folders count too, so that a new file is noticed. A
 * folder whose changes would not all be noticed is refused.
 */
export function fingerprint(
  plugin: FoundPlugin,
  python: string,
  maxPaths = defaultMaxPaths,
): Result<readonly Stamp[], string> {
  const paths = pathsOf(plugin, maxPaths);
  return paths.ok ? ok([...paths.value, ...(plugin.language === "python" ? [python] : [])].map(takeStamp)) : paths;
}

/**
 * A hash of all files and links of a plugin, by name and content. Compiled Python does not count, because Hermes
 * never uses the `__pycache__` of a plugin.
 */
export function codeHash(plugin: FoundPlugin): Result<string, string> {
  const paths = pathsOf(plugin);
  if (!paths.ok) return paths;
  try {
    const lines = paths.value.flatMap((path) => {
      const stats = lstatSync(path);
      if (stats.isDirectory() || path.includes("/__pycache__/")) return [];
      const content = stats.isSymbolicLink() ? `-> ${readlinkSync(path)}` : sha256(readFileSync(path));
      return [`${path.slice(plugin.folder.length)}\0${content}\n`];
    });
    return ok(sha256(lines.join("")));
  } catch (thrown) {
    return err(`${plugin.folder} cannot be read: ${reasonOf(thrown)}`);
  }
}

/** The maximum for files and folders. An installed plugin has at most half as many files. */
const defaultMaxPaths = 6_000;

function pathsOf(plugin: FoundPlugin, maxPaths = defaultMaxPaths): Result<readonly string[], string> {
  const { folder, source } = plugin;
  // The tool folders in a home belong to the user; elsewhere others may write to them.
  const skipped = source === "home" || source === "bundled" ? toolFolders : versionFolders;
  const paths = source === "python" ? codeOfModule(plugin, maxPaths) : pathsBelow(folder, skipped, maxPaths);
  return paths.length <= maxPaths
    ? ok(paths)
    : err(
        `${folder} holds more than ${maxPaths} files and folders, so changes of them would not be noticed. Remove packages and data that the plugin does not need.`,
      );
}

/** The Python that runs plugins. Empty: there is none. */
export function pythonOf(env: Variables): string {
  const program = findProgram(["python3", "python"], env);
  return program === undefined ? "" : valueOr(() => realpathSync(program), program);
}

/** The folder and everything below, level by level. Ends soon after `maxPaths`. */
function pathsBelow(top: string, skipped: ReadonlySet<string>, maxPaths: number): readonly string[] {
  const paths = [top];
  // Grows while it is walked.
  const pending = [top];
  for (const folder of pending) {
    for (const entry of entriesOf(folder)) {
      if (paths.length > maxPaths) return paths;
      if (skipped.has(entry.name)) continue;
      const path = join(folder, entry.name);
      paths.push(path);
      if (entry.isDirectory()) pending.push(path);
    }
  }
  return paths;
}

const versionFolders: ReadonlySet<string> = new Set([".git", ".hg"]);
const toolFolders: ReadonlySet<string> = new Set([...versionFolders, ".venv", "venv"]);

/** A package is a separate folder; a module is one file among others. */
function codeOfModule({ folder, entry }: FoundPlugin, maxPaths: number): readonly string[] {
  const module = entry.split(/[.:]/u, 1)[0] ?? "";
  const file = join(folder, `${module}.py`);
  const isPackage = join(dirname(folder), module) === folder;
  return isPackage ? pathsBelow(folder, versionFolders, maxPaths) : [file];
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
    return unreadable;
  }
}
