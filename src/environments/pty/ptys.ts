import { closeSync, openSync } from "node:fs";
import type { ReadStream } from "node:tty";

import { once } from "../../base/async/once.ts";
import { err, ok, reasonOf, type Result, type Failure } from "../../base/result.ts";
import type { EnvironmentError, PtySize } from "../../contracts/environment/environment.ts";
import type { PlannedMount } from "../../contracts/safety/isolation.ts";
import type { OutputReader } from "../local/output-reader.ts";
import { startProgram, type StartedProgram } from "../start-program.ts";

/** Opens pseudo terminals on this machine and runs programs in them. */
export interface Ptys {
  open(start: PtyStart): Promise<Result<Pty, EnvironmentError>>;
  /**
   * Descriptors for another child: replaces our ends of the terminals, which every child would inherit, with
   * `/dev/null`.
   */
  shielded(stdio: readonly ("ignore" | number)[]): readonly ("ignore" | number)[];
}

export interface PtyStart {
  readonly program: string;
  readonly args: readonly string[];
  /** The complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  /** Mounts of a sandbox to verify before it runs anything. */
  readonly mounts?: readonly PlannedMount[] | undefined;
  readonly size: PtySize;
  /** Receives every byte in order. The chunk is reused: copy it to keep it. False: pause until `output.resume()`. */
  readonly take: (chunk: Uint8Array) => boolean;
}

/** A program in a terminal, in its own session and process group. */
export interface Pty extends StartedProgram {
  /** Resolves when no process has the terminal open and all output has been read. */
  readonly output: OutputReader;
  /** Resolves when the terminal has accepted it. */
  write(bytes: Uint8Array): Promise<Result<void>>;
  resize(size: PtySize): Result<void>;
}

export function createPtys(): Ptys {
  const open = new Set<number>();
  const nowhere = once(() => openSync("/dev/null", "r+"));

  function shielded(stdio: readonly ("ignore" | number)[]): readonly ("ignore" | number)[] {
    if (open.size === 0) return stdio;
    const all = Array.from({ length: Math.max(stdio.length, ...[...open].map((fd) => fd + 1)) }, (_, index) =>
      open.has(index) ? nowhere() : "ignore",
    );
    return [...stdio, ...all.slice(stdio.length)];
  }

  return {
    shielded,
    async open(start) {
      const native = await loadNative();
      if (!native.ok) return native;
      let ends: ReturnType<NativePty["open"]>;
      try {
        ends = native.value.open(start.size.columns, start.size.rows);
      } catch (thrown) {
        return err({ kind: "unreachable", message: `the system could not open a terminal: ${reasonOf(thrown)}` });
      }
      const { master, slave, pty } = ends;
      open.add(master).add(slave);
      const started = await startProgram({
        program: "/bin/sh",
        args: ["-c", takeTerminal, "sh", pty, start.program, ...start.args],
        env: start.env,
        folder: start.folder,
        mounts: start.mounts,
        stdio: shielded([slave, slave, slave]),
      });
      open.delete(slave);
      closeSync(slave);
      const letGo = () => void open.delete(master);
      if (!started.ok) {
        letGo();
        closeSync(master);
        return started;
      }
      return ok({ ...started.value, ...terminalAt(master, start, native.value, letGo) });
    },
  };
}

/**
 * A session without a terminal gets the first one that its leader opens. `iutf8` makes backspace erase whole
 * characters. A program that cannot start exits with 127, as in any shell.
 */
const takeTerminal = ': <>"$1"; shift; stty iutf8 2>/dev/null; exec "$@"';

function terminalAt(
  master: number,
  { size, take }: PtyStart,
  native: NativePty,
  letGo: () => void,
): Pick<Pty, "output" | "write" | "resize"> {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const buffer = Buffer.allocUnsafeSlow(readBytes);
  let isAtEnd = false;
  // Loaded when the first terminal opens. The types lack the socket options.
  const Stream = process.getBuiltinModule("node:tty").ReadStream as new (fd: number, options: object) => ReadStream;
  const stream = new Stream(master, {
    onread: { buffer, callback: (bytes: number, chunk: Uint8Array) => take(chunk.subarray(0, bytes)) },
  });
  // Linux returns EIO when the last process closes the other end.
  stream.on("error", () => {
    isAtEnd = true;
    stream.destroy();
  });
  stream.once("end", () => (isAtEnd = true));
  stream.once("close", () => {
    letGo();
    resolve();
  });
  stream.resume();
  let now = size;
  return {
    output: {
      ended,
      resume: () => void stream.resume(),
      stop: () => void stream.destroy(),
      get isAtEnd() {
        return isAtEnd;
      },
    },
    write(bytes) {
      if (stream.destroyed) return Promise.resolve(err(closedTerminal));
      return new Promise((done) => {
        stream.write(bytes, (fault) => done(fault ? err(closedTerminal) : ok(undefined)));
      });
    },
    resize(size) {
      if (stream.destroyed) return err(closedTerminal);
      if (size.columns === now.columns && size.rows === now.rows) return ok(undefined);
      try {
        native.resize(master, size.columns, size.rows);
        now = size;
        return ok(undefined);
      } catch (thrown) {
        return err({ message: `the terminal could not be resized: ${reasonOf(thrown)}` });
      }
    },
  };
}

const readBytes = 16 * 1024;
const closedTerminal: Failure = { message: "its terminal is closed" };

/** The functions of the compiled library that Node lacks. Both throw. */
interface NativePty {
  open(columns: number, rows: number): { readonly master: number; readonly slave: number; readonly pty: string };
  resize(master: number, columns: number, rows: number): void;
}

/**
 * The library's own spawn function is not used: every child would inherit the other terminals, and the last output of a
 * program would be lost if it is not read at once.
 */
async function loadNative(): Promise<Result<NativePty, EnvironmentError>> {
  try {
    const { default: library } = await import("@lydell/node-pty/requireBinary.js");
    // The cast gives the compiled library the types that it lacks.
    return ok(library.requireBinary("pty.node") as NativePty);
  } catch (thrown) {
    return err({
      kind: "refused",
      message: `terminals are not available on this system: ${reasonOf(thrown).split("\n", 1)[0]}`,
      hint: "Run the command without a terminal, or install the optional package @lydell/node-pty for this system.",
    });
  }
}
