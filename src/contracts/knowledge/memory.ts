import type { Result } from "../../base/result.ts";

export const memoryTargets = ["memory", "user"] as const;
/** `memory`: facts about work and machines; `user`: who the person is and how they like to work. */
export type MemoryTarget = (typeof memoryTargets)[number];

export type MemoryChange =
  | { readonly action: "add"; readonly content: string }
  | { readonly action: "replace"; readonly oldText: string; readonly content: string }
  | { readonly action: "remove"; readonly oldText: string };

export type MemoryAuthor = "model" | "user" | "background";

/** What one of the files holds. */
export interface MemoryPage {
  readonly entries: readonly string[];
  /** With what stands between the entries. */
  readonly chars: number;
  readonly limit: number;
  /** Why the file could not be read. It has no entries then. */
  readonly fault?: string;
}

export interface MemoryApplied {
  readonly page: MemoryPage;
  /** The oldest, which had to make room. They are in the history and can be brought back. */
  readonly evicted: readonly string[];
  /** Nothing is changed yet: the change waits for a person under this id. */
  readonly pending?: string;
}

export interface MemoryRefusal {
  readonly message: string;
  readonly page: MemoryPage;
}

/** Durable notes of one person. A full store says so and never drops silently. */
export interface MemoryStore {
  read(target: MemoryTarget): Promise<MemoryPage>;
  /** All or nothing. */
  apply(
    target: MemoryTarget,
    changes: readonly MemoryChange[],
    signal: AbortSignal,
  ): Promise<Result<MemoryApplied, MemoryRefusal>>;
}

/** One change of a file, as the history keeps it. */
export interface MemoryRecord {
  readonly id: string;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly by: MemoryAuthor;
  readonly session?: string;
  /** Entries that are gone since, with their places before the change. */
  readonly removed: readonly PlacedNote[];
  /** Entries that are new since, with their places after it. */
  readonly added: readonly PlacedNote[];
  /** Of `removed`: they made room. */
  readonly evicted?: readonly string[];
  /** The change that this one took back. */
  readonly undoes?: string;
}

export interface PlacedNote {
  readonly at: number;
  readonly text: string;
}

/** A change that waits for a person. */
export interface PendingMemory {
  readonly id: string;
  readonly at: number;
  readonly target: MemoryTarget;
  readonly by: MemoryAuthor;
  readonly session?: string;
  readonly changes: readonly MemoryChange[];
}

/** What a service elsewhere adds to the memory of this machine. A failure of it is never in the way of a turn. */
export interface MemoryProvider {
  readonly name: string;
  /** Once, at the start of a session: what the prompt should hold. */
  promptBlock(signal: AbortSignal): Promise<string>;
  /** What it knows about what the person just asked. Empty: nothing. */
  recall(query: string, signal: AbortSignal): Promise<string>;
  /** An exchange that has ended. */
  noteTurn(turn: { readonly session: string; readonly asked: string; readonly answered: string }): void;
  /** A change of the notes here. */
  noteChange(change: { readonly target: MemoryTarget; readonly changes: readonly MemoryChange[] }): void;
  /** Can it be reached? What a person should know of it. */
  status(signal: AbortSignal): Promise<Result<string, { readonly message: string }>>;
  /** Until what was noted is sent. What is left when the signal comes is given up. */
  flush(signal: AbortSignal): Promise<void>;
}

/** What a person does with what is remembered of them. */
export interface MemoryDesk {
  pages(): Promise<readonly (MemoryPage & { readonly target: MemoryTarget; readonly file: string })[]>;
  /** Oldest first. */
  history(): Promise<readonly MemoryRecord[]>;
  /** Takes back the last changes; which. */
  undo(count: number, signal: AbortSignal): Promise<Result<readonly MemoryRecord[], { readonly message: string }>>;
  pending(): Promise<readonly PendingMemory[]>;
  approve(id: string, signal: AbortSignal): Promise<Result<PendingMemory, { readonly message: string }>>;
  reject(id: string, signal: AbortSignal): Promise<Result<PendingMemory, { readonly message: string }>>;
}
