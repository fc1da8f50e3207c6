import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  openSync,
  readSync,
  renameSync,
  statSync,
} from "node:fs";
import type { DatabaseSync } from "node:sqlite";

import { codeOf } from "../base/files/file-fault.ts";
import { acknowledgedWrites, writesName } from "./acknowledged-writes.ts";
import { readUnlessDamaged } from "./read-entries.ts";
import { readLeafPage } from "./salvage/leaf-page.ts";
import { walChecksum, frameHeadBytes, walHeadBytes as headBytes } from "./salvage/wal-frames.ts";
import { isBusy } from "./store-fault.ts";

// SQLite reads a write-ahead log up to the first invalid frame and silently ignores the rest. That is correct after an
// unfinished write. These functions detect committed transactions in the ignored part and keep them for a repair.
// Opening the log here is safe: SQLite holds no lock on it.

/** Checked before SQLite opens the log: with a damaged header, SQLite discards all of it. */
export function isWalHeaderDamaged(path: string): boolean {
  const isWrong = () => {
    const head = readAt(walOf(path), 0, headBytes);
    // A single byte proves that something was written; a crash during the first write leaves a short header.
    return head.length === headBytes && !isHead(head) && (sizeOf(walOf(path)) ?? 0) > headBytes;
  };
  // Checked twice, because another process may have been writing it.
  return isWrong() && isWrong();
}

/**
 * Number of committed transactions that SQLite did not find. For a connection that does not wait. Each transaction has a
 * number; the last acknowledged one is recorded beside the store. After a power failure that record may be old, and the
 * log is read after the end that SQLite found: leftovers of a killed program there have a number that others reused.
 * `isAlone`: no other process has the store open.
 */
export function lostCommits(database: DatabaseSync, path: string, isAlone = false): number {
  const { last: acknowledged, isComplete } = acknowledgedWrites(path);
  const missing = acknowledged - (acknowledged > 0 ? writeNumber(database) : 0);
  // A killed writer may leave a whole transaction that the next one partly overwrites. It was never acknowledged.
  if (missing > 0 || isComplete) return missing > 0 ? missing : 0;
  if (!hasFrames(path)) return 0;
  const end = validFrames(database);
  if (lastNumber(database, path, end) === 0) return 0;
  // Usually another process is in the middle of a write; the check runs again when nobody writes.
  if (!isAlone && !beginAtOnce(database)) return 0;
  const number = writeNumber(database);
  const last = lastNumber(database, path, end);
  if (!isAlone) database.exec("ROLLBACK");
  return Math.max(0, last - number);
}

/** The number of the last transaction in the store. 0 if the store has no tables. NaN if it cannot be read. */
export function writeNumber(database: DatabaseSync): number {
  const seq = readUnlessDamaged(() => {
    const table = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'sqlite_sequence'").get();
    return table ? database.prepare("SELECT seq FROM sqlite_sequence WHERE name = ?").get(writesName) : { seq: 0 };
  });
  return Number(seq?.["seq"]);
}

/** True if the write-ahead log has more than its header. */
export function hasFrames(path: string): boolean {
  return (sizeOf(walOf(path)) ?? 0) > headBytes;
}

/** SQLite deletes the write-ahead log when the last connection closes. A second link keeps it. */
export function keepWalOnClose(path: string): void {
  try {
    linkSync(walOf(path), savedWalPath(path));
  } catch (thrown) {
    if (codeOf(thrown) !== "EEXIST") copyFileSync(walOf(path), savedWalPath(path), constants.COPYFILE_EXCL);
  }
}

/**
 * Renames the kept log back, even after a crash in between: it still contains everything that SQLite applied. While
 * another process has it open, both are kept. If a new log exists, another process continued without this one, and both
 * are kept.
 */
export function restoreWal(path: string): void {
  const aside = statSync(savedWalPath(path), { throwIfNoEntry: false });
  if (!aside) return;
  const now = statSync(walOf(path), { throwIfNoEntry: false });
  if (!now) renameSync(savedWalPath(path), walOf(path));
  else if (now.ino !== aside.ino) renameSync(savedWalPath(path), freeName(`${walOf(path)}.damaged`));
}

/** Enough to find transactions after damage, at negligible cost. */
const maxFrames = 256;
/** The first bytes of a write-ahead log. */
const littleEndian = 0x377f0682;
const bigEndian = 0x377f0683;

/**
 * The number of the last committed transaction after an offset and after a damaged frame; 0 if there is none or it is
 * unreadable. Undamaged transactions there are not lost: SQLite reads them, or their writer was killed before it
 * reported success.
 */
function lastNumber(database: DatabaseSync, path: string, first: number): number {
  const wal = walOf(path);
  const size = sizeOf(wal) ?? 0;
  const pageBytes = Number(database.prepare("PRAGMA page_size").get()?.["page_size"]);
  const table = database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'sqlite_sequence'").get();
  const frameBytes = frameHeadBytes + pageBytes;
  const walHead = readAt(wal, 0, headBytes);
  // The file is reused; frames of an earlier use have other salts.
  const salts = walHead.toString("hex", 16, 24);
  const isBigEndian = walHead.length === headBytes && walHead.readUInt32BE(0) === bigEndian;
  let before = first === 0 ? walHead.subarray(24) : readAt(wal, headBytes + (first - 1) * frameBytes + 16, 8);
  let isBroken = false;
  let [last, result] = [0, 0];
  for (let index = first; index < first + maxFrames && headBytes + (index + 1) * frameBytes <= size; index++) {
    const head = readAt(wal, headBytes + index * frameBytes, frameHeadBytes);
    if (head.length < frameHeadBytes || head.toString("hex", 8, 16) !== salts) {
      isBroken = true;
      continue;
    }
    const page = readAt(wal, headBytes + index * frameBytes + frameHeadBytes, pageBytes);
    const [one, two] = before.length < 8 ? [0, 0] : [before.readUInt32BE(0), before.readUInt32BE(4)];
    const sums = walChecksum([head.subarray(0, 8), page], isBigEndian, [one, two]);
    isBroken ||= head.readUInt32BE(16) !== sums[0] || head.readUInt32BE(20) !== sums[1];
    before = head.subarray(16);
    if (head.readUInt32BE(0) === table?.["rootpage"]) result = numberOn(page);
    if (isBroken && head.readUInt32BE(4) > 0) last = Math.max(last, result);
  }
  return last;
}

function numberOn(page: Buffer): number {
  const cells = readLeafPage(page, 2, () => undefined)?.cells ?? [];
  return Number(cells.find(({ values }) => values[0] === writesName)?.values[1] ?? 0);
}

function beginAtOnce(database: DatabaseSync): boolean {
  try {
    database.exec("BEGIN IMMEDIATE");
    return true;
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    return false;
  }
}

function validFrames(database: DatabaseSync): number {
  return Math.max(0, Number(database.prepare("PRAGMA wal_checkpoint(NOOP)").get()?.["log"] ?? 0));
}

/** https://sqlite.org/fileformat2.html#the_write_ahead_log */
function isHead(head: Buffer): boolean {
  const magic = head.readUInt32BE(0);
  if (magic !== littleEndian && magic !== bigEndian) return false;
  const [first, second] = walChecksum([head.subarray(0, 24)], magic === bigEndian);
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
  for (let number = 1; ; number++) if (!existsSync(`${name}-${number}`)) return `${name}-${number}`;
}

/** The second name of a write-ahead log that contains unread transactions. */
export function savedWalPath(path: string): string {
  return `${walOf(path)}.aside`;
}

function walOf(path: string): string {
  return `${path}-wal`;
}

function sizeOf(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}
