import { closeSync, constants, copyFileSync, existsSync, openSync, readSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";

// SQLite takes a write-ahead file up to the first part that is wrong and silently forgets the rest. That is right for
// what a crash has left unfinished. These functions notice when finished transactions are among what it forgets.
// The write-ahead file may be opened here: no lock of SQLite lies on it.

/** Before SQLite looks: a head that is wrong means that all of it is forgotten. It is kept aside and said. */
export function lookAtWalHead(path: string, say: (sentence: string) => void): void {
  const isWrong = () => {
    const head = readAt(walOf(path), 0, headBytes);
    // One byte is enough to say that something was written; a crash in the first write leaves a short head.
    return head.length === headBytes && !isHead(head) && (sizeOf(walOf(path)) ?? 0) > headBytes;
  };
  // Twice: another program may have been writing it.
  if (isWrong() && isWrong()) keepDamagedWal(path, "writes that were not yet in the store are unreadable", say);
}

/** How many finished transactions lie behind the end that SQLite has found. */
export function lostCommits(database: DatabaseSync, path: string): number {
  const first = countBehind(database, path);
  // Again, because another program may be in the middle of a write.
  return first === 0 ? 0 : Math.min(first, countBehind(database, path));
}

/** A copy beside the store, which is never written over. */
export function keepDamagedWal(path: string, what: string, say: (sentence: string) => void): void {
  const copy = freeName(`${walOf(path)}.damaged`);
  copyFileSync(walOf(path), copy, constants.COPYFILE_EXCL);
  say(`${path}: its write-ahead file is damaged; ${what}. It was kept as ${copy}.`);
}

const headBytes = 32;
const frameHeadBytes = 24;
/** Enough to find what lies behind a damaged place, and no work to speak of. */
const mostFrames = 256;

function countBehind(database: DatabaseSync, path: string): number {
  const size = sizeOf(walOf(path)) ?? 0;
  if (size <= headBytes) return 0;
  const valid = Number(database.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.["log"] ?? -1);
  const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"] ?? 0);
  if (valid < 0 || pageBytes === 0) return 0;
  const salts = readAt(walOf(path), 0, headBytes).subarray(16, 24);
  const frameBytes = frameHeadBytes + pageBytes;
  let commits = 0;
  for (let at = valid; at < valid + mostFrames; at++) {
    const start = headBytes + at * frameBytes;
    if (start + frameBytes > size) break;
    const head = readAt(walOf(path), start, frameHeadBytes);
    const isOfNow = head.subarray(8, 16).equals(salts);
    if (isOfNow && head.readUInt32BE(4) > 0) commits++;
  }
  return commits;
}

/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
function isHead(head: Buffer): boolean {
  const magic = head.readUInt32BE(0);
  if (magic !== 0x377f0682 && magic !== 0x377f0683) return false;
  const word = (at: number) => (magic === 0x377f0683 ? head.readUInt32BE(at) : head.readUInt32LE(at));
  let [first, second] = [0, 0];
  for (let at = 0; at < 24; at += 8) {
    first = (first + word(at) + second) >>> 0;
    second = (second + word(at + 4) + first) >>> 0;
  }
  return head.readUInt32BE(24) === first && head.readUInt32BE(28) === second;
}

function readAt(path: string, position: number, bytes: number): Buffer {
  let file: number | undefined;
  try {
    file = openSync(path, "r");
    const buffer = Buffer.alloc(bytes);
    return buffer.subarray(0, readSync(file, buffer, 0, bytes, position));
  } catch {
    return Buffer.alloc(0);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function freeName(name: string): string {
  for (let at = 1; ; at++) if (!existsSync(`${name}-${at}`)) return `${name}-${at}`;
}

function walOf(path: string): string {
  return `${path}-wal`;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
