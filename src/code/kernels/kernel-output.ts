import { PassThrough, type Readable } from "node:stream";

/** Splits the output of a kernel into the outputs of its scripts. */
export interface KernelOutput {
  /** The output of the next script: until `mark`. Output between scripts is dropped. */
  follow(mark: string): ScriptStream;
}

export interface ScriptStream {
  readonly stream: Readable;
  /** Resolves when the end mark has arrived. */
  readonly ended: Promise<void>;
  /** Ends the stream without the mark. */
  stop(): void;
}

/** `encoding`: as `source` delivers it; undefined for bytes. */
export function splitOutput(source: Readable, encoding?: "utf8"): KernelOutput {
  let current: { readonly take: (chunk: Buffer) => boolean; readonly stop: () => void } | undefined;
  source.on("error", () => {});
  source.on("data", (chunk: Buffer | string) => {
    if (current?.take(typeof chunk === "string" ? Buffer.from(chunk) : chunk) === false) source.pause();
  });
  source.on("close", () => current?.stop());

  return {
    follow(mark) {
      const target = new PassThrough({ highWaterMark: 2 ** 20, ...(encoding && { encoding }) });
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      const sign = Buffer.from(mark);
      let held: Buffer = Buffer.alloc(0);
      target.on("drain", () => source.resume());
      const stop = () => {
        if (current !== own) return;
        current = undefined;
        source.resume();
        target.end(held);
        resolve();
      };
      const own = {
        stop,
        take(chunk: Buffer): boolean {
          const bytes = held.length === 0 ? chunk : Buffer.concat([held, chunk]);
          const position = bytes.indexOf(sign);
          if (position !== -1) {
            held = bytes.subarray(0, position);
            stop();
            return true;
          }
          // A mark may be cut between two chunks.
          const keep = partOfSign(bytes, sign);
          held = Buffer.from(bytes.subarray(bytes.length - keep));
          return bytes.length === keep || target.write(bytes.subarray(0, bytes.length - keep));
        },
      };
      current = own;
      return { stream: target, ended, stop };
    },
  };
}

/** How many bytes at the end are a prefix of the mark. */
function partOfSign(bytes: Buffer, sign: Buffer): number {
  const from = bytes.indexOf(sign.subarray(0, 1), Math.max(0, bytes.length - sign.length + 1));
  for (let start = from; start !== -1; start = bytes.indexOf(sign.subarray(0, 1), start + 1)) {
    const length = bytes.length - start;
    if (bytes.subarray(start).equals(sign.subarray(0, length))) return length;
  }
  return 0;
}
