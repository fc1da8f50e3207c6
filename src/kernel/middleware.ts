import { linkAbort } from "../base/async/abort.ts";
import type { Clock } from "../base/clock.ts";
import { isObject } from "../base/json.ts";
import type { Logger } from "../base/log/log.ts";
import { reasonOf } from "../base/result.ts";
import type { ChangeNote } from "../contracts/host/middleware.ts";
import { createTimeLimit, waitWithin } from "./time-limit.ts";

export interface MiddlewareDeps {
  readonly clock: Clock;
  readonly log: Logger;
}

interface Registered<Run> {
  readonly owner: string;
  readonly timeoutMs: number;
  readonly run: Run;
}

/** Runs request middleware in order. Each one gets the last valid value; one that fails is skipped and logged. */
export async function changeRequest<T>(
  list: readonly Registered<(value: T, signal: AbortSignal) => unknown>[],
  first: T,
  /** Returns the new value in an answer, or undefined if the answer contains none. */
  read: (answer: Record<string, unknown>, value: T) => T | undefined,
  signal: AbortSignal,
  { clock, log }: MiddlewareDeps,
): Promise<{ readonly value: T; readonly trace: readonly ChangeNote[] }> {
  const trace: ChangeNote[] = [];
  let value = first;
  for (const { owner, timeoutMs, run } of list) {
    using link = linkAbort(signal);
    using limit = createTimeLimit(timeoutMs, clock);
    try {
      const waited = await waitWithin(limit, attempt(run, value, link.signal), signal, clock);
      if (signal.aborted) break;
      if (waited.how !== "done") throw new Error(`no answer within ${timeoutMs / 1000}s`);
      if (waited.value === undefined || waited.value === null) continue;
      const changed = isObject(waited.value) ? read(waited.value, value) : undefined;
      if (changed === undefined || !isObject(waited.value)) throw new Error("a malformed answer");
      value = changed;
      trace.push(noteOf(waited.value, owner));
    } catch (thrown) {
      link.abort(thrown);
      log.warn("middleware.failed", { owner, error: reasonOf(thrown) });
    }
  }
  return { value, trace };
}

/**
 * Execution middleware around `last`, the first one outermost. `last` runs at most once. A middleware that fails before
 * `next` is skipped; one that fails after it does not affect the result. A failure of `last` rejects, unless a
 * middleware returns a result instead.
 */
export async function runExecution<P, R>(
  list: readonly Registered<(payload: P, next: (changed?: P) => Promise<R>, signal: AbortSignal) => Promise<R>>[],
  payload: P,
  last: (payload: P) => Promise<R>,
  isResult: (answer: unknown) => boolean,
  signal: AbortSignal,
  { clock, log }: MiddlewareDeps,
): Promise<R> {
  async function from(index: number, current: P): Promise<R> {
    const one = list[index];
    if (!one) return last(current);
    let rest: Promise<R> | undefined;
    let isOver = false;
    using limit = createTimeLimit(one.timeoutMs, clock);
    using link = linkAbort(signal);
    async function next(changed?: P): Promise<R> {
      if (isOver) throw new Error("the middleware has ended");
      if (rest) throw new Error("next was called twice; the rest of a call runs once");
      using _pause = limit.pause();
      rest = from(index + 1, changed ?? current);
      return await rest;
    }
    try {
      const waited = await waitWithin(limit, attempt(one.run, current, next, link.signal), signal, clock);
      if (waited.how === "done" && isResult(waited.value)) return waited.value;
      throw new Error(
        waited.how === "done"
          ? "a malformed result"
          : waited.how === "timeout"
            ? `no result within ${one.timeoutMs / 1000}s`
            : "interrupted",
      );
    } catch (thrown) {
      isOver = true;
      link.abort(thrown);
      log.warn("middleware.failed", { owner: one.owner, error: reasonOf(thrown) });
      if (rest) return await rest;
      signal.throwIfAborted();
      return await from(index + 1, current);
    }
  }
  return from(0, payload);
}

/** An exception of the middleware becomes a rejection. */
async function attempt<A extends readonly unknown[], T>(run: (...args: A) => T, ...args: A): Promise<Awaited<T>> {
  return await run(...args);
}

function noteOf({ name, source, reason }: Record<string, unknown>, owner: string): ChangeNote {
  const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
  return {
    name: isText(name) ? name : owner,
    ...(isText(source) && { source }),
    ...(isText(reason) && { reason }),
  };
}
