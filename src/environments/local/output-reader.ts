import { Socket } from "node:net";

/** Reads a pipe to its end. */
export interface OutputReader {
  /** Resolves when all holders of the other end have closed it, or after `stop`. */
  readonly ended: Promise<void>;
  /** Continues after `take` returned false. */
  resume(): void;
  /** Stops reading, even when other processes still hold the other end. */
  stop(): void;
  readonly isAtEnd: boolean;
}

/** Owns the descriptor. All chunks share one buffer: `take` must copy them; false pauses until `resume`. */
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
  // A read error is treated as the end.
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
