import type { Principal } from "../../contracts/safety/principal.ts";
import type { SearchAnswer } from "../../contracts/session/session-search.ts";
import type { SearchQuery } from "../../contracts/session/session-search.ts";

export interface ThreadData {
  readonly module: string;
  readonly sessionsPath: string;
  readonly searchPath: string;
  /** Set to 1 to end the thread. */
  readonly stop: Int32Array;
}

export interface SearchInput {
  readonly query: SearchQuery;
  readonly who: Principal;
  readonly now: number;
}

/** A request to the thread that searches, or to the thread that writes the search file. */
export type SearchTask =
  | { readonly kind: "find"; readonly asked: SearchInput }
  /** Returns nothing if the store has new entries. */
  | { readonly kind: "find-if-all"; readonly asked: SearchInput }
  /** `all`: waits for any number of entries. */
  | { readonly kind: "catch-up"; readonly all: boolean }
  | { readonly kind: "forget-erased" }
  /** Rebuilds a damaged file. */
  | { readonly kind: "make-again" };

/** `far` means that indexing continues in the background; `elsewhere` that another process writes the file. */
export type CatchUpResult = "done" | "far" | "elsewhere";

export type TaskInput<T extends SearchTask> = T extends { readonly kind: "find" }
  ? SearchAnswer
  : T extends { readonly kind: "find-if-all" }
    ? SearchAnswer | undefined
    : CatchUpResult;

export type ThreadReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | { readonly id: number; readonly ok: false; readonly message: string; readonly isBroken: boolean };
