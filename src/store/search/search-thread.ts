import { parentPort, workerData } from "node:worker_threads";

import { reasonOf } from "../../base/result.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { SearchAnswer, SearchQuery } from "../../contracts/session/session-search.ts";
import { isBroken } from "./search-file.ts";

export interface ThreadData {
  readonly module: string;
  readonly sessionsPath: string;
  readonly searchPath: string;
  /** Becomes 1 when the thread is to end. */
  readonly stop: Int32Array;
}

export interface AskedSearch {
  readonly query: SearchQuery;
  readonly who: Principal;
  readonly now: number;
}

/** What a thread is asked: one that finds, or one that writes the search file. */
export type SearchTask =
  | { readonly kind: "find"; readonly asked: AskedSearch }
  /** Unless there is something new in the store. */
  | { readonly kind: "find-if-all"; readonly asked: AskedSearch }
  /** `all`: it is waited for however much there is. */
  | { readonly kind: "catch-up"; readonly all: boolean }
  | { readonly kind: "forget-erased" }
  /** It is damaged. */
  | { readonly kind: "make-again" };

/** `far`: it goes on in the background. `elsewhere`: another program writes it. */
export type CaughtUp = "done" | "far" | "elsewhere";

export type Asked<T extends SearchTask> = T extends { readonly kind: "find" }
  ? SearchAnswer
  : T extends { readonly kind: "find-if-all" }
    ? SearchAnswer | undefined
    : CaughtUp;

export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly isBroken: boolean };

/** The other side of `createAskedThread`. */
export const searchThread = {
  /** Where this module is, so that a thread can be started with it, from source and from a bundle alike. */
  module: import.meta.url,

  async run(): Promise<void> {
    // Set by the one who started this thread.
    const data = workerData as ThreadData;
    const { createSplitter } = await import("./split-words.ts");
    const splitter = createSplitter();
    const { createFinder } = await import("./finder.ts");
    const { createIndexer } = await import("./indexer.ts");
    const finder = createFinder(data, splitter);
    const indexer = createIndexer(data, splitter, () => Atomics.load(data.stop, 0) === 1);

    async function answer(task: SearchTask): Promise<Asked<SearchTask>> {
      switch (task.kind) {
        case "find":
          return finder.find(task.asked);
        case "find-if-all":
          return finder.findIfAll(task.asked);
        case "catch-up":
          return indexer.catchUp(task.all);
        case "forget-erased":
          return indexer.forgetErased();
        case "make-again":
          return indexer.makeAgain();
      }
    }

    parentPort?.on("message", ({ id, task }: { readonly id: number; readonly task: SearchTask }) => {
      answer(task).then(
        (value) => parentPort?.postMessage({ id, ok: true, value } satisfies ThreadReply),
        (thrown: unknown) => {
          const reply = { id, ok: false, message: reasonOf(thrown), isBroken: isBroken(thrown) } as const;
          parentPort?.postMessage(reply satisfies ThreadReply);
        },
      );
    });
  },
};
