import type { Worker } from "node:worker_threads";

import { abortable } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import { PlainFailure } from "../../base/plain-failure.ts";
import type { TaskInput, SearchTask, ThreadData, ThreadReply } from "./search-task.ts";

/** A thread that is asked things; it starts with the first question. It keeps the program alive only while one waits. */
export interface AskedThread extends AsyncDisposable {
  /**
   * Rejects with what went wrong there, or with the signal's reason; the thread goes on for those who ask next.
   * `isOptional`: the program may end before.
   */
  ask<T extends SearchTask>(task: T, signal: AbortSignal, isOptional?: boolean): Promise<TaskInput<T>>;
}

export function createAskedThread(data: Omit<ThreadData, "stop" | "module">): AskedThread {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const waiting = new Map<number, PromiseWithResolvers<never> & { readonly isOptional: boolean }>();
  let started: Promise<Worker> | undefined;
  let isClosed = false;
  let next = 0;

  async function start(): Promise<Worker> {
    const [{ Worker }, { searchThread }] = await Promise.all([
      import("node:worker_threads"),
      import("./search-thread.ts"),
    ]);
    const { module } = searchThread;
    const thread = new Worker(startText, {
      eval: true,
      workerData: { ...data, stop, module } satisfies ThreadData,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    thread.unref();
    thread.on("message", ({ id, ...reply }: ThreadReply) => {
      const one = waiting.get(id);
      waiting.delete(id);
      if (waiting.values().every(({ isOptional }) => isOptional)) thread.unref();
      if (!one) return;
      if (reply.ok) one.resolve(reply.value as never);
      else one.reject(new SearchFailure(reply.message, reply.isBroken));
    });
    let isOver = false;
    /** A request after an error waits for a new thread. */
    const failed = (why: string) => {
      if (isOver) return;
      isOver = true;
      started = undefined;
      for (const one of waiting.values()) one.reject(new SearchFailure(why, false));
      waiting.clear();
    };
    thread.on("error", (thrown) => failed(`the search thread ended: ${thrown.message}`));
    thread.on("exit", () => failed("the search thread ended"));
    return thread;
  }

  return {
    async ask(task, signal, isOptional = false) {
      signal.throwIfAborted();
      if (isClosed) throw new SearchFailure("the search is closed", false);
      const thread = await (started ??= start());
      const id = ++next;
      const answer = Promise.withResolvers<never>();
      waiting.set(id, { ...answer, isOptional });
      if (!isOptional) thread.ref();
      thread.postMessage({ id, task });
      return abortable(answer.promise, signal);
    },
    [Symbol.asyncDispose]: once(async () => {
      isClosed = true;
      Atomics.store(stop, 0, 1);
      await (await started)?.terminate();
    }),
  };
}

/** A search that could not be done, in words for a person. `isBroken`: the search file is damaged and can be rebuilt. */
export class SearchFailure extends PlainFailure {
  readonly isBroken: boolean;

  constructor(message: string, isBroken: boolean) {
    super(message);
    this.isBroken = isBroken;
  }
}

const startText = `const { workerData } = process.getBuiltinModule("node:worker_threads");
import(workerData.module).then(({ searchThread }) => searchThread.run());`;
