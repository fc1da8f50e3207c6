import type { Result } from "../base/result.ts";

export type MemoryTarget = "memory" | "user";

export type MemoryChange =
  | { readonly action: "add"; readonly content: string }
  | { readonly action: "replace"; readonly oldText: string; readonly content: string }
  | { readonly action: "remove"; readonly oldText: string };

/** Durable notes. A full store refuses with what is there; nothing is dropped silently. */
export interface MemoryStore {
  read(target: MemoryTarget): Promise<readonly string[]>;
  /** All or nothing. */
  apply(
    target: MemoryTarget,
    changes: readonly MemoryChange[],
    signal: AbortSignal,
  ): Promise<Result<readonly string[], { readonly message: string; readonly entries: readonly string[] }>>;
}
