import type { Result, Failure } from "../base/result.ts";
import type { FileState } from "./file-state.ts";

/** A file, folder or link that exists now. */
export interface ScannedPath {
  readonly path: string;
  /** A value that changes whenever the content may have changed. Empty if it is unreliable. */
  readonly stamp: string;
  /** Set unless the entry is a readable file within the size limit. */
  readonly state?: FileState;
  /** Set for a file whose content must be stored. */
  readonly file?: { readonly mode: number; readonly bytes: number };
}

export interface Scan {
  readonly found: ReadonlyMap<string, ScannedPath>;
  /**
   * The requested paths, without those that are never recorded. A missing path is replaced by its topmost missing
   * folder.
   */
  readonly scope: readonly string[];
  /** Skipped folders and requested paths that are not recorded, one sentence each. */
  readonly notes: readonly string[];
  /** Whether the path is unknown because a parent folder was skipped or unreadable. */
  isUnseen(path: string): boolean;
}

/** One step of a restore. Paths have the same form as in records. */
export type RestoreStep =
  | { readonly do: "remove"; readonly path: string; readonly isFolder: boolean }
  | { readonly do: "folder"; readonly path: string; readonly mode: number }
  | { readonly do: "link"; readonly path: string; readonly target: string }
  | { readonly do: "file"; readonly path: string; readonly mode: number; readonly hash: string };

/** Access to the files of a workspace, local or remote. It also stores their contents. */
export interface WorkspaceFiles {
  /** Scans these paths and everything below them. `too_many` means that the limit is exceeded. */
  look(
    paths: readonly string[],
    signal: AbortSignal,
    maxFiles?: number,
  ): Promise<Result<Scan, Failure & { readonly kind: "too_many" | "failed" }>>;
  /** Stores the contents of these files and returns their states, without files that were deleted in the meantime. */
  keep(
    files: readonly ScannedPath[],
    signal: AbortSignal,
  ): Promise<Result<ReadonlyMap<string, { readonly state: FileState; readonly stamp: string }>>>;
  content(hash: string, signal: AbortSignal): Promise<Result<Uint8Array>>;
  /** Applies the steps in order; returns the failed ones with the reason. */
  apply(
    steps: readonly RestoreStep[],
    signal: AbortSignal,
  ): Promise<Result<readonly { readonly path: string; readonly why: string }[]>>;
  /** Deletes leftovers of killed restores in these folders. */
  sweep(folders: readonly string[], signal: AbortSignal): Promise<void>;
}
