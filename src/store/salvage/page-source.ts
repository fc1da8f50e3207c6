import { closeSync, fstatSync, openSync } from "node:fs";

import { codeOf } from "../../base/files/file-fault.ts";
import { isPageSize, readBytesAt, readWalFrames, type WalPages, walPageBytes } from "./wal-frames.ts";

/** The pages of a damaged store, including those in its write-ahead log. */
export interface PageSource extends Disposable {
  readonly pageBytes: number;
  /** The number of the last page. Pages count from 1. */
  readonly last: number;
  /** All versions of a page, newest first. */
  versions(page: number): Iterable<PageVersion>;
}

interface PageVersion {
  readonly bytes: Buffer;
  /** Whether a checksum proves that the page is unchanged. Pages of the store itself have no checksum. */
  readonly isSound: boolean;
}

/** Use this only for a file that this process has not opened: closing it would drop the locks of that connection. */
export function openPages(path: string): PageSource {
  const file = openIfThere(path);
  const wal = openIfThere(`${path}-wal`);
  const pageBytes =
    (file === undefined ? undefined : headPageBytes(file)) ?? (wal && walPageBytes(wal)) ?? defaultBytes;
  const filePages = file === undefined ? 0 : Math.ceil(fstatSync(file).size / pageBytes);
  const walPages: WalPages = wal === undefined ? new Map() : readWalFrames(wal, fstatSync(wal).size, pageBytes);
  const readAhead = file === undefined ? undefined : createReadAhead(file, pageBytes);
  return {
    pageBytes,
    last: [...walPages.keys()].reduce((highest, page) => Math.max(highest, page), filePages),
    *versions(page) {
      for (const { offset, isSound } of walPages.get(page) ?? []) {
        if (wal !== undefined) yield { bytes: readBytesAt(wal, offset, pageBytes), isSound };
      }
      if (readAhead && page >= 1 && page <= filePages) yield { bytes: readAhead(page), isSound: false };
    },
    [Symbol.dispose]() {
      for (const each of [file, wal]) if (each !== undefined) closeSync(each);
    },
  };
}

/** The default page size of SQLite. */
const defaultBytes = 4_096;
const chunkPages = 256;

function headPageBytes(file: number): number | undefined {
  const head = readBytesAt(file, 0, 18);
  if (head.toString("latin1", 0, 16) !== "SQLite format 3\0") return undefined;
  const named = head.readUInt16BE(16);
  const bytes = named === 1 ? 65_536 : named;
  return isPageSize(bytes) ? bytes : undefined;
}

/** Reads ahead, because pages are usually requested in order. Returned pages never change later. */
function createReadAhead(file: number, pageBytes: number): (page: number) => Buffer {
  let chunk: Buffer = Buffer.alloc(0);
  let first = 0;
  return (page) => {
    const isHere = first > 0 && page >= first && page < first + chunkPages;
    if (!isHere && page !== first + chunkPages && first > 0)
      return readBytesAt(file, (page - 1) * pageBytes, pageBytes);
    if (!isHere) {
      first = page;
      chunk = readBytesAt(file, (page - 1) * pageBytes, chunkPages * pageBytes);
    }
    return chunk.subarray((page - first) * pageBytes, (page - first + 1) * pageBytes);
  };
}

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, "r");
  } catch (thrown) {
    if (codeOf(thrown) !== "ENOENT") throw thrown;
    return undefined;
  }
}
