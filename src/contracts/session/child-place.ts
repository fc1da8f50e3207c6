/**
 * Where a child session works. `shared`: in the terminal and folder of its parent. `own`: in its own terminal, which
 * starts in the folder of the parent. `worktree`: in its own terminal, in a copy of the project.
 */
export type ChildPlace =
  | { readonly kind: "shared" }
  | { readonly kind: "own" }
  | {
      readonly kind: "worktree";
      /** The real path of the root of the copy. */
      readonly root: string;
      /** The folder inside the copy in which the session starts. */
      readonly cwd: string;
      readonly untouched: readonly ProtectedFolder[];
    };

/** A folder that a session must not change. */
export interface ProtectedFolder {
  /** The real path of the folder. */
  readonly path: string;
  /** The folder that the session changes instead. */
  readonly copy?: string;
}
