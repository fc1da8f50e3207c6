import type { Result } from "../../base/result.ts";

export const memoryTargets = ["memory", "user"] as const;
/** `memory`: facts about work and machines; `user`: facts about the user and their preferences. */
export type MemoryTarget = (typeof memoryTargets)[number];

export type MemoryChange =
  | { readonly action: "add"; readonly content: string }
  | { readonly action: "replace"; readonly oldText: string; readonly content: string }
  | { readonly action: "remove"; readonly oldText: string };

export type MemoryAuthor = "model" | "user" | "background";

/** Content of one memory file. */
export interface MemoryPage {
  readonly entries: readonly string[];
  /** The number of characters, including separators. */
  readonly chars: number;
  readonly limit: number;
  /** Why the file could not be read; in that case there are no entries. */
  readonly fault?: string;
}

export interface MemoryApplied {
  readonly page: MemoryPage;
  /** The oldest entries, which were removed to make room for new ones. They can be restored from the history. */
  readonly evicted: readonly string[];
  /** The id of the change that waits for approval. */
  readonly pending?: string;
}

export interface MemoryRefusal {
  readonly message: string;
  readonly page: MemoryPage;
}

/** Permanent notes about one user. Reports an error when a file is full; never drops an entry silently. */
export interface MemoryStore {
  read(target: MemoryTarget): Promise<MemoryPage>;
  /** Applies all changes or none. */
  apply(
    target: MemoryTarget,
    changes: readonly MemoryChange[],
    signal: AbortSignal,
  ): Promise<Result<MemoryApplied, MemoryRefusal>>;
}

/** One change of a memory file, as stored in the history. */
export interface MemoryRecord {
  readonly id: string;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly by: MemoryAuthor;
  readonly session?: string;
  /** The removed entries, with their positions before the change. */
  readonly removed: readonly PlacedNote[];
  /** The added entries, with their positions after the change. */
  readonly added: readonly PlacedNote[];
  /** The entries of `removed` that were removed only to make room for new ones. */
  readonly evicted?: readonly string[];
  /** The id of the change that this change undid. */
  readonly undoes?: string;
}

export interface PlacedNote {
  readonly at: number;
  readonly text: string;
}

/** A change that waits for approval. */
export interface PendingMemory {
  readonly id: string;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly by: MemoryAuthor;
  readonly session?: string;
  readonly changes: readonly MemoryChange[];
}

/** An external memory service. Its failures never block a turn. */
export interface MemoryProvider {
  readonly name: string;
  /** Text for the system prompt, fetched once at the start of a session. */
  promptBlock(signal: AbortSignal): Promise<string>;
  /** Returns notes related to the current prompt, or an empty text. */
  recall(query: string, signal: AbortSignal): Promise<string>;
  /** Sends a finished exchange (prompt and answer) to the service. */
  noteTurn(turn: { readonly session: string; readonly asked: string; readonly answered: string }): void;
  /** Sends a change of the local notes to the service. */
  noteChange(change: { readonly target: MemoryTarget; readonly changes: readonly MemoryChange[] }): void;
  /** The status of the service in words for a user, or why it is unreachable. */
  status(signal: AbortSignal): Promise<Result<string>>;
  /** Waits until everything is sent to the service. An abort drops the rest. */
  flush(signal: AbortSignal): Promise<void>;
}
