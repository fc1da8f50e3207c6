import { lstat, realpath } from "node:fs/promises";
import { dirname, join, parse } from "node:path";

import { isInside } from "../base/files/path.ts";

/** The folder that a conversation works in, for whoever decides what may be changed. */
export interface Workspace {
  /** Real. Undefined: there is none, and nothing is inside it. */
  readonly root: string | undefined;
  /** How it was found, for a person. */
  readonly why: string;
}

/**
 * The git root of the folder that the program was started in, a worktree's own included; else that folder. Never `/`, the
 * home folder or a folder above it, also where that is a git root: started there, nothing is the workspace.
 */
export async function workspaceOf(cwd: string, home: string): Promise<Workspace> {
  const start = await realpath(cwd).catch(() => undefined);
  if (start === undefined) return { root: undefined, why: `${cwd} does not exist` };
  const person = await realpath(home).catch(() => home);
  const isTooWide = (folder: string) => folder === parse(folder).root || isInside(folder, person);
  const root = await gitRoot(start);
  if (root !== undefined && !isTooWide(root)) return { root, why: "the git root of the start folder" };
  const why = root === undefined ? "there is no git root" : `the git root ${root} is too wide`;
  if (!isTooWide(start)) return { root: start, why: `the start folder: ${why}` };
  return { root: undefined, why: `${start} is too wide; start in the folder of a project` };
}

/** The nearest folder with a `.git` in it: a folder, or the file of a worktree or submodule. */
async function gitRoot(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const result = await lstat(join(folder, ".git")).catch(() => undefined);
    if (result?.isDirectory() || result?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
