import { parentPort } from "node:worker_threads";

import { reasonOf } from "../../base/result.ts";
import type { SourceKind } from "./page-kind.ts";
import type { FetchedPage, PageText } from "./page-text.ts";
import type { PageQuestion } from "./read-page.ts";

/** A page to read, or one that was read before, with a question. */
export type PageTask =
  | {
      readonly source: FetchedPage;
      readonly kind: Exclude<SourceKind, "document" | "binary">;
      readonly question: PageQuestion;
    }
  | { readonly page: PageText; readonly question: PageQuestion };

export type PageReply = { readonly page: PageText } | { readonly failure: string };

export const pageThread = {
  /** The URL of this module, so that a thread can start it from source and from a bundle. */
  module: import.meta.url,

  async run(): Promise<void> {
    const { answered, readPage } = await import("./read-page.ts");
    parentPort?.on("message", (task: PageTask) => {
      let reply: PageReply;
      try {
        reply = {
          page: "page" in task ? answered(task.page, task.question) : readPage(task.source, task.kind, task.question),
        };
      } catch (thrown) {
        reply = { failure: reasonOf(thrown) };
      }
      parentPort?.postMessage(reply);
    });
  },
};
