import { lstat, readdir, realpath } from "node:fs/promises";
import { dirname, join, parse } from "node:path";

import { isInside } from "../base/files/path.ts";

/** The folder that a session works in, for checks of what may change. */
export interface Workspace {
  /** The real path. Undefined: there is no workspace, so nothing is inside it. */
  readonly root: string | undefined;
  /** How it was determined, as text for users. */
  readonly why: string;
}

/**
 * The git root of the start folder, including the root of a worktree; else the start folder. `/`, the home folder and
 * its parents are never a workspace, even if they are git roots.
 */
export async function workspaceOf(cwd: string, home: string): Promise<Workspace> {
  const start = await realpath(cwd).catch(() => undefined);
  if (start === undefined) return { root: undefined, why: `${cwd} does not exist` };
  const person = await realpath(home).catch(() => home);
  const isTooWide = (folder: string) => folder === parse(folder).root || isInside(folder, person);
  const root = await gitRoot(start);
  if (root !== undefined && !isTooWide(root)) return { root, why: "the git root of the start folder" };
  const why = root === undefined ? "there is no git root" : `the git root ${root} is / or contains the home folder`;
  if (!isTooWide(start)) return { root: start, why: `the start folder: ${why}` };
  return { root: undefined, why: `${start} is / or contains the home folder; start in the folder of a project` };
}

/** Whether the workspace of this folder is a git repository or has a project file. */
export async function isCodeWorkspace(cwd: string, home: string): Promise<boolean> {
  const { root } = await workspaceOf(cwd, home);
  const names = root === undefined ? [] : await readdir(root).catch(() => []);
  return names.some((name) => projectFiles.test(name));
}

const projectFiles =
  /^(?:\.git|\.hg|package\.json|deno\.jsonc?|pyproject\.toml|setup\.(?:py|cfg)|requirements\.txt|Cargo\.toml|go\.mod|pom\.xml|build\.gradle(?:\.kts)?|CMakeLists\.txt|meson\.build|Makefile|Gemfile|composer\.json|mix\.exs|pubspec\.yaml|Package\.swift|.+\.(?:sln|csproj|cabal|gemspec))$/u;

/** The nearest folder with a `.git` entry: a folder, or the file of a worktree or submodule. */
async function gitRoot(start: string): Promise<string | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const result = await lstat(join(folder, ".git")).catch(() => undefined);
    if (result?.isDirectory() || result?.isFile()) return folder;
    if (dirname(folder) === folder) return undefined;
  }
}
