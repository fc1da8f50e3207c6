/**
 * Where a session works that another session started. `shared`: in the terminal and folder of its parent. `own`: in its
 * own terminal, which starts in the folder of the parent. `worktree`: in its own terminal in a copy of the project.
 */
export type ChildPlace =
  | { readonly kind: "shared" }
  | { readonly kind: "own" }
  | {
      readonly kind: "worktree";
      /** The root of the copy, a real path. */
      readonly root: string;
      /** The folder in the copy where it starts. */
      readonly cwd: string;
      readonly untouched: readonly ProtectedFolder[];
    };

/** A folder that a session never changes. */
export interface ProtectedFolder {
  /** A real path. */
  readonly path: string;
  /** The folder that the session changes instead. */
  readonly copy?: string;
}
