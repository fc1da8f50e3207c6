import type { DatabaseSync } from "node:sqlite";

import { sleep } from "../base/async/abort.ts";
import type { Clock } from "../base/clock.ts";
import { randomHex } from "../base/digest.ts";
import { closedError, isBusy, storeError } from "./store-fault.ts";

/** Group commit: all writes requested at the same time share one transaction. */
export interface GroupCommit {
  /**
   * Resolves when the writes of `work` are on disk. If `work` throws, only its own writes are undone. `work` may run
   * twice, so it must change only the database. With `joins`, it waits briefly to share the transaction of another
   * write.
   */
  write<T>(work: () => T, joins?: boolean): Promise<T>;
  /** Resolves when every earlier write has succeeded or failed. */
  idle(): Promise<void>;
}

interface Waiting {
  run(): void;
  settle(): void;
  fail(thrown: unknown): void;
}

/** The maximum wait for other writers, whose transactions take a few milliseconds. */
const patienceMs = 30_000;
/** The maximum time that a joining write waits for another write. */
const joinMs = 20;
/** The maximum number of writes in a transaction, which keeps it short for other writers. */
const maxAtOnce = 500;

/** `last` runs at the end of every transaction and `check` after it. If `check` rejects, the writes reject too. */
export function createGroupCommit(
  database: DatabaseSync,
  path: string,
  clock: Clock,
  last: () => void = () => {},
  check: () => Promise<void> = async () => {},
): GroupCommit {
  const waiting: Waiting[] = [];
  let flushing: Promise<void> | undefined;
  let joining: NodeJS.Timeout | undefined;
  const never = new AbortController().signal;

  function flushSoon(): void {
    clearTimeout(joining);
    joining = undefined;
    flushing ??= flush();
  }

  async function flush(): Promise<void> {
    // Keeps the process running while a write waits for another process.
    const alive = setInterval(() => {}, 2 ** 30);
    // Lets all writes that are requested at this moment join.
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) await writeAll(waiting.splice(0, maxAtOnce));
    clearInterval(alive);
    flushing = undefined;
  }

  /** Never rejects. */
  async function writeAll(group: readonly Waiting[]): Promise<void> {
    try {
      await beginSoon();
      for (const each of group) each.run();
      last();
      database.exec("COMMIT");
    } catch (thrown) {
      rollBack();
      if (group.length === 1 || isBusy(thrown)) for (const each of group) each.fail(storeError(thrown, path));
      // Runs one by one, so that a failing write does not affect others.
      else for (const each of group) await writeAll([each]);
      return;
    }
    try {
      await check();
      for (const each of group) each.settle();
    } catch (thrown) {
      for (const each of group) each.fail(thrown);
    }
  }

  async function beginSoon(): Promise<void> {
    const startedAt = clock.elapsed();
    for (;;) {
      try {
        database.exec("BEGIN IMMEDIATE");
        return;
      } catch (thrown) {
        if (!isBusy(thrown) || clock.elapsed() - startedAt > patienceMs) throw thrown;
      }
      // Random delays keep waiting processes from retrying in step.
      await sleep(1 + Number.parseInt(randomHex(1), 16) / 85, never, clock);
    }
  }

  /** Many errors have already ended the transaction, so a failed rollback is ignored. */
  function rollBack(): void {
    try {
      if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
    } catch {
      // Keeps the first error.
    }
  }

  return {
    write<T>(work: () => T, joins = false): Promise<T> {
      if (!database.isOpen) return Promise.reject(closedError(path));
      return new Promise<T>((resolve, reject) => {
        let value: { readonly of: T } | undefined;
        waiting.push({
          run: () => void (value = { of: work() }),
          settle: () => (value ? resolve(value.of) : reject(new Error("the write did not run"))),
          fail: reject,
        });
        if (joins) joining ??= setTimeout(flushSoon, joinMs);
        else flushSoon();
      });
    },
    async idle() {
      if (waiting.length > 0) flushSoon();
      await flushing;
    },
  };
}
