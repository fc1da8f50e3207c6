import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { basename, dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";

import type { Clock } from "../base/clock.ts";
import { codeOf } from "../base/files/file-fault.ts";
import { openEntry, openFolder } from "../base/files/open-beneath.ts";
import { err, ok } from "../base/result.ts";
import { applyLocal, deleteLeftTempFiles } from "./apply-local.ts";
import { diskPath } from "./disk-name.ts";
import type { DiskQuota } from "./disk-quota.ts";
import { type FileState, fileState, unstoredState } from "./file-state.ts";
import { contentHash, createObjectStore, type NewObject } from "./object-store.ts";
import { absolutePath } from "./paths.ts";
import { type ScanPlace, scanLocal, stampOf } from "./scan-local.ts";
import type { WorkspaceFiles } from "./scan.ts";

export interface LocalFilesParts extends ScanPlace {
  readonly database: DatabaseSync;
  readonly room: DiskQuota;
  readonly clock: Clock;
}

/** Local files; the database of the workspace stores their contents. */
export function createLocalFiles({ database, room, clock, ...place }: LocalFilesParts): WorkspaceFiles {
  const objects = createObjectStore(database);

  function put(batch: readonly NewObject[]): void {
    // These writes are not durable by themselves, but the transaction that refers to them includes them and is.
    database.exec("PRAGMA synchronous = NORMAL; BEGIN IMMEDIATE");
    objects.put(batch);
    database.exec("COMMIT");
    room.took(batch.reduce((sum, { data }) => sum + data.length + rowBytes, 0));
  }

  return {
    look: (paths, signal, files) =>
      scanLocal(
        paths,
        files === undefined ? place : { ...place, limits: { ...place.limits, files, bytes: Infinity } },
        signal,
      ),
    async keep(files, signal) {
      const kept = new Map<string, { state: FileState; stamp: string }>();
      const batch = new Map<string, NewObject>();
      let bytes = 0;
      let pausedAt = clock.elapsed();
      for (const { path, file } of files) {
        if (!file) continue;
        const read = readSteadily(absolutePath(place.root, path), place.limits.fileBytes, clock.now());
        if (read === undefined) continue;
        if (typeof read === "string") {
          kept.set(path, { state: unstoredState(read, file.bytes, ""), stamp: "" });
          continue;
        }
        const hash = contentHash(read.content);
        const fresh = objects.prepare(hash, read.content).filter((each) => !batch.has(each.hash));
        const freshBytes = fresh.reduce((sum, { data }) => sum + data.length + rowBytes, 0);
        if (fresh.length > 0 && !(await room.make(bytes + freshBytes, signal))) {
          kept.set(path, { state: unstoredState("full", read.content.length, read.stamp), stamp: "" });
          continue;
        }
        for (const each of fresh) batch.set(each.hash, each);
        bytes += freshBytes;
        kept.set(path, { state: fileState(read.mode, read.content.length, hash), stamp: read.stamp });
        if (bytes > batchBytes) {
          put(Array.from(batch.values()));
          batch.clear();
          bytes = 0;
        }
        if (clock.elapsed() - pausedAt > turnMs) {
          await new Promise((resolve) => setImmediate(resolve));
          pausedAt = clock.elapsed();
          if (signal.aborted) return err({ message: "interrupted" });
        }
      }
      if (batch.size > 0) put(Array.from(batch.values()));
      return ok(kept);
    },
    content: async (hash) => objects.get(hash),
    apply: async (steps, signal) => ok(await applyLocal(steps, place.root, objects.get, signal)),
    sweep: async (folders) =>
      deleteLeftTempFiles(
        folders.map((folder) => absolutePath(place.root, folder)),
        clock.now(),
      ),
  };
}

const batchBytes = 8_000_000;
const rowBytes = 100;
/** Other work may run after this time. */
const turnMs = 15;

interface Read {
  readonly content: Uint8Array;
  readonly mode: number;
  /** Empty if the file is so new or busy that it could change without a new modification time. */
  readonly stamp: string;
}

/**
 * Undefined if the file no longer exists or is no longer a regular file. Never blocks on a pipe and never follows a
 * link.
 */
function readSteadily(path: string, maxBytes: number, now: number): Read | "unreadable" | "large" | undefined {
  let handle: number;
  try {
    using folder = openFolder(dirname(path), diskPath);
    handle = openEntry(folder, basename(path), constants.O_RDONLY | constants.O_NONBLOCK, diskPath);
  } catch (thrown) {
    return ["ENOENT", "ENOTDIR", "ELINKED", "ENXIO"].includes(codeOf(thrown)) ? undefined : "unreadable";
  }
  try {
    const before = fstatSync(handle);
    if (!before.isFile()) return undefined;
    if (before.size > maxBytes) return "large";
    const content = readWhole(handle, before.size, maxBytes);
    if (content === undefined) return "large";
    const after = fstatSync(handle);
    const stamp = stampOf(before);
    const isSteady = stamp === stampOf(after) && content.length === after.size && now - after.ctimeMs > freshMs;
    return { content, mode: after.mode & 0o7777, stamp: isSteady ? stamp : "" };
  } catch {
    return "unreadable";
  } finally {
    closeSync(handle);
  }
}

/** The resolution of file times: two changes within it may look the same. */
const freshMs = 50;

function readWhole(handle: number, expected: number, maxBytes: number): Uint8Array | undefined {
  const content = Buffer.allocUnsafeSlow(expected);
  let length = 0;
  while (length < expected) {
    const read = readSync(handle, content, length, expected - length, null);
    if (read === 0) return content.subarray(0, length);
    length += read;
  }
  return length > maxBytes ? undefined : content;
}
