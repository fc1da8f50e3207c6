import { once } from "node:events";
import { constants, createWriteStream } from "node:fs";
import { type FileHandle, lstat, mkdtemp, open, readFile, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Gzip } from "node:zlib";

import { codeOf, describeFault, FileError } from "../base/files/file-fault.ts";
import { type OpenedFolder, openFolder, resolveFolder } from "../base/files/open-beneath.ts";
import { removeTree } from "../base/files/remove-tree.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { BackedUpFile, BackupManifest } from "./backup-manifest.ts";
import { type BackupRules, listBackupFiles } from "./backup-scope.ts";
import { sealSecrets } from "./sealed-secrets.ts";
import { tarEnd, tarHeader, tarPadding } from "./tar-stream.ts";

export interface BackupRequest {
  readonly home: string;
  readonly file: string;
  readonly rules: BackupRules;
  readonly isQuick: boolean;
  /** Undefined if secrets are not included. */
  readonly passphrase?: string;
  readonly facts: Pick<BackupManifest, "createdAt" | "version" | "profile" | "label">;
  readonly signal: AbortSignal;
}

export interface WrittenBackup {
  readonly manifest: BackupManifest;
  readonly bytes: number;
  readonly omitted: readonly string[];
}

/**
 * Writes a backup of a home that may be in use: databases are copied with SQLite's own backup, and other files are
 * replaced atomically by their writers. The backup appears complete or not at all, and only its owner can read it.
 */
export async function writeBackup(request: BackupRequest): Promise<Result<WrittenBackup>> {
  const { file, home } = request;
  try {
    // A program that replaces the folder by a link meanwhile cannot lead the backup elsewhere.
    using folder = openFolder(resolveFolder(dirname(resolve(file))));
    return await writeInto(folder, request);
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return err({ message: `The folder ${dirname(file)} does not exist.` });
    return err({
      message: codeOf(thrown) ? describeFault(thrown, dirname(file)).message : `${home}: ${reasonOf(thrown)}`,
    });
  }
}

async function writeInto(folder: OpenedFolder, request: BackupRequest): Promise<Result<WrittenBackup>> {
  const { file, home } = request;
  const target = folder.entry(basename(file));
  const partial = folder.entry(`.${basename(file)}.partial-${process.pid}`);
  let scratch: string | undefined;
  try {
    if (await lstat(target).catch(() => undefined)) return err({ message: `${file} exists already.` });
    scratch = await makeScratch(home);
    const written = await writeArchive(request, partial, scratch);
    await rename(partial, target);
    return ok(written);
  } catch (thrown) {
    if (request.signal.aborted) return err({ message: "The backup was interrupted." });
    if (isFull(thrown)) return err({ message: describeFault(new FileError("ENOSPC"), file).message });
    const path = pathOf(thrown);
    const shown = path === undefined || path.startsWith(folder.path) ? file : path;
    return err({ message: codeOf(thrown) ? describeFault(thrown, shown).message : `${home}: ${reasonOf(thrown)}` });
  } finally {
    await rm(partial, { force: true });
    if (scratch !== undefined) await removeTree(scratch);
  }
}

/** SQLite resolves links by itself, so copies of databases belong where no confined program can write. */
function makeScratch(home: string): Promise<string> {
  return mkdtemp(join(home, ".hermes-backup-")).catch(() => mkdtemp(join(tmpdir(), "hermes-backup-")));
}

async function writeArchive(request: BackupRequest, partial: string, scratch: string): Promise<WrittenBackup> {
  const { home, rules, isQuick, passphrase, facts, signal } = request;
  const { createGzip } = process.getBuiltinModule("node:zlib");
  const listed = await listBackupFiles(home, rules, isQuick);
  const gzip = createGzip({ level: 6 });
  const output = createWriteStream(partial, { mode: 0o600, flags: "wx" });
  const finished = once(output, "close");
  const failed = new Promise<never>((_, reject) => output.once("error", reject));
  failed.catch(() => {});
  finished.catch(() => {});
  gzip.pipe(output);
  const put = (bytes: Uint8Array) => Promise.race([putInto(gzip, bytes), failed]);
  const files: BackedUpFile[] = [];
  for (const path of listed.files) {
    signal.throwIfAborted();
    const added = await addFile(join(home, path), `files/${path}`, put, scratch);
    if (added) files.push({ path, ...added });
  }
  const secrets = passphrase === undefined ? undefined : await readAll(home, listed.secrets);
  if (secrets !== undefined) await addBytes("secrets.sealed", await sealSecrets(secrets, passphrase ?? ""), put);
  const manifest: BackupManifest = {
    format: 1,
    ...facts,
    isQuick,
    secrets: listed.secrets.length === 0 ? "none" : secrets === undefined ? "left out" : "encrypted",
    files,
  };
  await addBytes("manifest.json", Buffer.from(JSON.stringify(manifest)), put);
  await put(tarEnd);
  gzip.end();
  await Promise.race([finished, failed]);
  await using handle = await open(partial, constants.O_RDWR | constants.O_NOFOLLOW);
  await handle.sync();
  return { manifest, bytes: (await handle.stat()).size, omitted: listed.omitted };
}

type Put = (bytes: Uint8Array) => Promise<void>;

async function putInto(gzip: Gzip, bytes: Uint8Array): Promise<void> {
  if (bytes.length > 0 && !gzip.write(bytes)) await once(gzip, "drain");
}

async function addBytes(path: string, bytes: Uint8Array, put: Put): Promise<void> {
  await put(tarHeader(path, bytes.length, 0o600));
  await put(bytes);
  await put(tarPadding(bytes.length));
}

/** Undefined if the file was deleted in the meantime. */
async function addFile(
  source: string,
  name: string,
  put: Put,
  scratch: string,
): Promise<Omit<BackedUpFile, "path"> | undefined> {
  const { createHash } = process.getBuiltinModule("node:crypto");
  let handle = await openIfThere(source);
  if (!handle) return undefined;
  const isDatabase = await startsAsDatabase(handle);
  try {
    if (isDatabase) {
      const copy = join(scratch, "copy.db");
      await copyDatabase(source, copy);
      await handle.close();
      handle = await open(copy, "r");
    }
    const { size, mode } = await handle.stat();
    await put(tarHeader(name, size, mode & 0o700));
    const hash = createHash("sha256");
    // Copies exactly as many bytes as the file had at first, because logs and records grow at their end.
    for (let offset = 0; offset < size;) {
      const chunk = Buffer.alloc(Math.min(chunkBytes, size - offset));
      const { bytesRead } = await handle.read(chunk, 0, chunk.length, offset);
      if (bytesRead === 0) throw new Error(`${source} became shorter while it was read; run the backup again`);
      const part = chunk.subarray(0, bytesRead);
      hash.update(part);
      await put(part);
      offset += bytesRead;
    }
    await put(tarPadding(size));
    return { size, mode: mode & 0o700, sha256: hash.digest("hex"), ...(isDatabase && { isDatabase }) };
  } finally {
    await handle.close();
  }
}

const chunkBytes = 1 << 20;

async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, "r");
  } catch (thrown) {
    if (codeOf(thrown) === "ENOENT") return undefined;
    throw thrown;
  }
}

async function startsAsDatabase(handle: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
  return bytesRead === 16 && buffer.toString("latin1") === "SQLite format 3\0";
}

/** Copies one consistent state, including writes that are still in the write-ahead log. */
async function copyDatabase(source: string, copy: string): Promise<void> {
  const { DatabaseSync, backup } = await import("node:sqlite");
  await rm(copy, { force: true });
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(source, { readOnly: true, timeout: 10_000 });
    await backup(database, copy, { rate: 1_000 });
  } finally {
    database?.close();
  }
  const fault = await databaseFault(copy);
  if (fault !== undefined)
    throw new Error(`${source} is damaged: ${fault}. \`hermes sessions repair\` repairs a session store.`);
}

/** Undefined if SQLite reports no problem. */
export async function databaseFault(path: string): Promise<string | undefined> {
  const { DatabaseSync } = await import("node:sqlite");
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    // The copy is one file without a write-ahead log, so that the checked data is the stored data.
    database.exec("PRAGMA journal_mode = DELETE");
    const result = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0];
    return result === "ok" ? undefined : String(result);
  } catch (thrown) {
    return reasonOf(thrown);
  } finally {
    database?.close();
  }
}

async function readAll(home: string, paths: readonly string[]) {
  const files: Record<string, Uint8Array> = {};
  for (const path of paths) {
    const bytes = await readFile(join(home, path)).catch((thrown: unknown) => {
      if (codeOf(thrown) === "ENOENT") return undefined;
      throw thrown;
    });
    if (bytes) files[path] = bytes;
  }
  return files;
}

/** SQLite's error for a full disk, when a database is copied. */
function isFull(thrown: unknown): boolean {
  return thrown instanceof Error && "errcode" in thrown && thrown.errcode === sqliteFull;
}

const sqliteFull = 13;

function pathOf(thrown: unknown): string | undefined {
  return thrown instanceof Error && "path" in thrown && typeof thrown.path === "string" ? thrown.path : undefined;
}
