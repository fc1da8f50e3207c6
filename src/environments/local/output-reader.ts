import { Socket } from "node:net";

/** Reads a pipe to its end. */
export interface OutputReader {
  /** Resolves when every holder of the other end has closed it, or after `stop`. */
  readonly ended: Promise<void>;
  /** After a `take` that returned false. */
  resume(): void;
  /** Reads no further, whoever still holds the other end. */
  stop(): void;
  readonly isAtEnd: boolean;
}

/** Takes over the descriptor. Every chunk is read into the same buffer: `take` must copy what it keeps; false means: no more until `resume`. */
export function readPipe(fd: number, buffer: Buffer, take: (chunk: Uint8Array) => boolean): OutputReader {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let isAtEnd = false;
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: { buffer, callback: (bytes, chunk) => take(chunk.subarray(0, bytes)) },
  });
  socket.once("end", () => (isAtEnd = true));
  socket.once("close", resolve);
  // What cannot be read has ended.
  socket.on("error", () => socket.destroy());
  socket.resume();
  return {
    ended,
    resume: () => void socket.resume(),
    stop: () => void socket.destroy(),
    get isAtEnd() {
      return isAtEnd;
    },
  };
}
