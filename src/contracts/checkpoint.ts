import type { Result } from "../base/result.ts";
import type { Effect } from "./effect.ts";

export interface Checkpoint {
  readonly id: string;
  readonly root: string;
  readonly takenAt: number;
  readonly files: number;
  readonly reason: string;
}

export interface Checkpointer {
  /** Records the state that these effects will change, before they do. An error means the call must not run. */
  before(effects: readonly Effect[], signal: AbortSignal): Promise<Result<void, { readonly message: string }>>;
  list(root: string): Promise<readonly Checkpoint[]>;
  restore(
    id: string,
    path: string | undefined,
    signal: AbortSignal,
  ): Promise<Result<{ readonly files: number }, { readonly message: string }>>;
}
