import type { DatabaseSync } from "node:sqlite";

import { randomHex } from "../../base/digest.ts";
import { err, ok, type Result, type Failure } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { plural } from "../../base/text/text.ts";
import { forgetRecords } from "../disk-quota.ts";
import { type FileState, fileState, folderState, linkState, otherState, unstoredState } from "../file-state.ts";
import { storageForms } from "../object-store.ts";
import { createScopeMatcher, isRepositoryData, outermost } from "../paths.ts";
import { largeNotes, type ScanLimits } from "../scan-local.ts";
import type { ScannedPath, WorkspaceFiles, Scan, RestoreStep } from "../scan.ts";
import { alwaysSkipped, cacheSigns, ignoredOutputs } from "../skipped-folders.ts";
import { type RemoteShell, untilNul } from "./remote-shell.ts";
import { cleanScript, contentScript, keepScript, scanScript, keepRegularFiles, restoreHead } from "./scripts.ts";

export interface RemoteFilesParts {
  readonly shell: RemoteShell;
  readonly root: string;
  /** The folder on the remote machine that stores contents. */
  readonly store: string;
  readonly database: DatabaseSync;
  readonly limits: ScanLimits & { readonly totalBytes: number };
  /** Returns true once, to trigger the cleanup of unused contents. */
  isFirst(): boolean;
}

/**
 * Access to the files of another machine. Contents stay there, in packs; the local database only maps contents to
 * packs.
 */
export function createRemoteFiles({ shell, root, store, database, limits, isFirst }: RemoteFilesParts): WorkspaceFiles {
  const insert = database.prepare("INSERT OR IGNORE INTO objects (hash, form, bytes, data) VALUES (?, ?, ?, ?)");
  const find = database.prepare("SELECT data FROM objects WHERE hash = ?");
  const ignored = database.prepare("SELECT value FROM about WHERE key = 'ignored'");
  const setIgnored = database.prepare("INSERT OR REPLACE INTO about (key, value) VALUES ('ignored', ?)");
  const run = (script: string, args: readonly string[], signal: AbortSignal, stdin?: Uint8Array) =>
    shell.run(script, [root, store, ...args], signal, stdin);

  async function look(
    paths: readonly string[],
    signal: AbortSignal,
    maxFiles = limits.files,
  ): Promise<ReturnType<typeof tooMany> | Result<Scan, Failure & { kind: "failed" }>> {
    const notes: string[] = [];
    const requested = paths.filter((path) => {
      if (isRepositoryData(path)) notes.push(`${path} is not recorded: it belongs to version control`);
      return !isRepositoryData(path);
    });
    const stored = ignored.get()?.["value"];
    const skipped = typeof stored === "string" && stored !== "" ? stored.split("\n") : [];
    for (let attempt = 0; attempt < 3; attempt++) {
      const ran = await run(scanScript(skipped), outermost(requested).map(dotted), signal);
      if (!ran.ok) return err({ ...ran.error, kind: "failed" });
      const [scope, names, facts, links, gitignore] = ran.value;
      if (!scope || !names || !facts || !links) return err({ kind: "failed", message: "the scan was truncated" });
      const listed = untilNul(names).map(undotted);
      if (listed.length > maxFiles) return tooMany(root, maxFiles);
      const lines = facts
        .toString()
        .split("\n")
        .filter((line) => line !== "");
      // A file was deleted during the scan.
      if (lines.length !== listed.length) continue;
      const outputs = ignoredOutputs(gitignore?.toString() ?? "");
      if (outputs.join("\n") !== skipped.join("\n")) setIgnored.run(outputs.join("\n"));
      const caches = createScopeMatcher(listed.filter((path) => cacheSigns.includes(nameOf(path))).map(folderOf));
      const isLeftOut = (path: string) => path === "" || caches(path) || isGarbled(path);
      const result = foundIn(listed, lines, targetsIn(links), limits, isLeftOut);
      const garbled = listed.filter(isGarbled).length;
      if (garbled > 0) notes.push(`${plural(garbled, "file")} not recorded: the name is not UTF-8`);
      const rule = new Set([...alwaysSkipped, ...skipped]);
      return ok({
        found: result,
        scope: untilNul(scope).map(undotted),
        notes: [...notes, ...largeNotes(result, limits)],
        isUnseen: (path) => caches(path) || path.split("/").some((name) => rule.has(name)),
      });
    }
    return err({ kind: "failed", message: "the files change faster than they can be scanned" });
  }

  function packsInUse(): readonly string[] {
    const rows = database.prepare("SELECT DISTINCT data FROM objects WHERE form = ?").all(storageForms.elsewhere);
    return Array.from(new Set(rows.map(({ data }) => placeIn(data)?.pack ?? "")));
  }

  async function makeRoom(signal: AbortSignal): Promise<boolean> {
    const count = Number(database.prepare("SELECT count(*) AS n FROM records WHERE open = 0").get()?.["n"] ?? 0);
    const oldest = database
      .prepare("SELECT seq FROM records WHERE open = 0 ORDER BY seq LIMIT 1 OFFSET ?")
      .get(Math.max(0, Math.ceil(count / 5) - 1));
    if (oldest) forgetRecords(database, "seq <= ?", Number(oldest["seq"]));
    await run(cleanScript, packsInUse(), signal);
    return oldest !== undefined;
  }

  async function keep(files: readonly ScannedPath[], signal: AbortSignal) {
    const kept = new Map<string, { state: FileState; stamp: string }>();
    for (const { path, file } of files)
      kept.set(path, { state: unstoredState("unreadable", file?.bytes ?? 0, ""), stamp: "" });
    const [first] = files;
    if (!first) return ok(kept);
    const alike = Map.groupBy(files, ({ path }) => `${isOutside(path)} ${hasLineEnd(path)}`);
    if (alike.size > 1) return inParts(Array.from(alike.values()), signal);
    const base = isOutside(first.path) ? "/" : root;
    const how = hasLineEnd(first.path) ? "each" : "all";
    if (isFirst()) await run(cleanScript, packsInUse(), signal);
    const pack = randomHex(8);
    const bytes = files.reduce((sum, { file }) => sum + (file?.bytes ?? 0), 0);
    const list = Buffer.from(files.map(({ path }) => `${memberName(path)}\0`).join(""));
    for (;;) {
      const max = String(Math.max(0, limits.totalBytes - bytes));
      const ran = await run(keepScript, [pack, max, how, base], signal, list);
      if (!ran.ok) return ran;
      const output = (ran.value[1] ?? Buffer.alloc(0)).toString();
      if (output.trim() === "full") {
        if (bytes <= limits.totalBytes && (await makeRoom(signal))) continue;
        for (const { path, file } of files)
          kept.set(path, { state: unstoredState("full", file?.bytes ?? 0, ""), stamp: "" });
        return ok(kept);
      }
      const packed = packedFiles(output, pack, files.length);
      if (packed === undefined) return err({ message: `the contents could not be stored in ${store}` });
      // One file could not be read, so the list is split to find it.
      const half = Math.ceil(files.length / 2);
      if (packed.length === 0)
        return files.length === 1 ? ok(kept) : inParts([files.slice(0, half), files.slice(half)], signal);
      for (const [index, { path, stamp, file }] of files.entries()) {
        const { in: place = pack, hash = "", bytes: size = 0 } = packed[index] ?? {};
        insert.run(hash, storageForms.elsewhere, size, Buffer.from(`${place}\n${memberName(path)}`));
        kept.set(path, { state: fileState(file?.mode ?? 0o644, size, hash), stamp });
      }
      return ok(kept);
    }
  }

  async function inParts(
    parts: readonly (readonly ScannedPath[])[],
    signal: AbortSignal,
  ): ReturnType<WorkspaceFiles["keep"]> {
    const all = new Map<string, { state: FileState; stamp: string }>();
    for (const some of parts) {
      const kept = await keep(some, signal);
      if (!kept.ok) return kept;
      for (const [path, state] of kept.value) all.set(path, state);
    }
    return ok(all);
  }

  const placeOf = (hash: string) => placeIn(find.get(hash)?.["data"]);

  return {
    look,
    keep,
    async content(hash, signal) {
      const place = placeOf(hash);
      if (!place) return err({ message: "a content is no longer in the checkpoints" });
      const ran = await run(contentScript, [place.pack, place.name], signal);
      return ran.ok ? ok(ran.value[0] ?? Buffer.alloc(0)) : ran;
    },
    async apply(steps, signal) {
      const failed: { path: string; why: string }[] = [];
      for (let from = 0; from < steps.length; from += stepsAtOnce) {
        const some = steps.slice(from, from + stepsAtOnce);
        const ran = await run(restoreScript(some, placeOf), [randomHex(4)], signal);
        if (!ran.ok) return ran;
        for (const line of (ran.value[0]?.toString() ?? "").split("\n")) {
          const [, number = "", why = ""] = /^(\d+) (.*)$/u.exec(line) ?? [];
          const step = some[Number(number)];
          if (step && why !== "") failed.push({ path: step.path, why });
        }
      }
      return ok(failed);
    },
    async sweep(_folders, signal) {
      await run(cleanScript, packsInUse(), signal);
    },
  };
}

const stepsAtOnce = 300;

function tooMany(root: string, max: number): Result<never, Failure & { readonly kind: "too_many" }> {
  return err({ kind: "too_many", message: `${root} has more than ${max} files` });
}

/** Unpacks whole packs, because some tar programs treat names as patterns. */
function restoreScript(steps: readonly RestoreStep[], placeOf: (hash: string) => Place | undefined): string {
  const requested = new Set<string>();
  const lines = steps.map((step, index) => {
    const path = quoteForShell(dotted(step.path));
    if (step.do === "remove") return `drop ${index} ${path} ${step.isFolder ? "folder" : "file"}`;
    if (step.do === "folder") return `dir ${index} ${path} ${step.mode.toString(8)}`;
    if (step.do === "link") return `put ${index} ${path} link ${quoteForShell(step.target)} ${randomHex(8)}`;
    const place = placeOf(step.hash);
    if (!place) return `undone ${index} 'its content is no longer in the checkpoints'`;
    requested.add(place.pack);
    return `put ${index} ${path} ${step.mode.toString(8)} ${quoteForShell(`${place.pack}/${place.name}`)} ${randomHex(8)}`;
  });
  const unpack = Array.from(
    requested,
    (pack) =>
      `mkdir -p -- "$temp/${pack}" && tar -xzf "$store/${pack}.tgz" -C "$temp/${pack}" 2>/dev/null; (cd -- "$temp/${pack}" && ${keepRegularFiles})`,
  );
  return [restoreHead, ...unpack, ...lines, "exit 0"].join("\n");
}

interface Place {
  readonly pack: string;
  readonly name: string;
}

function placeIn(data: unknown): Place | undefined {
  if (!(data instanceof Uint8Array)) return undefined;
  const [pack = "", ...name] = Buffer.from(data).toString().split("\n");
  return pack === "" ? undefined : { pack, name: name.join("\n") };
}

function foundIn(
  names: readonly string[],
  lines: readonly string[],
  targets: ReadonlyMap<string, string>,
  { fileBytes }: ScanLimits,
  isLeftOut: (path: string) => boolean,
): ReadonlyMap<string, ScannedPath> {
  const matches = new Map<string, ScannedPath>();
  for (const [index, path] of names.entries()) {
    const stamp = lines[index] ?? "";
    const [mode = "0", size = "0"] = stamp.split(" ");
    if (isLeftOut(path)) continue;
    matches.set(path, foundAt(path, stamp, Number.parseInt(mode, 16), Number(size), targets.get(path), fileBytes));
  }
  return matches;
}

function foundAt(
  path: string,
  stamp: string,
  mode: number,
  bytes: number,
  target: string | undefined,
  max: number,
): ScannedPath {
  switch (mode & 0o170000) {
    case 0o100000:
      return bytes > max
        ? { path, stamp, state: unstoredState("large", bytes, stamp.replaceAll(":", ".")) }
        : { path, stamp, file: { mode: mode & 0o7777, bytes } };
    case 0o040000:
      return { path, stamp, state: folderState(mode & 0o7777) };
    case 0o120000:
      return { path, stamp, state: target === undefined ? otherState : linkState(target) };
    default:
      return { path, stamp, state: otherState };
  }
}

function targetsIn(links: Buffer): ReadonlyMap<string, string> {
  const texts = untilNul(links);
  const matches = new Map<string, string>();
  for (let index = 0; index + 1 < texts.length; index += 2)
    matches.set(undotted(texts[index] ?? ""), texts[index + 1] ?? "");
  return matches;
}

interface PackedFile {
  readonly in: string;
  readonly hash: string;
  readonly bytes: number;
}

/**
 * The hashes in order. An entry is empty if its file could not be read; the result is undefined if a file could not
 * be written.
 */
function packedFiles(output: string, prefix: string, count: number): readonly PackedFile[] | undefined {
  const lines = output.split("\n");
  const packs = lines.flatMap((line) => {
    const [, id = "", has = "0"] = /^(\d+) (\d+)$/u.exec(line) ?? [];
    return Array<string>(Number(has)).fill(`${prefix}.${id}`);
  });
  const hashes = lines.filter((line) => /^[0-9a-f]{64}$/u.test(line));
  const sizes = lines.filter((line) => /^\d{1,20}$/u.test(line));
  if (lines.includes("lost")) return undefined;
  if ([packs, hashes, sizes].some(({ length }) => length !== count)) return [];
  return hashes.map((hash, index) => ({ in: packs[index] ?? "", hash, bytes: Number(sizes[index]) }));
}

/** Whether the path is outside the workspace. */
function isOutside(path: string): boolean {
  return path.startsWith("/");
}

function hasLineEnd(path: string): boolean {
  return path.includes("\n");
}

/** Whether the name was not valid UTF-8, so that the real name is unknown. */
function isGarbled(path: string): boolean {
  return path.includes("\ufffd");
}

/** The name within a pack, relative to the packed folder. */
function memberName(path: string): string {
  return path.startsWith("/") ? `.${path}` : dotted(path);
}

/** Prefixes the name so that it does not look like an option. */
function dotted(path: string): string {
  return path === "" ? "." : path.startsWith("/") ? path : `./${path}`;
}

function undotted(path: string): string {
  return path === "." ? "" : path.startsWith("./") ? path.slice(2) : path;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function folderOf(path: string): string {
  return path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
}
