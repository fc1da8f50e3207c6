import { closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { makePipes } from "../make-pipes.ts";

/** Named pipes, created in batches because each batch starts a program. */
export interface NamedPipes {
  make(paths: readonly string[]): Promise<Result<void>>;
  clear(): void;
}

/** `folder` holds the spare pipes; `name` must be unique to this process. */
export function createNamedPipes(folder: string, name: string, searchPath: string): NamedPipes {
  const ready: string[] = [];
  let pipeCount = 0;
  let making: Promise<string | undefined> | undefined;

  async function refill(): Promise<string | undefined> {
    const batch = Array.from({ length: batchSize }, () => join(folder, `${name}-${(pipeCount += 1)}`));
    const fault = await makePipes(batch, folder, `/usr/bin:/bin:${searchPath}`);
    if (fault !== undefined) return fault;
    ready.push(...batch);
    return undefined;
  }

  return {
    async make(paths) {
      for (const path of paths) {
        while (ready.length === 0) {
          making ??= refill().finally(() => (making = undefined));
          const fault = await making;
          if (fault !== undefined) return err({ message: fault });
        }
        try {
          renameSync(ready.pop() ?? "", path);
        } catch (thrown) {
          return err({ message: `could not create a pipe at ${path}: ${reasonOf(thrown)}` });
        }
      }
      return ok(undefined);
    },
    clear() {
      for (const path of ready.splice(0)) rmSync(path, { force: true });
    },
  };
}

const batchSize = 16;

/**
 * Opens the output pipe of a process for reading without blocking. `childs` is opened for reading and writing, so that
 * the process can keep writing when no reader is connected: it blocks when the pipe is full, and the next reader gets
 * all of it. Throws.
 */
export function openForOutput(path: string): { readonly ours: number; readonly childs: number } {
  const childs = openSync(path, constants.O_RDWR);
  try {
    return { ours: openPipeToRead(path), childs };
  } catch (thrown) {
    closeSync(childs);
    throw thrown;
  }
}

export function openPipeToRead(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

/** Opens the input pipe of a process. Our end does not block, the process's end does. Throws. */
export function openForInput(path: string): { readonly ours: number; readonly childs: number } {
  const childs = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const ours = openPipeToWrite(path);
    // Opens the same pipe again in blocking mode.
    return { ours, childs: openSync(path, constants.O_RDONLY) };
  } finally {
    closeSync(childs);
  }
}

/** Opens a pipe for writing. Throws when no process has it open for reading. */
export function openPipeToWrite(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
}
