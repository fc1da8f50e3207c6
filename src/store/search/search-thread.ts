import { parentPort, workerData } from "node:worker_threads";

import { reasonOf } from "../../base/result.ts";
import { isBroken } from "./search-file.ts";
import { type ThreadReply } from "./search-task.ts";
import { type TaskInput } from "./search-task.ts";
import { type SearchTask } from "./search-task.ts";
import { type ThreadData } from "./search-task.ts";

/** The thread side of `createAskedThread`, which answers its requests. */
export const searchThread = {
  /** The URL of this module, so that a thread can start it from source and from a bundle. */
  module: import.meta.url,

  async run(): Promise<void> {
    // Set by the thread's parent.
    const data = workerData as ThreadData;
    const { createSplitter } = await import("./split-words.ts");
    const splitter = createSplitter();
    const { createFinder } = await import("./finder.ts");
    const { createIndexer } = await import("./indexer.ts");
    const finder = createFinder(data, splitter);
    const indexer = createIndexer(data, splitter, () => Atomics.load(data.stop, 0) === 1);

    async function answer(task: SearchTask): Promise<TaskInput<SearchTask>> {
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
