import { readSync } from "node:fs";

// https://sqlite.org/fileformat2.html#the_write_ahead_log

export const walHeadBytes = 32;
export const frameHeadBytes = 24;

/** Offsets of the versions of each page in a write-ahead log, newest first. */
export type WalPages = ReadonlyMap<number, readonly WalPage[]>;

interface WalPage {
  /** The offset of the page's content. */
  readonly offset: number;
  /** Whether the checksum is correct. */
  readonly isSound: boolean;
}

/**
 * Reads past damaged frames, at which SQLite stops; the rows are verified later. Frames of an earlier generation, and
 * those after the last committed transaction, are skipped.
 */
export function readWalFrames(file: number, size: number, pageBytes: number): WalPages {
  const frameBytes = frameHeadBytes + pageBytes;
  const count = Math.floor((size - walHeadBytes) / frameBytes);
  const heads = Array.from({ length: Math.max(0, count) }, (_, index) => {
    const head = readBytesAt(file, walHeadBytes + index * frameBytes, frameHeadBytes);
    return {
      at: index,
      page: head.readUInt32BE(0),
      commits: head.readUInt32BE(4) > 0,
      salts: head.toString("hex", 8, 16),
    };
  });
  const salts = generation(file, heads);
  const isBigEndian = readBytesAt(file, 0, 4).readUInt32BE(0) === 0x377f0683;
  const isSound = (position: number) => {
    const before = position === 0 ? 24 : walHeadBytes + (position - 1) * frameBytes + 16;
    const sums = readBytesAt(file, before, 8);
    const frame = readBytesAt(file, walHeadBytes + position * frameBytes, frameBytes);
    const [first, second] = walChecksum([frame.subarray(0, 8), frame.subarray(frameHeadBytes)], isBigEndian, [
      sums.readUInt32BE(0),
      sums.readUInt32BE(4),
    ]);
    return frame.readUInt32BE(16) === first && frame.readUInt32BE(20) === second;
  };
  const ours = heads.filter((head) => head.salts === salts && head.page > 0);
  const last = ours.findLast(({ commits }) => commits)?.at ?? -1;
  const pages = new Map<number, WalPage[]>();
  for (const { at: index, page } of ours.toReversed()) {
    if (index > last) continue;
    const version = { offset: walHeadBytes + index * frameBytes + frameHeadBytes, isSound: isSound(index) };
    const cached = pages.get(page);
    if (cached) cached.push(version);
    else pages.set(page, [version]);
  }
  return pages;
}

/** SQLite's running checksum over 32-bit words. */
export function walChecksum(
  parts: readonly Buffer[],
  isBigEndian: boolean,
  begin: readonly [number, number] = [0, 0],
): readonly [number, number] {
  let [first, second] = begin;
  for (const part of parts) {
    for (let index = 0; index + 8 <= part.length; index += 8) {
      first = (first + (isBigEndian ? part.readUInt32BE(index) : part.readUInt32LE(index)) + second) >>> 0;
      second = (second + (isBigEndian ? part.readUInt32BE(index + 4) : part.readUInt32LE(index + 4)) + first) >>> 0;
    }
  }
  return [first, second];
}

/** The page size in the header of a write-ahead log; undefined if the file is not a log. */
export function walPageBytes(file: number): number | undefined {
  const head = readBytesAt(file, 0, walHeadBytes);
  const bytes = head.readUInt32BE(8);
  return isPageSize(bytes) ? bytes : undefined;
}

export function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0;
}

/** Reads bytes. Past the end of the file, they are zeros. */
export function readBytesAt(file: number, position: number, bytes: number): Buffer {
  const buffer = Buffer.alloc(bytes);
  let read = 0;
  while (read < bytes) {
    const more = readSync(file, buffer, read, bytes - read, position + read);
    if (more === 0) break;
    read += more;
  }
  return buffer;
}

/** The salts in the header or, if the header is damaged, those in the majority of frames. */
function generation(file: number, heads: readonly { readonly salts: string }[]): string {
  const named = readBytesAt(file, 0, walHeadBytes).toString("hex", 16, 24);
  if (heads.some(({ salts }) => salts === named)) return named;
  const counts = new Map<string, number>();
  for (const { salts } of heads) counts.set(salts, (counts.get(salts) ?? 0) + 1);
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? named;
}
