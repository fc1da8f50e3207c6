import { readdir } from "node:fs/promises";
import { join } from "node:path";

import { createGit } from "../../agents/worktrees/git.ts";
import type { Clock } from "../../base/clock.ts";
import { findProgram } from "../../base/process/find-program.ts";
import { runProgram, type Variables } from "../../base/process/run-program.ts";

interface ListingPlace {
  readonly env: Variables;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ListedFiles {
  /** Relative to the folder. Untrusted. */
  readonly files: readonly string[];
  /** True: the list is incomplete. */
  readonly isCut: boolean;
}

const maxFiles = 200_000;
const maxListMs = 5_000;

/**
 * The files below a folder that git does not ignore: as listed by git, else by ripgrep, else all that are not hidden.
 */
export async function workspaceFiles(folder: string, place: ListingPlace): Promise<ListedFiles> {
  const paths =
    (await listedByGit(folder, place)) ?? (await listedByRipgrep(folder, place)) ?? (await walked(folder, place));
  // A reference cannot name a path with control characters.
  const files = paths.slice(0, maxFiles).filter((path) => !/\p{Cc}/u.test(path));
  return { files, isCut: paths.length > maxFiles };
}

async function listedByGit(cwd: string, { env, signal }: ListingPlace): Promise<readonly string[] | undefined> {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"];
  const listed = await createGit(env).run(args, { cwd, signal });
  return listed.ok ? pathsIn(listed.value.toString("utf8")) : undefined;
}

async function listedByRipgrep(
  cwd: string,
  { env, clock, signal }: ListingPlace,
): Promise<readonly string[] | undefined> {
  const program = findProgram(["rg"], env);
  if (program === undefined) return undefined;
  const args = ["--files", "--null", "--no-require-git", "--no-messages"];
  const listed = await runProgram({ program, args, cwd, env, clock, signal, timeoutMs: maxListMs });
  return listed.how === "exit" && listed.code <= 2 ? pathsIn(listed.stdout) : undefined;
}

function pathsIn(output: string): readonly string[] {
  const paths = output.split("\0");
  paths.pop();
  return paths;
}

async function walked(root: string, { clock, signal }: ListingPlace): Promise<readonly string[]> {
  const files: string[] = [];
  const until = clock.elapsed() + maxListMs;
  const folders = [""];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    if (signal.aborted || clock.elapsed() > until || files.length > maxFiles) break;
    for (const entry of await readdir(join(root, folder), { withFileTypes: true }).catch(() => [])) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = folder === "" ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) folders.push(path);
      else if (entry.isFile()) files.push(path);
    }
  }
  return files;
}

export interface RecentCommit {
  readonly hash: string;
  readonly subject: string;
}

/** The last commits. Empty without a repository. */
export async function recentCommits(cwd: string, { env, signal }: ListingPlace): Promise<readonly RecentCommit[]> {
  const listed = await createGit(env).run(["log", "-20", "--format=%h %s", "--no-show-signature"], { cwd, signal });
  if (!listed.ok) return [];
  return listed.value
    .toString("utf8")
    .split("\n")
    .flatMap((line) => {
      const [, hash, subject = ""] = /^([0-9a-f]{4,40}) (.*)$/u.exec(line) ?? [];
      return hash === undefined ? [] : [{ hash, subject }];
    });
}
