import type { Worker } from "node:worker_threads";

import { sleep, abortable } from "../../base/async/abort.ts";
import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { PlainFailure } from "../../base/plain-failure.ts";
import type { SearchAnswer, SessionSearch } from "../../contracts/session/session-search.ts";
import type { SearchPaths } from "./finder.ts";
import type { SearchInput, CatchUpResult, TaskInput, SearchTask, ThreadData, ThreadReply } from "./search-task.ts";

/**
 * Searches in a file next to the store, with two threads: one searches, one writes the file. Nothing starts before the
 * first search. Each search first indexes new entries, unless there are many: then indexing continues in the
 * background.
 */
export function openSessionSearch(paths: SearchPaths, { clock }: { readonly clock: Clock }): SessionSearch {
  const finder = createAskedThread(paths);
  const indexer = createAskedThread(paths);
  const over = new AbortController();
  /** Until this check, it is unknown whether the search file belongs to this store. */
  let wasCaughtUp = false;
  /** Indexes many entries in the background; no search waits for it. */
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
        if (!isSoonDone || tries >= maxTries) return answer;
      } catch (thrown) {
        if (!(thrown instanceof SearchFailure) || tries >= maxTries) throw thrown;
        if (thrown.isBroken) {
          // Another process may already be rebuilding the file.
          await indexer.ask({ kind: "make-again" }, signal);
          await catchUp(signal);
        }
      }
      if (caught === "elsewhere" || tries > 0) await sleep(pauseMs, signal, clock);
    }
  };

  /** The common case: nothing is new, and one request is enough. After an error, the slower path below reports it. */
  async function findIfAll(requested: SearchInput, signal: AbortSignal): Promise<SearchAnswer | undefined> {
    try {
      return await finder.ask({ kind: "find-if-all", asked: requested }, signal);
    } catch (thrown) {
      if (!(thrown instanceof SearchFailure)) throw thrown;
      return undefined;
    }
  }

  /** Errors such as a full or read-only disk do not prevent a search of existing entries. */
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

/** The number of entries that another process indexes within a moment. */
const soon = 4_000;
const maxTries = 10;
const pauseMs = 40;

/**
 * A worker thread for requests. It starts with the first request and keeps the process alive only while one is pending.
 */
interface AskedThread extends AsyncDisposable {
  /**
   * Sends a request. Rejects with the thread's error, or with the signal's reason; the thread continues for later
   * requests. With `isOptional`, the program may end before the response.
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

/**
 * A failed search, with a message for the user. `isBroken` means that the search file is damaged and can be rebuilt.
 */
class SearchFailure extends PlainFailure {
  readonly isBroken: boolean;

  constructor(message: string, isBroken: boolean) {
    super(message);
    this.isBroken = isBroken;
  }
}

const startText = `const { workerData } = process.getBuiltinModule("node:worker_threads");
import(workerData.module).then(({ searchThread }) => searchThread.run());`;
