import { type FileHandle, rm } from "node:fs/promises";

import { describeFault } from "../../base/files/file-fault.ts";
import { createRing, type Ring } from "./ring.ts";
import type { SpillFolder } from "./spill-folder.ts";

/**
 * Writes a stream to a file: all of it up to a limit, beyond that the start and the end. Uses bounded memory; a caller
 * that adds faster than the disk writes must wait.
 */
export interface SpillWriter {
  /** Copies the chunk. False: wait for `onReady` before adding more. */
  add(chunk: Uint8Array): boolean;
  /** Writes the remaining bytes. Returns the file, or the reason why it is missing. */
  end(): Promise<{ readonly path: string } | { readonly fault: string }>;
}

export interface SpillSizes {
  /** Size of the start, which is always kept. */
  readonly headBytes: number;
  /** Size of the end, kept for longer streams; held in memory until then. */
  readonly tailBytes: number;
}

export function createSpillWriter(
  folder: SpillFolder,
  { headBytes, tailBytes }: SpillSizes,
  onReady: () => void,
): SpillWriter {
  const spare: Buffer<ArrayBuffer>[] = [];
  let page = Buffer.allocUnsafe(pageBytes);
  let filled = 0;
  let inFlight = 0;
  let writtenBytes = 0;
  let beyond = 0;
  let tail: Ring | undefined;
  let file: { readonly path: string; readonly handle: FileHandle } | undefined;
  let fault: string | undefined;
  let writing: Promise<void> = Promise.resolve();

  async function attempt(bytes: Uint8Array): Promise<void> {
    if (fault !== undefined) return;
    try {
      file ??= await folder.create();
      await writeAll(file.handle, bytes);
    } catch (thrown) {
      fault = describeFault(thrown, file?.path ?? "the file for long output").message;
    }
  }

  /** Runs writes one after the other. Never rejects. */
  function write(bytes: Uint8Array): Promise<void> {
    writing = writing.then(() => attempt(bytes));
    return writing;
  }

  async function flush(): Promise<void> {
    const full = page;
    const written = write(full.subarray(0, filled));
    page = spare.pop() ?? Buffer.allocUnsafe(pageBytes);
    filled = 0;
    inFlight += 1;
    await written;
    spare.push(full);
    inFlight -= 1;
    if (inFlight === maxInFlight - 1) onReady();
  }

  /** Number of bytes of the chunk that belong to the start. */
  function toPages(chunk: Uint8Array): number {
    let done = 0;
    while (done < chunk.length && writtenBytes < headBytes) {
      const room = Math.min(pageBytes - filled, chunk.length - done, headBytes - writtenBytes);
      page.set(chunk.subarray(done, done + room), filled);
      filled += room;
      writtenBytes += room;
      done += room;
      if (filled === pageBytes) void flush();
    }
    return done;
  }

  return {
    add(chunk) {
      if (fault !== undefined) return true;
      const done = toPages(chunk);
      if (done < chunk.length) {
        tail ??= createRing(tailBytes);
        tail.add(chunk.subarray(done));
        beyond += chunk.length - done;
      }
      return inFlight < maxInFlight;
    },
    async end() {
      if (filled > 0) void flush();
      if (tail) {
        const left = beyond - tailBytes;
        if (left > 0) await write(Buffer.from(`\n[… ${left} bytes left out …]\n`));
        await write(tail.bytes());
      }
      await writing;
      await file?.handle.close().catch(() => undefined);
      if (fault === undefined && file) return { path: file.path };
      if (file) await rm(file.path, { force: true }).catch(() => undefined);
      return { fault: fault ?? "nothing was written" };
    },
  };
}

const pageBytes = 512 * 1024;
const maxInFlight = 2;

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done);
    done += bytesWritten;
  }
}
