import type { OutputArrivals } from "./rest-of-output.ts";
import { createRing, type Ring } from "./ring.ts";
import type { SpillFolder } from "./spill-folder.ts";
import { createSpillWriter, type SpillSizes, type SpillWriter } from "./spill-writer.ts";

/** The output of a command: its start and end in memory, and all of it in a file when it is longer. */
export interface CapturedOutput extends Required<OutputArrivals> {
  /** Copies the chunk. False: wait for `onReady` before adding more. */
  add(chunk: Uint8Array): boolean;
  end(): Promise<Captured>;
}

export interface Captured {
  readonly head: Uint8Array;
  readonly tail: Uint8Array;
  readonly totalBytes: number;
  readonly spillPath?: string;
  readonly spillFault?: string;
}

export interface OutputLimits {
  /** Bytes kept in memory at each end. */
  readonly headBytes: number;
  readonly tailBytes: number;
  readonly spill: SpillSizes;
}

export const defaultOutputLimits: OutputLimits = {
  headBytes: 128 * 1024,
  tailBytes: 256 * 1024,
  spill: { headBytes: 56 * 1024 * 1024, tailBytes: 8 * 1024 * 1024 },
};

export function captureOutput(folder: SpillFolder, limits: OutputLimits, onReady: () => void): CapturedOutput {
  let head = Buffer.alloc(0);
  let headBytes = 0;
  let totalBytes = 0;
  let tail: Ring | undefined;
  let spill: SpillWriter | undefined;
  let isPaused = false;
  const resume = () => {
    isPaused = false;
    onReady();
  };

  return {
    bytes: () => totalBytes,
    isPaused: () => isPaused,
    add(chunk) {
      const wasWhole = totalBytes <= limits.headBytes + limits.tailBytes;
      const before = headBytes;
      totalBytes += chunk.length;
      if (wasWhole && totalBytes > limits.headBytes + limits.tailBytes) {
        spill = createSpillWriter(folder, limits.spill, resume);
        spill.add(head.subarray(0, headBytes));
        if (tail) spill.add(tail.bytes());
      }
      const isReady = spill?.add(chunk) ?? true;
      const first = chunk.subarray(0, limits.headBytes - before);
      if (first.length > 0) {
        head = withRoom(head, headBytes + first.length, limits.headBytes);
        head.set(first, headBytes);
        headBytes += first.length;
      }
      if (first.length < chunk.length) {
        tail ??= createRing(limits.tailBytes);
        tail.add(chunk.subarray(first.length));
      }
      isPaused = !isReady;
      return isReady;
    },
    async end() {
      const spilled = await spill?.end();
      return {
        head: head.subarray(0, headBytes),
        tail: tail?.bytes() ?? new Uint8Array(),
        totalBytes,
        ...(spilled && "path" in spilled && { spillPath: spilled.path }),
        ...(spilled && "fault" in spilled && { spillFault: spilled.fault }),
      };
    },
  };
}

function withRoom(buffer: Buffer<ArrayBuffer>, bytes: number, max: number): Buffer<ArrayBuffer> {
  if (bytes <= buffer.length) return buffer;
  const larger = Buffer.allocUnsafeSlow(Math.min(max, Math.max(4096, bytes * 2)));
  larger.set(buffer);
  return larger;
}
