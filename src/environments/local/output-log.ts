import type { FileHandle } from "node:fs/promises";

/** The latest output of a process, in a file that never grows past a limit, by offset from the first byte ever. */
export interface OutputLog {
  /** The chunk is copied. False: wait for `onReady` before adding more. */
  add(chunk: Uint8Array): boolean;
  /** At most one piece from there on; later than asked when that is dropped already; nothing once it is closed. */
  read(from: number): Promise<{ readonly bytes: Uint8Array; readonly next: number }>;
  close(): Promise<void>;
}

/** Takes over the file. When it cannot be written the bytes are lost, and `onFault` is told once; nothing stops. */
export function createOutputLog(
  file: FileHandle,
  maxBytes: number,
  onReady: () => void,
  onFault: (thrown: unknown) => void,
): OutputLog {
  let added = 0;
  let written = 0;
  let pending = 0;
  let isFaulty = false;
  let isClosed = false;
  /** Reads and writes one after the other: nobody reads what is half written. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  }

  async function write(bytes: Uint8Array, at: number): Promise<void> {
    for (let done = 0; done < bytes.length;) {
      const place = (at + done) % maxBytes;
      const room = Math.min(bytes.length - done, maxBytes - place);
      done += (await file.write(bytes, done, room, place)).bytesWritten;
    }
    written = at + bytes.length;
  }

  return {
    add(chunk) {
      const bytes = Uint8Array.from(chunk);
      const at = added;
      added += bytes.length;
      pending += bytes.length;
      void inTurn(() => write(bytes, at))
        .catch((thrown: unknown) => {
          if (!isFaulty) onFault(thrown);
          isFaulty = true;
        })
        .finally(() => {
          const wasFull = pending > maxPendingBytes;
          pending -= bytes.length;
          if (wasFull && pending <= maxPendingBytes) onReady();
        });
      return pending <= maxPendingBytes;
    },
    read(from) {
      return inTurn(async () => {
        if (isClosed) return { bytes: new Uint8Array(), next: from };
        const start = Math.min(written, Math.max(0, Math.floor(from) || 0, written - maxBytes));
        const length = Math.min(maxPieceBytes, written - start, maxBytes - (start % maxBytes));
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, start % maxBytes);
        return { bytes: buffer.subarray(0, bytesRead), next: start + bytesRead };
      });
    },
    close: () =>
      inTurn(async () => {
        isClosed = true;
        await file.close();
      }).catch(() => undefined),
  };
}

const maxPieceBytes = 1024 * 1024;
const maxPendingBytes = 1024 * 1024;
