import type { Result } from "../base/result.ts";
import type { CheckpointFault } from "../contracts/knowledge/checkpoint.ts";
import type { FileState } from "./file-state.ts";

/** Something that is at a path now. */
export interface Found {
  readonly path: string;
  /** Changes whenever the content could have. Empty: it cannot be relied on. */
  readonly stamp: string;
  /** Of all that is no readable file within the limit. */
  readonly state?: FileState;
  /** Of a file whose content is wanted. */
  readonly file?: { readonly mode: number; readonly bytes: number };
}

export interface Look {
  readonly found: ReadonlyMap<string, Found>;
  /** The paths asked for, without those that are never recorded; of one that is not there, its highest folder that is missing. */
  readonly scope: readonly string[];
  /** Folders that were not looked into, and what of the paths asked for is not recorded, a sentence each. */
  readonly notes: readonly string[];
  /** Is nothing known of it, because a folder above was left out by rule or could not be read? */
  isUnseen(path: string): boolean;
}

/** One step of a restore. Paths as in records. */
export type Step =
  | { readonly do: "remove"; readonly path: string; readonly isFolder: boolean }
  | { readonly do: "folder"; readonly path: string; readonly mode: number }
  | { readonly do: "link"; readonly path: string; readonly target: string }
  | { readonly do: "file"; readonly path: string; readonly mode: number; readonly hash: string };

/** Where the files are. Contents are kept there, too. */
export interface Ground {
  /** What is at and below these paths. `too_many`: more than can be looked at. */
  look(
    paths: readonly string[],
    signal: AbortSignal,
    mostFiles?: number,
  ): Promise<Result<Look, CheckpointFault & { readonly kind: "too_many" | "failed" }>>;
  /** Keeps the contents of these files; the state of each. Gone meanwhile: not in the answer. */
  keep(
    files: readonly Found[],
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, { readonly state: FileState; readonly stamp: string }>, CheckpointFault>>;
  content(hash: string, signal: AbortSignal): Promise<Result<Uint8Array, CheckpointFault>>;
  /** In order; what could not be done, and why. */
  apply(
    steps: readonly Step[],
    signal: AbortSignal,
  ): Promise<Result<readonly { readonly path: string; readonly why: string }[], CheckpointFault>>;
  /** Removes what killed restores left in these folders. */
  sweep(folders: readonly string[], signal: AbortSignal): Promise<void>;
}
