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
  /** The oldest entries, removed to make room. The history can restore them. */
  readonly evicted: readonly string[];
  /** The id under which the change waits for approval. */
  readonly pending?: string;
}

export interface MemoryRefusal {
  readonly message: string;
  readonly page: MemoryPage;
}

/** Durable notes of one person. Reports when it is full; never drops silently. */
export interface MemoryStore {
  read(target: MemoryTarget): Promise<MemoryPage>;
  /** Applies all changes or none. */
  apply(
    target: MemoryTarget,
    changes: readonly MemoryChange[],
    signal: AbortSignal,
  ): Promise<Result<MemoryApplied, MemoryRefusal>>;
}

/** One change of a file, as the history stores it. */
export interface MemoryRecord {
  readonly id: string;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly by: MemoryAuthor;
  readonly session?: string;
  /** Removed entries with their positions before the change. */
  readonly removed: readonly PlacedNote[];
  /** Added entries with their positions after the change. */
  readonly added: readonly PlacedNote[];
  /** The entries of `removed` that were evicted to make room. */
  readonly evicted?: readonly string[];
  /** The change that this one undid. */
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
  /** Notes related to the current prompt. Empty: none. */
  recall(query: string, signal: AbortSignal): Promise<string>;
  /** Reports a finished exchange. */
  noteTurn(turn: { readonly session: string; readonly asked: string; readonly answered: string }): void;
  /** Reports a change of the local notes. */
  noteChange(change: { readonly target: MemoryTarget; readonly changes: readonly MemoryChange[] }): void;
  /** Status for a person, or why it is unreachable. */
  status(signal: AbortSignal): Promise<Result<string>>;
  /** Waits until all reports are sent; an abort drops the rest. */
  flush(signal: AbortSignal): Promise<void>;
}
