import type { Worker } from "node:worker_threads";

import { sleep, abortable } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { PlainFailure } from "../../base/plain-failure.ts";
import type { SearchAnswer, SessionSearch } from "../../contracts/session/session-search.ts";
import type { SearchPaths } from "./finder.ts";
import type { SearchInput, CatchUpResult, TaskInput, SearchTask, ThreadData, ThreadReply } from "./search-task.ts";

/**
 * Search in a file beside the store, in two threads: one finds, one writes the file. Nothing starts before the first
 * search. Before each, what is new in the store is read, unless it is much: then that goes on in the background.
 */
export function openSessionSearch(paths: SearchPaths, { clock }: { readonly clock: Clock }): SessionSearch {
  const finder = createAskedThread(paths);
  const indexer = createAskedThread(paths);
  const over = new AbortController();
  /** Before that nobody knows whether the search file is one of this store. */
  let wasCaughtUp = false;
  /** While much is read in the background, nobody waits for it. */
  let reading: Promise<unknown> | undefined;

  const search: SessionSearch["search"] = async (query, who, signal) => {
    const request = { query, who, now: clock.now() };
    const cached = wasCaughtUp ? await findIfAll(request, signal) : undefined;
    if (cached) return cached;
    const caught = await catchUp(signal);
    for (let tries = 0; ; tries++) {
      try {
        const answer = await finder.ask({ kind: "find", asked: request }, signal);
        const isSoonDone = caught === "elsewhere" && answer.behind > 0 && answer.behind < soon;
        if (!isSoonDone || tries >= mostTries) return answer;
      } catch (thrown) {
        if (!(thrown instanceof SearchFailure) || tries >= mostTries) throw thrown;
        if (thrown.isBroken) {
          // Another program may be rebuilding it already.
          await indexer.ask({ kind: "make-again" }, signal);
          await catchUp(signal);
        }
      }
      if (caught === "elsewhere" || tries > 0) await sleep(pauseMs, signal, clock);
    }
  };

  /** Most often nothing is new, and one question is enough. Whatever is wrong is found out about by those who look closer. */
  async function findIfAll(requested: SearchInput, signal: AbortSignal): Promise<SearchAnswer | undefined> {
    try {
      return await finder.ask({ kind: "find-if-all", asked: requested }, signal);
    } catch (thrown) {
      if (!(thrown instanceof SearchFailure)) throw thrown;
      return undefined;
    }
  }

  /** A disk that is full, or cannot be written to, does not keep anybody from what is there. */
  async function catchUp(signal: AbortSignal): Promise<CatchUpResult> {
    if (reading) return "far";
    try {
      const caught = await indexer.ask({ kind: "catch-up", all: false }, signal);
      if (caught === "far") {
        const end = () => (reading = undefined);
        reading = indexer.ask({ kind: "catch-up", all: true }, over.signal, true).then(end, end);
      }
      wasCaughtUp = true;
      return caught;
    } catch (thrown) {
      if (!(thrown instanceof SearchFailure)) throw thrown;
      return "far";
    }
  }

  async function until(ask: () => Promise<CatchUpResult>, signal: AbortSignal): Promise<void> {
    while ((await ask()) === "elsewhere") await sleep(pauseMs, signal, clock);
  }

  return {
    search,
    ready: (signal) => until(() => indexer.ask({ kind: "catch-up", all: true }, signal), signal),
    forgetErased: (signal) => until(() => indexer.ask({ kind: "forget-erased" }, signal), signal),
    [Symbol.asyncDispose]: once(async () => {
      over.abort(new Error("the search is closed"));
      await Promise.all([finder[Symbol.asyncDispose](), indexer[Symbol.asyncDispose]()]);
    }),
  };
}

/** Another program writes these in a moment. */
const soon = 4_000;
const mostTries = 10;
const pauseMs = 40;

/** A thread that is asked things; it starts with the first question. It keeps the program alive only while one waits. */
interface AskedThread extends AsyncDisposable {
  /**
   * Rejects with the thread's error, or with the signal's reason; the thread continues for later requests.
   * `isOptional`: the program may end before the response.
   */
  ask<T extends SearchTask>(task: T, signal: AbortSignal, isOptional?: boolean): Promise<TaskInput<T>>;
}

function createAskedThread(data: Omit<ThreadData, "stop" | "module">): AskedThread {
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
class SearchFailure extends PlainFailure {
  readonly isBroken: boolean;

  constructor(message: string, isBroken: boolean) {
    super(message);
    this.isBroken = isBroken;
  }
}

const startText = `const { workerData } = process.getBuiltinModule("node:worker_threads");
import(workerData.module).then(({ searchThread }) => searchThread.run());`;
