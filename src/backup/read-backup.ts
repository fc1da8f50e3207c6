import { createReadStream } from "node:fs";
import { mkdir, open, stat, statfs, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { codeOf, describeFault } from "../base/files/file-fault.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { archivePathFault, type BackupManifest, parseBackupManifest } from "./backup-manifest.ts";
import { BadArchive, readTar, type TarEntry } from "./tar-stream.ts";
import { databaseFault } from "./write-backup.ts";

export interface ReadBackup {
  readonly manifest: BackupManifest;
  /** The secrets, still encrypted. */
  readonly sealed: Uint8Array | undefined;
}

/**
 * Reads a whole backup and compares it with its manifest: every file, its size and its checksum, no missing and no
 * extra file. `target` is an empty folder that receives the files; without it, nothing is written. Rejects paths that
 * leave the folder, links, duplicate names, and archives that unpack to far more than their own size.
 */
export async function readBackup(
  file: string,
  target: string | undefined,
  signal: AbortSignal,
): Promise<Result<ReadBackup>> {
  const bad = (why: string) => err({ message: `${file} cannot be used: ${why}.` });
  try {
    const packedBytes = (await stat(file)).size;
    const maxBytes = await unpackLimit(packedBytes, target);
    const read = await unpack(file, target, maxBytes, signal);
    const fault = faultOf(read) ?? (target === undefined ? undefined : await damagedDatabase(read.manifest, target));
    if (fault !== undefined || !read.manifest) return bad(fault ?? "it has no manifest, so it is incomplete");
    return ok({ manifest: read.manifest, sealed: read.sealed });
  } catch (thrown) {
    if (signal.aborted) return err({ message: "Interrupted; nothing was changed." });
    if (thrown instanceof BadArchive) return bad(thrown.message);
    if (codeOf(thrown).startsWith("Z_")) return bad("it is damaged, or not a backup");
    if (codeOf(thrown) !== "") return err({ message: describeFault(thrown, file).message });
    return bad(reasonOf(thrown));
  }
}

interface Unpacked {
  manifest: BackupManifest | undefined;
  sealed: Uint8Array | undefined;
  readonly files: Map<string, { readonly size: number; readonly sha256: string }>;
}

async function unpack(
  file: string,
  target: string | undefined,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Unpacked> {
  const { createGunzip } = process.getBuiltinModule("node:zlib");
  const source = createReadStream(file, { signal });
  const unzipped = createGunzip();
  // Errors of the source end the loop below.
  source.on("error", (error) => unzipped.destroy(error));
  const read: Unpacked = { manifest: undefined, sealed: undefined, files: new Map() };
  const names = new Set<string>();
  let total = 0;
  for await (const entry of readTar(source.pipe(unzipped))) {
    total += entry.size;
    if (total > maxBytes)
      throw new BadArchive("it unpacks to far more bytes than a backup has, or than the disk has free");
    if (read.manifest) throw new BadArchive("it continues after its manifest");
    if (entry.path === "manifest.json") read.manifest = parseBackupManifest((await small(entry)).toString("utf8"));
    else if (entry.path === "secrets.sealed") read.sealed = await small(entry);
    else {
      const path = entry.path.startsWith("files/") ? entry.path.slice(6) : undefined;
      const fault = path === undefined ? "is not part of a backup" : archivePathFault(path);
      if (path === undefined || fault !== undefined) throw new BadArchive(`${JSON.stringify(entry.path)} ${fault}`);
      // Compares names without case and accent normalisation, because some file systems ignore both.
      const key = path.normalize("NFC").toLowerCase();
      if (names.has(key) || names.size >= maxFiles) throw new BadArchive(`it names ${JSON.stringify(path)} twice`);
      names.add(key);
      read.files.set(path, await writeEntry(entry, target === undefined ? undefined : join(target, path)));
    }
    if (entry.path === "manifest.json" && !read.manifest)
      throw new BadArchive("its manifest has an unsupported version");
  }
  return read;
}

/** Reads all bytes of a small entry. */
async function small(entry: TarEntry): Promise<Buffer> {
  if (entry.size > maxSmallBytes) throw new BadArchive(`${entry.path} is too large`);
  return Buffer.concat(await Array.fromAsync(entry.content, (chunk) => Buffer.from(chunk)));
}

async function writeEntry(entry: TarEntry, path: string | undefined) {
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hash = createHash("sha256");
  if (path !== undefined) await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await using handle = path === undefined ? undefined : await open(path, "wx", 0o600 | (entry.mode & 0o100));
  for await (const chunk of entry.content) {
    hash.update(chunk);
    await handle?.writeFile(chunk);
  }
  await handle?.sync();
  return { size: entry.size, sha256: hash.digest("hex") };
}

function faultOf({ manifest, files, sealed }: Unpacked): string | undefined {
  if (!manifest) return "it has no manifest, so it is incomplete";
  if (manifest.files.length !== files.size) return "it has other files than its manifest";
  for (const { path, size, sha256 } of manifest.files) {
    const file = files.get(path);
    if (file?.size !== size || file.sha256 !== sha256) return `${JSON.stringify(path)} does not match its checksum`;
  }
  return manifest.secrets === "encrypted" && !sealed ? "its secrets are missing" : undefined;
}

async function damagedDatabase(manifest: BackupManifest | undefined, target: string): Promise<string | undefined> {
  for (const { path, isDatabase } of manifest?.files ?? []) {
    const fault = isDatabase ? await databaseFault(join(target, path)) : undefined;
    if (fault !== undefined) return `${path} is not a whole database: ${fault}`;
  }
  return undefined;
}

/**
 * Returns how many bytes an archive may unpack to. A few kilobytes that unpack to gigabytes are an attack. Up to 1 GiB
 * the ratio does not matter, because a database full of zeros is harmless.
 */
export async function unpackLimit(packedBytes: number, target: string | undefined): Promise<number> {
  const byRatio = Math.max(2 ** 30, packedBytes * 200);
  if (target === undefined) return byRatio;
  const { bavail, bsize } = await statfs(target);
  return Math.min(byRatio, bavail * bsize);
}

/** Writes decrypted secrets beside the files of a backup. */
export async function writeSecrets(target: string, files: Readonly<Record<string, Uint8Array>>): Promise<Result<void>> {
  for (const [path, bytes] of Object.entries(files)) {
    const fault = archivePathFault(path);
    if (fault !== undefined) return err({ message: `${JSON.stringify(path)} ${fault}` });
    await mkdir(dirname(join(target, path)), { recursive: true, mode: 0o700 });
    await writeFile(join(target, path), bytes, { mode: 0o600, flag: "wx", flush: true });
  }
  return ok(undefined);
}

const maxFiles = 500_000;
const maxSmallBytes = 64 * 2 ** 20;
