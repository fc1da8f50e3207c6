import { closeSync } from "node:fs";
import { Socket } from "node:net";

import { err, ok, type Result, type Failure } from "../../base/result.ts";
import type { Pty } from "../pty/ptys.ts";

export interface ProcessInput {
  /** Resolves when the process has read the bytes, which may never happen. */
  write(bytes: Uint8Array): Promise<Result<void>>;
  /** Closes the input after earlier writes. */
  end(): Promise<Result<void>>;
  /** Discards input that was not read. */
  close(): void;
}

/** Input through a pipe. Takes ownership of `fd`, our end of it. */
export function pipeInput(fd: number): ProcessInput {
  let socket: Socket | undefined;
  let isClosed = false;

  /** Created on first use: most processes get no input. */
  function opened(): Socket {
    if (socket) return socket;
    const created = new Socket({ fd, readable: false, writable: true });
    created.on("error", () => created.destroy());
    return (socket = created);
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

export function terminalInput(pty: Pty): ProcessInput {
  let waiting = 0;
  async function write(bytes: Uint8Array): Promise<Result<void>> {
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
const closedInput: Failure = { message: "its input is closed" };
const fullInput: Failure = { message: "it has not read the earlier input yet; nothing was written" };
