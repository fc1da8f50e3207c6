import { readFileSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";

import { isInside } from "../../base/files/path.ts";
import { valueOr } from "../../base/result.ts";

/** The folders in which git stores the state of a workspace. */
export interface GitFolders {
  /** Folders outside the workspace, which a worktree or a submodule has. */
  readonly elsewhere: readonly string[];
  /** Folders with programs that git runs automatically. */
  readonly hooks: readonly string[];
}

/**
 * Reads files in the workspace, which a sandboxed command can write. Therefore an outside folder counts only if it
 * refers back to the workspace: a sandboxed command could not have written that reference.
 */
export function gitFolders(workspace: string): GitFolders {
  const own = join(workspace, ".git");
  if (isFolder(own)) return { elsewhere: [], hooks: [join(own, "hooks")].filter(isFolder) };
  const named = /^gitdir: (.+)$/mu.exec(read(own) ?? "")?.[1];
  const folder = named === undefined ? undefined : real(resolve(workspace, named.trim()));
  if (folder === undefined || isInside(workspace, folder)) return none;
  const common = commonFolder(folder, own) ?? (isModuleOf(folder, workspace) ? folder : undefined);
  if (common === undefined) return none;
  return { elsewhere: [common], hooks: [join(common, "hooks")].filter(isFolder) };
}

const none: GitFolders = { elsewhere: [], hooks: [] };

/** Returns the repository of a worktree. Its entry `worktrees/NAME` must point back to the worktree. */
function commonFolder(folder: string, file: string): string | undefined {
  const back = read(join(folder, "gitdir"))?.trim();
  const named = read(join(folder, "commondir"))?.trim();
  if (back === undefined || named === undefined || real(resolve(folder, back)) !== real(file)) return undefined;
  const common = real(resolve(folder, named));
  return common !== undefined && dirname(folder) === join(common, "worktrees") && isRepository(common)
    ? common
    : undefined;
}

/** Returns whether the repository of a submodule refers to this folder. */
function isModuleOf(folder: string, workspace: string): boolean {
  const named = /^\s*worktree\s*=\s*(.+)$/mu.exec(read(join(folder, "config")) ?? "")?.[1];
  return named !== undefined && real(resolve(folder, named.trim())) === real(workspace) && isRepository(folder);
}

function isRepository(folder: string): boolean {
  return isFolder(join(folder, "objects")) && isFolder(join(folder, "refs"));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

function read(file: string): string | undefined {
  return valueOr(() => (statSync(file).size > maxBytes ? undefined : readFileSync(file, "utf8")), undefined);
}

const maxBytes = 1_000_000;

function real(path: string): string | undefined {
  return valueOr(() => realpathSync(path), undefined);
}
