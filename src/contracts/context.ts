import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { CompactedEntry } from "./session.ts";
import type { TodoItem } from "./todo.ts";

/** What must survive compaction word for word. */
export interface Carried {
  readonly todos: readonly TodoItem[];
  readonly changedFiles: readonly string[];
  readonly approvals: readonly string[];
  readonly processes: readonly string[];
}

export interface ContextEngine {
  readonly name: string;
  /** A failure leaves the history as it was. */
  fit(
    history: readonly Message[],
    window: { readonly tokens: number; readonly focus?: string },
    carry: Carried,
    signal: AbortSignal,
  ): Promise<
    | { readonly fits: true }
    | { readonly compacted: CompactedEntry; readonly usage: Usage }
    | { readonly failed: string }
  >;
}
