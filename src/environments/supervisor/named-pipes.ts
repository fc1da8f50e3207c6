import { closeSync, constants, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { ProcessFault } from "../../contracts/environment/environment.ts";
import { makePipes } from "../make-pipes.ts";

/** Named pipes, made many at a time: each costs a program otherwise. */
export interface NamedPipes {
  /** Puts new pipes at these paths. */
  make(paths: readonly string[]): Promise<Result<void, ProcessFault>>;
  /** Removes those that nobody took. */
  clear(): void;
}

/** `folder` holds the ready ones; `name` must be this process's alone. */
export function createNamedPipes(folder: string, name: string, searchPath: string): NamedPipes {
  const ready: string[] = [];
  let made = 0;
  let making: Promise<string | undefined> | undefined;

  async function refill(): Promise<string | undefined> {
    const batch = Array.from({ length: batchSize }, () => join(folder, `${name}-${(made += 1)}`));
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
          return err({ message: `a pipe could not be put at ${path}: ${reasonOf(thrown)}` });
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
 * For the output of a process: to read from, without waiting. `childs` is opened both ways, so that the process can go on
 * writing when nobody reads: it waits when the pipe is full, and whoever comes next reads all of it. Throws.
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

/** For the input of a process. Our end does not wait, the process's does. Throws. */
export function openForInput(path: string): { readonly ours: number; readonly childs: number } {
  const childs = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const ours = openPipeToWrite(path);
    // The same pipe once more, to be waited at.
    return { ours, childs: openSync(path, constants.O_RDONLY) };
  } finally {
    closeSync(childs);
  }
}

/** Throws when nobody has it open to read. */
export function openPipeToWrite(path: string): number {
  return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
}
