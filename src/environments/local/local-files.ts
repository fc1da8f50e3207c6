import { closeSync, fstatSync, lstatSync, readSync, realpathSync } from "node:fs";
import { type FileHandle, lstat, readdir, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, isAbsolute, resolve } from "node:path";

import { replaceEntry } from "../../base/files/atomic-file.ts";
import { codeOf, describeFault, FileError } from "../../base/files/file-fault.ts";
import { makeAndOpenFolder, openFolder } from "../../base/files/open-beneath.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { FileStat, FileSystem, FileSystemError } from "../../contracts/environment/environment.ts";
import { resolveLinks } from "../real-paths.ts";
import { moveTree } from "./move-tree.ts";
import { openRegular, openRegularSync } from "./open-regular.ts";

/** The files of this machine. Relative paths start in `cwd`. */
export function localFiles(cwd: () => string): FileSystem {
  const absolute = (path: string) => (isAbsolute(path) ? resolve(path) : resolve(realFolder(cwd()), path));

  return {
    read: (path, signal, range) => {
      const full = absolute(path);
      return attempt(full, signal, () => readRegular(full, signal, range));
    },
    write: (path, bytes, signal) =>
      attempt(absolute(path), signal, async () => {
        using folder = makeAndOpenFolder(dirname(absolute(path)), 0o777);
        await replaceEntry(folder, basename(absolute(path)), bytes);
      }),
    list: (path, signal) =>
      attempt(absolute(path), signal, async () => {
        using folder = openFolder(absolute(path));
        const entries = await readdir(folder.path, { withFileTypes: true });
        return entries
          .map((entry) => ({ name: entry.name, kind: kindOf(entry) }))
          .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      }),
    stat: (path, signal) => {
      const full = absolute(path);
      return attempt(full, signal, async () => {
        using folder = openFolder(dirname(full));
        // Synchronous, because the thread pool takes many times longer than the call.
        const result = lstatSync(folder.entry(basename(full)));
        const { size: bytes, mtimeMs: modifiedAt, ctimeMs: changedAt } = result;
        return { kind: kindOf(result), bytes, modifiedAt, changedAt, mode: result.mode & 0o7777 };
      });
    },
    delete: (path, signal) =>
      attempt(absolute(path), signal, async () => {
        using folder = openFolder(dirname(absolute(path)));
        const entry = folder.entry(basename(absolute(path)));
        await ((await lstat(entry)).isDirectory() ? rmdir(entry) : unlink(entry));
      }),
    move: (from, to, signal) =>
      attempt(
        absolute(from),
        signal,
        async () => {
          using source = openFolder(dirname(absolute(from)));
          const entry = source.entry(basename(absolute(from)));
          await lstat(entry);
          using folder = makeAndOpenFolder(dirname(absolute(to)), 0o777);
          const target = folder.entry(basename(absolute(to)));
          if (await isThere(target)) throw new FileError("EEXIST");
          await moveTree(entry, target);
        },
        absolute(to),
      ),
    async realPath(path, signal) {
      if (signal.aborted) return err(interrupted);
      const real = await resolveLinks(absolute(path));
      return real.ok ? real : err({ kind: "failed", message: real.error.message });
    },
  };
}

function realFolder(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

const interrupted: FileSystemError = { kind: "aborted", message: "interrupted" };

/** `target`: the path that "exists already" refers to, when it differs. */
async function attempt<T>(
  path: string,
  signal: AbortSignal,
  work: () => Promise<T>,
  target = path,
): Promise<Result<T, FileSystemError>> {
  if (signal.aborted) return err(interrupted);
  try {
    return ok(await work());
  } catch (thrown) {
    if (signal.aborted) return err(interrupted);
    const code = codeOf(thrown);
    if (code === "ENOTEMPTY")
      return err({ kind: "failed", message: `${path} is a folder that is not empty; empty it first` });
    const { message } = describeFault(thrown, code === "EEXIST" ? target : path);
    return err({ kind: kinds.get(code) ?? "failed", message });
  }
}

const kinds: ReadonlyMap<string, FileSystemError["kind"]> = new Map([
  ["ENOENT", "missing"],
  ["EEXIST", "exists"],
  ["EISDIR", "not_a_file"],
  ["EFTYPE", "not_a_file"],
  ["ENXIO", "not_a_file"],
  ["ENOTDIR", "not_a_folder"],
  ["EACCES", "not_allowed"],
  ["EPERM", "not_allowed"],
  ["EROFS", "not_allowed"],
  ["ENOSPC", "no_space"],
  ["EDQUOT", "no_space"],
]);

async function readRegular(
  path: string,
  signal: AbortSignal,
  range?: { readonly from: number; readonly bytes: number },
): Promise<Uint8Array> {
  using folder = openFolder(dirname(path));
  const small = range && range.bytes <= smallBytes ? readSmall(folder.entry(basename(path)), range) : undefined;
  if (small) return small;
  await using file = await openRegular(folder.entry(basename(path)));
  const result = await file.stat();
  if (result.isDirectory()) throw new FileError("EISDIR");
  if (!result.isFile()) throw new FileError("EFTYPE");
  return range ? await readRange(file, range.from, range.bytes, signal) : await file.readFile({ signal });
}

/**
 * Reads small files synchronously, without the thread pool: that takes a tenth of the time, and most files are small.
 */
const smallBytes = 65_536;

/** Undefined: the file has grown, or reports no size, like system files. */
function readSmall(
  path: string,
  { from, bytes }: { readonly from: number; readonly bytes: number },
): Buffer | undefined {
  const descriptor = openRegularSync(path);
  try {
    const result = fstatSync(descriptor);
    if (result.isDirectory()) throw new FileError("EISDIR");
    if (!result.isFile()) throw new FileError("EFTYPE");
    const room = Math.min(bytes, Math.max(0, result.size - from));
    if (result.size === 0 || result.size > from + bytes) return undefined;
    const buffer = Buffer.alloc(room);
    let done = 0;
    while (done < room) {
      const count = readSync(descriptor, buffer, done, room - done, from + done);
      if (count === 0) break;
      done += count;
    }
    return buffer.subarray(0, done);
  } finally {
    closeSync(descriptor);
  }
}

async function readRange(file: FileHandle, from: number, bytes: number, signal: AbortSignal): Promise<Uint8Array> {
  const { size } = await file.stat();
  // System files such as /proc report size 0.
  const room = size > 0 ? Math.min(bytes, Math.max(0, size - from)) : bytes;
  const buffer = Buffer.alloc(room);
  let done = 0;
  while (done < room) {
    signal.throwIfAborted();
    const { bytesRead } = await file.read(buffer, done, Math.min(room - done, 4 * 1024 * 1024), from + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    (thrown: unknown) => {
      if (codeOf(thrown) === "ENOENT") return false;
      throw thrown;
    },
  );
}

function kindOf(entry: { isFile(): boolean; isDirectory(): boolean; isSymbolicLink(): boolean }): FileStat["kind"] {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "folder";
  return entry.isSymbolicLink() ? "link" : "other";
}
