import { type FileHandle, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";

import { BadArchive } from "./tar-stream.ts";

/** A file in a ZIP archive, as its directory describes it. */
export interface ZipEntry {
  readonly path: string;
  readonly size: number;
  readonly packedSize: number;
  readonly isPacked: boolean;
  readonly crc: number;
  /** The start of the file's local header. */
  readonly offset: number;
  /** True for a symbolic link or a special file. */
  readonly isSpecial: boolean;
}

/**
 * The files of the archive, without folders. Rejects with `BadArchive` for archives that are damaged, encrypted or of
 * an unsupported kind, and for entries that share bytes, as in ZIP bombs.
 */
export async function readZipDirectory(handle: FileHandle): Promise<readonly ZipEntry[]> {
  const { size } = await handle.stat();
  const tail = await bytesAt(handle, Math.max(0, size - maxTailBytes), Math.min(size, maxTailBytes));
  const end = tail.lastIndexOf(endSignature);
  if (end < 0 || tail.length - end < 22) throw new BadArchive("it is not a ZIP archive, or its end is missing");
  const count = tail.readUInt16LE(end + 10);
  const length = tail.readUInt32LE(end + 12);
  const start = tail.readUInt32LE(end + 16);
  if (count === 0xffff || start === 0xffffffff || length === 0xffffffff)
    throw new BadArchive("it is larger than 4 GB; unpack it and import the folder");
  if (start + length > size || length > maxDirectoryBytes) throw new BadArchive("its directory is damaged");
  const entries = entriesIn(await bytesAt(handle, start, length), count);
  const packed = entries.reduce((sum, each) => sum + each.packedSize + 30, 0);
  if (packed > start) throw new BadArchive("its files overlap, so it is not a backup");
  return entries;
}

/** Writes one file and verifies its size and checksum. Never overwrites an existing file. */
export async function unpackZipEntry(
  handle: FileHandle,
  entry: ZipEntry,
  target: string,
  signal: AbortSignal,
): Promise<void> {
  const { createInflateRaw, crc32 } = process.getBuiltinModule("node:zlib");
  const head = await bytesAt(handle, entry.offset, 30);
  if (head.length < 30 || head.readUInt32LE(0) !== localSignature) throw new BadArchive(damaged(entry));
  const start = entry.offset + 30 + head.readUInt16LE(26) + head.readUInt16LE(28);
  const source = chunksAt(handle, start, entry.packedSize, signal);
  await mkdir(dirname(target), { recursive: true, mode: 0o700 });
  await using file = await open(target, "wx", 0o600);
  let written = 0;
  let sum = 0;
  const { Readable } = process.getBuiltinModule("node:stream");
  const stream = Readable.from(source);
  const unpacked = entry.isPacked ? createInflateRaw() : undefined;
  // If the source fails, the loop below throws.
  if (unpacked) stream.on("error", (error) => unpacked.destroy(error));
  for await (const chunk of unpacked ? stream.pipe(unpacked) : stream) {
    const bytes = chunk as Buffer;
    written += bytes.length;
    if (written > entry.size) throw new BadArchive(damaged(entry));
    sum = crc32(bytes, sum);
    await file.writeFile(bytes);
  }
  if (written !== entry.size || sum !== entry.crc) throw new BadArchive(damaged(entry));
}

function entriesIn(directory: Buffer, count: number): readonly ZipEntry[] {
  const entries: ZipEntry[] = [];
  let offset = 0;
  for (let index = 0; index < count; index++) {
    if (offset + 46 > directory.length || directory.readUInt32LE(offset) !== entrySignature)
      throw new BadArchive("its directory is damaged");
    const nameLength = directory.readUInt16LE(offset + 28);
    const next = offset + 46 + nameLength + directory.readUInt16LE(offset + 30) + directory.readUInt16LE(offset + 32);
    if (next > directory.length) throw new BadArchive("its directory is damaged");
    const path = directory.toString("utf8", offset + 46, offset + 46 + nameLength);
    const method = directory.readUInt16LE(offset + 10);
    if ((directory.readUInt16LE(offset + 8) & 1) === 1) throw new BadArchive("it is encrypted");
    if (method !== 0 && method !== 8) throw new BadArchive(`${JSON.stringify(path)} is compressed in an unknown way`);
    // The upper half has the mode of the file if a Unix program wrote the archive.
    const kind = (directory.readUInt32LE(offset + 38) >>> 16) & 0o170000;
    if (!path.endsWith("/"))
      entries.push({
        path,
        size: directory.readUInt32LE(offset + 24),
        packedSize: directory.readUInt32LE(offset + 20),
        isPacked: method === 8,
        crc: directory.readUInt32LE(offset + 16),
        offset: directory.readUInt32LE(offset + 42),
        isSpecial: kind !== 0 && kind !== 0o100000,
      });
    offset = next;
  }
  return entries;
}

async function bytesAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

async function* chunksAt(handle: FileHandle, start: number, length: number, signal: AbortSignal) {
  for (let position = start; position < start + length;) {
    signal.throwIfAborted();
    const chunk = await bytesAt(handle, position, Math.min(chunkBytes, start + length - position));
    if (chunk.length === 0) throw new BadArchive("it ends too early");
    position += chunk.length;
    yield chunk;
  }
}

function damaged({ path }: ZipEntry): string {
  return `${JSON.stringify(path)} does not match its size or checksum`;
}

const endSignature = Buffer.from("PK\u0005\u0006", "latin1");
const entrySignature = 0x02014b50;
const localSignature = 0x04034b50;
/** The maximum size of the end record, with the longest comment. */
const maxTailBytes = 22 + 0xffff;
const maxDirectoryBytes = 64 * 2 ** 20;
const chunkBytes = 256 * 1024;
