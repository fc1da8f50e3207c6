import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { dirname, join } from "node:path";

import { sha256 } from "../base/digest.ts";
import { findProgram } from "../base/process/find-program.ts";
import type { Variables } from "../base/process/run-program.ts";
import { err, ok, reasonOf, type Result, valueOr } from "../base/result.ts";
import type { FoundPlugin } from "../contracts/plugin/manifest.ts";

/** A path and the state (change time, inode, size) that it had. */
export type Stamp = readonly [path: string, state: string];

/**
 * Whether all files still have their recorded states. File contents are not read, so every start can check every
 * plugin.
 */
export function isCurrent(stamps: readonly Stamp[], read: ReadState = stateOf): boolean {
  for (const [path, state] of stamps) if (read(path) !== state) return false;
  return true;
}

export type ReadState = (path: string) => string;

/** Reads the state of each path only once. */
export function createStateCache(): ReadState {
  const states = new Map<string, string>();
  return (path) => {
    let state = states.get(path);
    if (state === undefined) states.set(path, (state = stateOf(path)));
    return state;
  };
}

/** Reads the states of a folder's files below another root, and the states of all other files at their own paths. */
export function readStatesBelow(root: string, folder: string): ReadState {
  // Some systems do not let other processes see the files in a sandbox.
  const isVisible = root !== "" && stateOf(join(root, folder)) !== unreadable;
  return (path) => stateOf(isVisible && (path === folder || path.startsWith(`${folder}/`)) ? join(root, path) : path);
}

export function takeStamp(path: string): Stamp {
  return [path, stateOf(path)];
}

/** Stamps the first file that exists and the missing files before it: only the first existing file is used. */
export function stampFirstExisting(folder: string, names: readonly string[]): readonly Stamp[] {
  const stamps = names.map((name) => takeStamp(join(folder, name)));
  const first = stamps.findIndex(([, state]) => state !== absent);
  return first < 0 ? stamps : stamps.slice(0, first + 1);
}

const absent = "absent";
const unreadable = "unreadable";

/**
 * The states of all files and folders of a plugin and of its interpreter. Folders are included, so that a new file is
 * noticed. A plugin with too many files is refused.
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
 * A hash of all files and links of a plugin, by name and content. Compiled Python is excluded, because Hermes never
 * uses a plugin's `__pycache__`.
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

/** The maximum number of files and folders of a plugin. The limit for installed plugins is half as many files. */
const defaultMaxPaths = 6_000;

function pathsOf(plugin: FoundPlugin, maxPaths = defaultMaxPaths): Result<readonly string[], string> {
  const { folder, source } = plugin;
  // In the Hermes home, only the user writes to tool folders; in other places, others may write to them.
  const skipped = source === "home" || source === "bundled" ? toolFolders : versionFolders;
  const paths = source === "python" ? codeOfModule(plugin, maxPaths) : pathsBelow(folder, skipped, maxPaths);
  return paths.length <= maxPaths
    ? ok(paths)
    : err(
        `${folder} holds more than ${maxPaths} files and folders, which is too many to check for changes. Remove packages and data that the plugin does not need.`,
      );
}

/** The Python interpreter that runs plugins; empty if there is none. */
export function pythonOf(env: Variables): string {
  const program = findProgram(["python3", "python"], env);
  return program === undefined ? "" : valueOr(() => realpathSync(program), program);
}

/** The folder and everything below, level by level. The walk stops soon after `maxPaths`. */
function pathsBelow(top: string, skipped: ReadonlySet<string>, maxPaths: number): readonly string[] {
  const paths = [top];
  // The loop below appends to this list while it walks it.
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

/** The files of a Python plugin: all files of a package, or the one file of a module. */
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

const statOptions = { throwIfNoEntry: false } as const;

/** Uses the inode change time, because a program cannot set it, unlike the modification time. */
function stateOf(path: string): string {
  if (path === "") return "";
  try {
    const stats = statSync(path, statOptions);
    return stats ? `${stats.ctimeMs} ${stats.ino} ${stats.isDirectory() ? "" : stats.size}` : absent;
  } catch {
    return unreadable;
  }
}
