import { closeSync } from "node:fs";
import { Socket } from "node:net";

import { err, ok, type Result } from "../../base/result.ts";
import type { ProcessFault } from "../../contracts/environment/environment.ts";
import type { Pty } from "../pty/ptys.ts";

/** What a process reads. */
export interface ProcessInput {
  /** Resolves when it has been taken, which can be never. */
  write(bytes: Uint8Array): Promise<Result<void, ProcessFault>>;
  /** After what was written before. */
  end(): Promise<Result<void, ProcessFault>>;
  /** Gives up what was not taken. */
  close(): void;
}

/** Takes over our end of a pipe. */
export function pipeInput(fd: number): ProcessInput {
  let socket: Socket | undefined;
  let isClosed = false;

  /** Most processes are never written to. */
  function opened(): Socket {
    if (socket) return socket;
    const made = new Socket({ fd, readable: false, writable: true });
    made.on("error", () => made.destroy());
    return (socket = made);
  }

  return {
    async write(bytes) {
      if (isClosed || socket?.writable === false) return err(closedInput);
      const stream = opened();
      if (stream.writableLength > maxWaitingBytes) return err(fullInput);
      return new Promise((resolve) => {
        stream.write(bytes, (fault) => resolve(fault ? err(closedInput) : ok(undefined)));
      });
    },
    async end() {
      if (isClosed) return ok(undefined);
      isClosed = true;
      if (!socket) closeSync(fd);
      else if (socket.writable) socket.end();
      return ok(undefined);
    },
    close() {
      if (socket) socket.destroy();
      else if (!isClosed) closeSync(fd);
      isClosed = true;
    },
  };
}

/** What a person types. */
export function terminalInput(pty: Pty): ProcessInput {
  let waiting = 0;
  async function write(bytes: Uint8Array): Promise<Result<void, ProcessFault>> {
    if (waiting > maxWaitingBytes) return err(fullInput);
    waiting += bytes.length;
    const written = await pty.write(bytes);
    waiting -= bytes.length;
    return written;
  }
  return { write, end: () => write(endOfInput), close() {} };
}

/** Ctrl-D. */
const endOfInput = Uint8Array.of(4);
const maxWaitingBytes = 1024 * 1024;
const closedInput: ProcessFault = { message: "its input is closed" };
const fullInput: ProcessFault = { message: "it does not read the input that it was given before; nothing was added" };
