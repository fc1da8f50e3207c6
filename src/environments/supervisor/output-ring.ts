import { closeSync, openSync, readSync, writeSync } from "node:fs";

import { valueOr } from "../../base/result.ts";

/** The latest output of a process, in a file of bounded size, addressed by offset from the first byte. */
export interface OutputRing {
  add(chunk: Uint8Array): void;
  /** Number of bytes ever added. */
  bytes(): number;
  close(): void;
}

export interface OutputPiece {
  readonly bytes: Uint8Array;
  readonly next: number;
  readonly total: number;
}

/**
 * Reopens an existing file. A failed write drops that chunk and everything before it, but the process continues.
 * Synchronous and without buffers, because the supervisor has hundreds of these.
 */
export function openOutputRing(path: string, maxBytes: number): OutputRing {
  const file = openSync(path, "a+", 0o600);
  closeSync(file);
  const fd = openSync(path, "r+");
  const before = readHeader(fd);
  const size = before?.size ?? maxBytes + slackBytes;
  let { total, first } = before ?? { total: 0, first: 0 };
  const header = Buffer.alloc(headerBytes);
  header.write(magic, "latin1");
  header.writeDoubleLE(size, 8);

  function write(chunk: Uint8Array): void {
    for (let done = 0; done < chunk.length;) {
      const place = (total + done) % size;
      const room = Math.min(chunk.length - done, size - place);
      done += writeSync(fd, chunk, done, room, headerBytes + place);
    }
  }

  function writeDown(): void {
    header.writeDoubleLE(total, 16);
    header.writeDoubleLE(first, 24);
    writeSync(fd, header, 0, headerBytes, 0);
  }

  return {
    add(chunk) {
      try {
        write(chunk);
        total += chunk.length;
        writeDown();
      } catch {
        total += chunk.length;
        first = total;
        // Ignores the error; the next chunk tries to write again.
        valueOr(writeDown, undefined);
      }
    },
    bytes: () => total,
    close: () => closeSync(fd),
  };
}

/**
 * Returns at most one chunk, even while one is being written; starts later than requested if those bytes were already
 * dropped.
 */
export function readOutput(path: string, from: number): OutputPiece {
  const fd = valueOr(() => openSync(path, "r"), undefined);
  if (fd === undefined) return { bytes: new Uint8Array(), next: 0, total: 0 };
  try {
    for (let round = 0; round < maxRounds; round++) {
      const header = readHeader(fd);
      if (!header) break;
      const { size, total, first } = header;
      const kept = Math.max(first, total - (size - slackBytes));
      const start = Math.min(total, Math.max(0, Math.floor(from) || 0, kept));
      const length = Math.min(maxPieceBytes, total - start, size - (start % size));
      const bytes = Buffer.allocUnsafeSlow(length);
      const got = length === 0 ? 0 : readSync(fd, bytes, 0, length, headerBytes + (start % size));
      const after = readHeader(fd)?.total ?? total;
      // Checks the header again, because the writer may have overwritten the bytes meanwhile. The file may already
      // contain one chunk more than the header says.
      if (after - start <= size - slackBytes) return { bytes: bytes.subarray(0, got), next: start + got, total: after };
    }
    return { bytes: new Uint8Array(), next: 0, total: 0 };
  } finally {
    closeSync(fd);
  }
}

interface Header {
  readonly size: number;
  readonly total: number;
  /** Offset of the first available byte after a failed write. */
  readonly first: number;
}

function readHeader(fd: number): Header | undefined {
  const header = Buffer.alloc(headerBytes);
  if (readSync(fd, header, 0, headerBytes, 0) < headerBytes || header.toString("latin1", 0, 8) !== magic)
    return undefined;
  return { size: header.readDoubleLE(8), total: header.readDoubleLE(16), first: header.readDoubleLE(24) };
}

const magic = "hermlog1";
const headerBytes = 32;
/** Maximum chunk size: bytes that the header lists stay readable while a chunk is written. */
const slackBytes = 64 * 1024;
const maxPieceBytes = 1024 * 1024;
const maxRounds = 20;
