import { closeSync, openSync, readSync, writeSync } from "node:fs";

/** The latest output of a process, in a file that never grows past a limit, by offset from the first byte ever. */
export interface OutputRing {
  add(chunk: Uint8Array): void;
  close(): void;
}

export interface OutputPiece {
  readonly bytes: Uint8Array;
  readonly next: number;
  readonly total: number;
}

/**
 * Takes up a file that is there already. What cannot be written is lost, and what came before it with it; nothing stops.
 * At once and without memory of its own: the supervisor has hundreds of these.
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
        try {
          writeDown();
        } catch {
          // The next chunk tries again.
        }
      }
    },
    close: () => closeSync(fd),
  };
}

/** At most one piece, also while it is being written; later than asked when that is dropped already. */
export function readOutput(path: string, from: number): OutputPiece {
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return { bytes: new Uint8Array(), next: 0, total: 0 };
  }
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
      // Somebody may have written over it meanwhile; one chunk more than is told may be there already.
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
  /** Where the bytes that are there begin, when some could not be written. */
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
/** No chunk is longer: while one is written, all that is told to be there is. */
const slackBytes = 64 * 1024;
const maxPieceBytes = 1024 * 1024;
const maxRounds = 20;
