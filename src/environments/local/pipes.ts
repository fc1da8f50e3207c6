import { closeSync, constants, lstatSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShell } from "../../base/text/shell-quote.ts";
import { makePipes } from "../make-pipes.ts";

/**
 * Provides real pipes for child processes. Node would create sockets, on which a program cannot open `/dev/stdout` or
 * `/dev/stdin`. Named pipes are created in batches and reused.
 */
export interface Pipes {
  /**
   * Code that makes an already running shell create the first pipes, because starting a program costs more. Call
   * `isRun` when it has run; missing pipes are created on demand.
   */
  making(): { readonly code: string; isRun(): void };
  take(): Promise<Result<Pipe>>;
}

export interface Pipe {
  /** Read buffer of the size of a pipe, reused with it. */
  readonly buffer: Buffer;
  /** Our end does not block, the child's does. The caller must close both. */
  forOutput(): { readonly ours: number; readonly childs: number };
  /** Releases the pipe. It is reused only if no process can still have an end of it open. */
  giveBack(isFree: boolean): void;
}

export function createPipes(folder: string, path: string): Pipes {
  const free: Pipe[] = [];
  let pipeCount = 0;
  let making: Promise<string | undefined> | undefined;

  const nextBatch = () => Array.from({ length: batchSize }, () => join(folder, `pipe-${(pipeCount += 1)}`));

  async function make(): Promise<string | undefined> {
    const batch = nextBatch();
    try {
      // Another program may have cleaned the temporary folder.
      makeFolderSync(folder, 0o700);
    } catch (thrown) {
      return describeFault(thrown, folder).message;
    }
    const fault = await makePipes(batch, folder, path);
    if (fault !== undefined) return fault;
    free.push(...batch.map((name) => pipeAt(name, free)));
    return undefined;
  }

  return {
    making() {
      const batch = nextBatch();
      return {
        code: `\\command -p mkfifo -m 600 ${batch.map(quoteForShell).join(" ")} </dev/null >/dev/null 2>&1`,
        isRun: () => void free.push(...batch.filter(isPipe).map((name) => pipeAt(name, free))),
      };
    },
    async take() {
      let pipe = free.pop();
      while (pipe === undefined) {
        making ??= make().finally(() => (making = undefined));
        const fault = await making;
        if (fault !== undefined) return err({ message: fault });
        pipe = free.pop();
      }
      return ok(pipe);
    },
  };
}

const batchSize = 16;
const maxFree = 16;
const pipeBytes = 64 * 1024;

function pipeAt(name: string, free: Pipe[]): Pipe {
  const buffer = once(() => Buffer.allocUnsafeSlow(pipeBytes));
  const pipe: Pipe = {
    get buffer() {
      return buffer();
    },
    forOutput() {
      const ours = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK);
      return { ours, childs: openOr(ours, name, constants.O_WRONLY) };
    },
    giveBack(isFree) {
      if (isFree && free.length < maxFree) free.push(pipe);
      else rmSync(name, { force: true });
    },
  };
  return pipe;
}

function isPipe(name: string): boolean {
  return lstatSync(name, { throwIfNoEntry: false })?.isFIFO() === true;
}

function openOr(first: number, name: string, flags: number): number {
  try {
    return openSync(name, flags);
  } catch (thrown) {
    closeSync(first);
    throw thrown;
  }
}

export function pipeFault(thrown: unknown, folder: string): string {
  return describeFault(thrown, folder).message;
}
