import type { DatabaseSync } from "node:sqlite";

import { err, ok, type Result, type Failure } from "../base/result.ts";

/** Storage form of an object: plain, compressed, as a list of chunks, or in a remote pack. */
export const storageForms = { plain: 0, compressed: 1, pieces: 2, elsewhere: 3 } as const;

/** An object that is not stored yet. */
export interface NewObject {
  readonly hash: string;
  readonly form: number;
  readonly bytes: number;
  readonly data: Uint8Array;
}

/** Stores contents by hash, each once. Versions of a long file share chunks. */
export interface ObjectStore {
  has(hash: string): boolean;
  /** The objects to store for this content; none if it is already stored. */
  prepare(hash: string, content: Uint8Array): readonly NewObject[];
  /** Call it within a transaction. */
  put(objects: readonly NewObject[]): void;
  get(hash: string): Result<Uint8Array>;
}

export function createObjectStore(database: DatabaseSync): ObjectStore {
  const find = database.prepare("SELECT 1 FROM objects WHERE hash = ?");
  const insert = database.prepare("INSERT OR IGNORE INTO objects (hash, form, bytes, data) VALUES (?, ?, ?, ?)");
  const read = database.prepare("SELECT form, bytes, data FROM objects WHERE hash = ?");
  const has = (hash: string) => find.get(hash) !== undefined;

  function get(hash: string): Result<Uint8Array> {
    const row = read.get(hash);
    const data = row?.["data"];
    if (!row || !(data instanceof Uint8Array)) return err(missing(hash));
    if (row["form"] === storageForms.plain) return ok(data);
    if (row["form"] === storageForms.compressed)
      return ok(process.getBuiltinModule("node:zlib").zstdDecompressSync(data));
    const pieces: Uint8Array[] = [];
    for (const piece of piecesIn(data)) {
      const result = get(piece);
      if (!result.ok) return result;
      pieces.push(result.value);
    }
    return ok(Buffer.concat(pieces));
  }

  return {
    has,
    prepare(hash, content) {
      if (has(hash)) return [];
      const chunks = chunksOf(content);
      if (chunks.length === 1) return [packed(hash, content)];
      const pieces = chunks.map((chunk) => ({ hash: contentHash(chunk), chunk }));
      const list = Buffer.from(pieces.map((piece) => piece.hash).join(""), "hex");
      return [
        ...pieces.filter((piece) => !has(piece.hash)).map((piece) => packed(piece.hash, piece.chunk)),
        { hash, form: storageForms.pieces, bytes: content.length, data: list },
      ];
    },
    put(objects) {
      for (const { hash, form, bytes, data } of objects) insert.run(hash, form, bytes, data);
    },
    get,
  };
}

export function contentHash(bytes: Uint8Array): string {
  return process.getBuiltinModule("node:crypto").hash("sha256", bytes);
}

/** The chunk hashes in a stored list. */
export function piecesIn(list: Uint8Array): readonly string[] {
  const text = Buffer.from(list.buffer, list.byteOffset, list.byteLength).toString("hex");
  return text.match(/.{64}/gu) ?? [];
}

function packed(hash: string, content: Uint8Array): NewObject {
  const { zstdCompressSync, constants } = process.getBuiltinModule("node:zlib");
  const smaller =
    content.length < minWorthwhile
      ? content
      : zstdCompressSync(content, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  return smaller.length < content.length * 0.9
    ? { hash, form: storageForms.compressed, bytes: content.length, data: smaller }
    : { hash, form: storageForms.plain, bytes: content.length, data: content };
}

const minWorthwhile = 200;

function missing(hash: string): Failure {
  return { message: `a content (${hash.slice(0, 12)}…) is no longer in the checkpoints` };
}

/**
 * Content-defined chunking: a change in the middle of a long file leaves all chunks but one or two unchanged, even if it
 * changes the length. Short files are one chunk.
 */
function chunksOf(bytes: Uint8Array): readonly Uint8Array[] {
  if (bytes.length <= wholeBytes) return [bytes];
  const chunks: Uint8Array[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = cutAfter(bytes, start);
    chunks.push(bytes.subarray(start, end));
    start = end;
  }
  return chunks;
}

const wholeBytes = 16_384;
const minBytes = 2_048;
const maxBytes = 32_768;
/** One position in 4,096 is a chunk boundary. */
const cutMask = 0xfff0_0000;

/** Rolling hash over the last 32 bytes. */
function cutAfter(bytes: Uint8Array, start: number): number {
  const last = Math.min(bytes.length, start + maxBytes);
  let sum = 0;
  let offset = Math.min(last, start + minBytes - 32);
  for (; offset < last; offset++) {
    sum = ((sum << 1) + scattered(bytes[offset] ?? 0)) | 0;
    if ((sum & cutMask) === 0 && offset - start >= minBytes) return offset + 1;
  }
  return last;
}

/** A fixed pseudo-random number for each byte value. */
function scattered(byte: number): number {
  let bits = Math.imul(byte + 1, 0x9e37_79b1);
  bits = Math.imul(bits ^ (bits >>> 15), 0x85eb_ca6b);
  return bits ^ (bits >>> 13);
}
