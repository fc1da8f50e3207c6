import { lstatSync, readdirSync, readlinkSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";

import { codeOf } from "../base/files/file-fault.ts";
import { type OpenedFolder, openFolder } from "../base/files/open-beneath.ts";
import { isInside } from "../base/files/path.ts";
import { err, ok, type Result, type Failure, valueOr } from "../base/result.ts";
import { plural } from "../base/text/text.ts";
import { nameFromBytes, diskPath } from "./disk-name.ts";
import { folderState, linkState, otherState, unstoredState } from "./file-state.ts";
import { absolutePath, createScopeMatcher, isRepositoryData, outermost } from "./paths.ts";
import type { ScannedPath, Scan } from "./scan.ts";
import { type SkipRule, skipRule } from "./skipped-folders.ts";

export interface ScanLimits {
  /** Maximum size of one file. */
  readonly fileBytes: number;
  readonly files: number;
  /** Maximum total size. */
  readonly bytes: number;
}

export interface ScanPlace {
  readonly root: string;
  /** Absolute folders whose content is never recorded. */
  readonly excluded: readonly string[];
  readonly limits: ScanLimits;
}

type LookFault = Failure & { readonly kind: "too_many" | "failed" };

/** Scans local files. Does not follow links, enter other file systems or read contents. */
export async function scanLocal(
  paths: readonly string[],
  { root, excluded, limits }: ScanPlace,
  signal: AbortSignal,
): Promise<Result<Scan, LookFault>> {
  const notes: string[] = [];
  const scope = outermost(
    paths.flatMap((path) => {
      const absolute = absolutePath(root, path);
      const why = isRepositoryData(path)
        ? "it belongs to version control"
        : excluded.some((folder) => isInside(folder, absolute))
          ? "it belongs to Hermes"
          : undefined;
      if (why !== undefined) notes.push(`${path} is not recorded: ${why}`);
      return why === undefined ? [highestMissing(path, root)] : [];
    }),
  );
  const rule = skipRule(root);
  const walk = createWalk({ root, excluded, limits, rule });
  for (const path of scope) {
    const done = await walk.from(path, signal);
    if (!done.ok) return done;
  }
  const { found: matches, skipped, unseen } = walk;
  if (skipped.size > 0)
    notes.push(`not recorded by rule: ${Array.from(skipped).slice(0, shownNames).join(", ")}${more(skipped.size)}`);
  return ok({
    found: matches,
    scope,
    notes: [...notes, ...largeNotes(matches, limits)],
    isUnseen: createScopeMatcher(unseen),
  });
}

const shownNames = 12;

function more(count: number): string {
  return count > shownNames ? ` and ${count - shownNames} more` : "";
}

/** Notes that name large and unreadable files, because they cannot be restored. */
export function largeNotes(match: ReadonlyMap<string, ScannedPath>, { fileBytes }: ScanLimits): readonly string[] {
  const large = Array.from(match.values()).filter(({ state }) => state?.startsWith("u:large"));
  if (large.length === 0) return [];
  const named = large.slice(0, shownNames).map(({ path }) => path);
  const limit = `${Math.round(fileBytes / 1_000_000)} MB`;
  return [`${plural(large.length, "file")} above ${limit} not recorded: ${named.join(", ")}${more(large.length)}`];
}

interface WalkParts extends ScanPlace {
  readonly rule: SkipRule;
}

function createWalk({ root, excluded, limits, rule }: WalkParts) {
  const matches = new Map<string, ScannedPath>();
  const skipped = new Set<string>();
  const unseen: string[] = [];
  let looked = 0;
  let bytes = 0;

  function add(path: string, location: string, stats: Stats): void {
    const stamp = stampOf(stats);
    if (stats.isFile() && stats.size <= limits.fileBytes) bytes += stats.size;
    if (stats.isFile()) matches.set(path, fileFound(path, stats, stamp, limits));
    else if (stats.isDirectory()) matches.set(path, { path, stamp, state: folderState(stats.mode & 0o7777) });
    else if (stats.isSymbolicLink()) {
      const target = valueOr(() => targetOf(location), undefined);
      matches.set(path, { path, stamp, state: target === undefined ? otherState : linkState(target) });
    } else matches.set(path, { path, stamp, state: otherState });
  }

  /** Adds the entries of one folder and returns its subfolders. */
  function enter(path: string, device: number): readonly string[] {
    const absolute = absolutePath(root, path);
    try {
      using folder = openFolder(absolute, diskPath);
      return addEntries(path, absolute, folder, device);
    } catch (thrown) {
      unseen.push(path);
      if (codeOf(thrown) !== "ENOENT") skipped.add(`${path} (not readable)`);
      return [];
    }
  }

  function addEntries(path: string, absolute: string, folder: OpenedFolder, device: number): readonly string[] {
    const names = namesIn(folder.path);
    if (rule.isCache(new Set(names))) {
      unseen.push(path);
      skipped.add(path);
      return [];
    }
    const folders: string[] = [];
    for (const name of names) {
      const below = path === "" ? name : `${path}/${name}`;
      if (ownTemp.test(name)) continue;
      const stats = valueOr(() => lstatSync(diskPath(folder.entry(name))), undefined);
      looked++;
      // The file was deleted in the meantime.
      if (!stats) continue;
      if (stats.isDirectory()) {
        if (rule.skips(name) || excluded.includes(join(absolute, name)) || stats.dev !== device) {
          unseen.push(below);
          skipped.add(below);
          continue;
        }
        folders.push(below);
      } else if (name === ".git") continue;
      add(below, folder.entry(name), stats);
    }
    return folders;
  }

  async function from(path: string, signal: AbortSignal): Promise<Result<void, LookFault>> {
    const absolute = absolutePath(root, path);
    const stats = valueOr(() => lstatSync(diskPath(absolute)), undefined);
    if (!stats) return ok(undefined);
    if (path !== "") add(path, absolute, stats);
    if (!stats.isDirectory()) return ok(undefined);
    const waiting = [path];
    let pausedAt = looked;
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      waiting.push(...enter(folder, stats.dev));
      if (matches.size > limits.files)
        return err({ kind: "too_many", message: `${absolute} has more than ${limits.files} files` });
      if (bytes > limits.bytes) {
        const max = `${Math.round(limits.bytes / 1_000_000)} MB`;
        return err({ kind: "too_many", message: `${absolute} has more than ${max} of files` });
      }
      if (looked - pausedAt < filesAtOnce) continue;
      pausedAt = looked;
      await new Promise((resolve) => setImmediate(resolve));
      if (signal.aborted) return err({ kind: "failed", message: "interrupted" });
    }
    return ok(undefined);
  }

  return { found: matches, skipped, unseen, from };
}

/** Other work may run after this many files. */
const filesAtOnce = 2_000;

/** Names of temporary files of atomic writes. */
const ownTemp = /^\.hermes-[0-9a-f]+\.tmp$/u;

function fileFound(path: string, stats: Stats, stamp: string, { fileBytes }: ScanLimits): ScannedPath {
  const { size: bytes } = stats;
  return bytes > fileBytes
    ? { path, stamp, state: unstoredState("large", bytes, String(stats.mtimeMs)) }
    : { path, stamp, file: { mode: stats.mode & 0o7777, bytes } };
}

export function stampOf({ mtimeMs, ctimeMs, ino, size, mode }: Stats): string {
  return `${mtimeMs} ${ctimeMs} ${ino} ${size} ${mode}`;
}

/** The path to delete in order to undo a creation there. */
function highestMissing(path: string, root: string): string {
  let highest = path;
  for (let index = path; ;) {
    if (valueOr(() => lstatSync(diskPath(absolutePath(root, index))), undefined)) return highest;
    highest = index;
    const above = dirname(index);
    if (above === index || above === "." || index === "") return highest;
    index = above;
  }
}

/** Reads names as bytes only if one of them is not valid UTF-8. */
function namesIn(folder: string): string[] {
  const names = readdirSync(diskPath(folder));
  if (!names.some((name) => name.includes("\ufffd"))) return names;
  return readdirSync(diskPath(folder), { encoding: "buffer" }).map(nameFromBytes);
}

function targetOf(link: string): string {
  const target = readlinkSync(diskPath(link));
  return target.includes("\ufffd") ? nameFromBytes(readlinkSync(diskPath(link), { encoding: "buffer" })) : target;
}
