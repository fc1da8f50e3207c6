import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";

import { valueOr } from "../../base/result.ts";
import { hasSecret } from "./hidden-paths.ts";
import { isBelow } from "./mount-plan.ts";

export interface ExistingPath {
  /** The real path of the file or folder. */
  readonly path: string;
  readonly isFolder: boolean;
  /** The parent folders of symbolic links in the path. A program that can write to one of them controls the path. */
  readonly linksIn: readonly string[];
}

/** Returns the real path of an existing file or folder. Undefined if it is missing or not accessible. */
export function existingPath(path: string): ExistingPath | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (realpathSync.native(path) === path) return { path, isFolder: stats.isDirectory(), linksIn: [] };
    const walked = walk(path);
    return walked && { ...walked, isFolder: statSync(walked.path).isDirectory() };
  } catch {
    return undefined;
  }
}

/** Follows symbolic links one by one. Throws if a part of the path is missing. */
function walk(path: string): Omit<ExistingPath, "isFolder"> | undefined {
  const names = (text: string) => text.split("/").toReversed();
  const ahead = names(path);
  const linksIn: string[] = [];
  let folder = "/";
  for (let name = ahead.pop(); name !== undefined; name = ahead.pop()) {
    const next = join(folder, name);
    if (name === "" || name === "." || name === ".." || !lstatSync(next).isSymbolicLink()) {
      folder = next;
      continue;
    }
    linksIn.push(folder);
    if (linksIn.length > maxLinks) return undefined;
    const target = readlinkSync(next);
    if (target.startsWith("/")) folder = "/";
    ahead.push(...names(target));
  }
  return { path: folder, linksIn };
}

/** The maximum number of links that the system follows. */
const maxLinks = 40;

/** Returns the candidates below a folder whose first path segment exists. Most candidates in a home do not exist. */
export function existingCandidates(folder: string, paths: readonly string[]): readonly string[] {
  const names = new Set(namesIn(folder));
  const from = folder.length + 1;
  return paths.filter((path) => !isBelow(path, folder) || names.has(path.slice(from).split("/", 1)[0] ?? ""));
}

function namesIn(folder: string): readonly string[] {
  return valueOr(() => readdirSync(folder), []);
}

export function realPath(path: string): string | undefined {
  return existingPath(path)?.path;
}

/**
 * Returns whether a settings file contains a secret. Reads the file again after a change. An unreadable file counts as
 * secret.
 */
export function cacheSecretFiles(): (path: string) => boolean {
  const cache = new Map<string, { readonly stamp: string; readonly answer: boolean }>();
  return (path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats?.isFile()) return true;
    const stamp = `${stats.ino} ${stats.size} ${stats.mtimeMs}`;
    const before = cache.get(path);
    if (before?.stamp === stamp) return before.answer;
    const answer = stats.size > maxBytes || hasSecret(textOf(path) ?? "token");
    cache.set(path, { stamp, answer });
    return answer;
  };
}

const maxBytes = 1_000_000;

function textOf(path: string): string | undefined {
  return valueOr(() => readFileSync(path, "utf8"), undefined);
}
