import type { EntryId } from "../../base/ids.ts";
import type { TodoItem } from "../session/todo.ts";
import type { Message } from "./message.ts";
import type { ModelFacts } from "./model.ts";

/** A message of the history, with the id of its stored entry. */
export interface HistoryItem {
  readonly entry: EntryId;
  readonly message: Message;
  /** True if the message started a turn. */
  readonly isPrompt?: boolean;
}

export interface ChangedFile {
  readonly path: string;
  /** The last operation on the file. */
  readonly how: "read" | "written" | "deleted";
}

/** Text that compaction must keep verbatim. */
export interface CarriedContext {
  readonly todos: readonly TodoItem[];
  /** Files used since the start of the task, the most recently used one last. */
  readonly files: readonly ChangedFile[];
  readonly approvals: readonly string[];
  readonly processes: readonly string[];
}

/** Number of tokens of a text for a model. */
export type CountTokens = (text: string) => number;

export interface ContextSize {
  readonly tokens: number;
  /** True if the number is an estimate: neither the provider nor the model's tokenizer counted the tokens. */
  readonly estimated: boolean;
}

export interface FitRequest {
  readonly history: readonly HistoryItem[];
  /** Size of the whole next request: system prompt, tools and history. */
  readonly size: ContextSize;
  /** Tokens of the system prompt and the tools. */
  readonly fixedTokens: number;
  readonly model: ModelFacts;
  readonly carry: CarriedContext;
  readonly why: "threshold" | "overflow" | "asked";
  readonly focus?: string;
  /** The number of most recent exchanges to keep verbatim. Default: the engine chooses. */
  readonly keepExchanges?: number;
}

export interface Compaction {
  /**
   * The number of items at the start of the history that the new messages replace. A call and its results are never
   * separated.
   */
  readonly covers: number;
  /** The messages that replace the first `covers` items. */
  readonly messages: readonly Message[];
  /** True if the summary was created without a model, because no model answered. */
  readonly mechanical: boolean;
}

/** Keeps a conversation within the window of its model. */
export interface ContextEngine {
  readonly name: string;
  /** Number of tokens at which the next request is compacted. Infinite: never automatically. */
  threshold(model: ModelFacts): number;
  /** Compacts the history so that it fits. A failure leaves the history unchanged. Never rejects. */
  fit(request: FitRequest, signal: AbortSignal): Promise<FitOutcome>;
  /** The number of items that `fit` would replace, without using a model. Undefined: the engine does not know. */
  readonly preview?: (request: FitRequest) => { readonly covers: number };
}

export type FitOutcome =
  | { readonly compaction: Compaction }
  /** Text for a person: what happened and what to do. */
  | { readonly failed: string };

/** The sizes before and after a compaction, and whether a model wrote the summary, for a person. */
export function compactionText(compaction: {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
  readonly mechanical?: true;
}): string {
  const sizes = `${compaction.tokensBefore} → ${compaction.tokensAfter} tokens`;
  return compaction.mechanical ? `${sizes} (${withoutModel})` : sizes;
}

/** Explains to a user that the summary was not written by a model. */
export const withoutModel = "no model wrote the summary; it lists messages and calls";

/** The first words of the message that replaces compacted ones. The user did not write it. */
export const summaryBegin = "[Summary of the conversation so far.";
