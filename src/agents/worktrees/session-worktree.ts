import { appendFileSync, existsSync, lstatSync, readFileSync } from "node:fs";
import { copyFile, mkdir, readFile, realpath, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";

import { randomHex } from "../../base/digest.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createGit, type Git } from "./git.ts";

/** A git worktree for one session, in `.worktrees` of the project. */
export interface SessionWorktree {
  readonly path: string;
  readonly branch: string;
  /** The repository that it belongs to. */
  readonly root: string;
  /** The start folder of the session: the same relative folder as in the project. */
  readonly cwd: string;
  /** Sentences about files of `.worktreeinclude` that were not copied. */
  readonly notes: readonly string[];
}

const folderName = ".worktrees";

/**
 * Creates a worktree from the last commit. With `isSynced`, from the newest commit of its remote branch, if there is
 * one and it includes all local commits. The error is a sentence for the user.
 */
export async function createSessionWorktree(
  cwd: string,
  env: Variables,
  signal: AbortSignal,
  isSynced = false,
): Promise<Result<SessionWorktree, string>> {
  const git = createGit(env);
  const top = await line(git, ["rev-parse", "--show-toplevel"], cwd, signal);
  if (!top.ok) return err(`${cwd} is not in a git repository.`);
  const root = top.value;
  const head = await line(git, ["rev-parse", "--verify", "HEAD"], root, signal);
  if (!head.ok) return err("The repository has no commit yet; make one first.");
  const name = `hermes-${randomHex(4)}`;
  const branch = `hermes/${name}`;
  const path = join(root, folderName, name);
  await ignoreFolder(root, git, signal);
  await mkdir(join(root, folderName), { recursive: true });
  const start = isSynced ? await remoteStart(root, git, signal) : { commit: head.value };
  const from = start.commit ?? head.value;
  const added = await git.run(["worktree", "add", "--quiet", "--no-track", "-b", branch, path, from], {
    cwd: root,
    signal,
  });
  if (!added.ok) return err(`${added.error.message}.`);
  const notes = [...(start.note === undefined ? [] : [start.note]), ...(await copyIncluded(root, path))];
  const inner = join(path, relative(root, await realpath(cwd)));
  return ok({ path, branch, root, cwd: existsSync(inner) ? inner : path, notes });
}

/**
 * Removes the worktree if everything in it also exists elsewhere. Otherwise the worktree stays, and the result gives
 * the reason.
 */
export async function closeSessionWorktree(
  { path, branch, root }: Pick<SessionWorktree, "path" | "branch" | "root">,
  env: Variables,
  signal: AbortSignal,
): Promise<{ readonly isRemoved: boolean; readonly why: string }> {
  const git = createGit(env);
  const kept = (why: string) => ({ isRemoved: false, why });
  const changes = await git.run(["status", "--porcelain", "--untracked-files=normal"], { cwd: path, signal });
  if (!changes.ok) return kept(changes.error.message);
  if (changes.value.length > 0) return kept("it has changes that are not committed");
  const current = await line(git, ["rev-parse", "--abbrev-ref", "HEAD"], path, signal);
  if (!current.ok || current.value !== branch) return kept("it is on another branch");
  const elsewhere = ["--not", `--exclude=${branch}`, "--branches", "--remotes"];
  const own = await line(git, ["rev-list", "--count", "HEAD", ...elsewhere], path, signal);
  if (!own.ok) return kept(own.error);
  if (own.value !== "0") return kept(`${branch} has commits that are nowhere else`);
  const removed = await git.run(["worktree", "remove", path], { cwd: root, signal });
  if (!removed.ok) return kept(removed.error.message);
  await git.run(["branch", "-D", branch], { cwd: root, signal });
  return { isRemoved: true, why: "" };
}

/** The fetched tip of the branch that the current one follows, or of the default branch of `origin`. */
async function remoteStart(
  root: string,
  git: Git,
  signal: AbortSignal,
): Promise<{ readonly commit?: string; readonly note?: string }> {
  const own = await line(git, ["rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}"], root, signal);
  const other = own.ok ? own : await line(git, ["rev-parse", "--abbrev-ref", "origin/HEAD"], root, signal);
  const [, remote, name] = /^([^/]+)\/(.+)$/u.exec(other.ok ? other.value : "") ?? [];
  if (remote === undefined || name === undefined) return {};
  const limited = AbortSignal.any([signal, AbortSignal.timeout(fetchMs)]);
  const args = ["fetch", "--quiet", "--no-tags", "--no-recurse-submodules", remote, name];
  const fetched = await git.run(args, { cwd: root, signal: limited, usesNetwork: true });
  signal.throwIfAborted();
  if (!fetched.ok)
    return {
      note: `${remote} was not reached, so the worktree starts from your last commit (worktree_sync: false skips this).`,
    };
  const tip = await line(git, ["rev-parse", "--verify", `refs/remotes/${remote}/${name}`], root, signal);
  if (!tip.ok) return {};
  const isPushed = await git.run(["merge-base", "--is-ancestor", "HEAD", tip.value], { cwd: root, signal });
  if (!isPushed.ok)
    return { note: "You have commits that are not pushed, so the worktree starts from your last commit." };
  return { commit: tip.value };
}

const fetchMs = 15_000;

async function line(
  git: Git,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const run = await git.run(args, { cwd, signal });
  return run.ok ? ok(run.value.toString().trim()) : err(run.error.message);
}

/** The folder is ignored only in this clone; no file of the project changes. */
async function ignoreFolder(root: string, git: Git, signal: AbortSignal): Promise<void> {
  const common = await line(git, ["rev-parse", "--git-common-dir"], root, signal);
  if (!common.ok) return;
  const file = join(resolve(root, common.value), "info", "exclude");
  const before = existsSync(file) ? readFileSync(file, "utf8") : "";
  if (before.split("\n").includes(`/${folderName}/`)) return;
  await mkdir(dirname(file), { recursive: true });
  appendFileSync(file, `${before === "" || before.endsWith("\n") ? "" : "\n"}/${folderName}/\n`);
}

/** Reads `.worktreeinclude`: one path per line, relative to the project. Files are copied, folders are linked. */
async function copyIncluded(root: string, path: string): Promise<readonly string[]> {
  const list = await readFile(join(root, ".worktreeinclude"), "utf8").catch(() => "");
  const notes: string[] = [];
  for (const entry of list.split("\n").map((each) => each.trim())) {
    if (entry === "" || entry.startsWith("#")) continue;
    const inside = normalize(entry).replace(/\/$/u, "");
    const [from, to] = [join(root, inside), join(path, inside)];
    const stats = lstatSync(from, { throwIfNoEntry: false });
    if (isAbsolute(inside) || inside.split("/").includes("..") || inside.startsWith(".git"))
      notes.push(`.worktreeinclude: ${entry} is outside of the project.`);
    else if (!stats || stats.isSymbolicLink()) notes.push(`.worktreeinclude: ${entry} is not a file or folder.`);
    else if (!existsSync(to)) {
      await mkdir(dirname(to), { recursive: true });
      if (stats.isDirectory()) await symlink(from, to);
      else await copyFile(from, to);
    }
  }
  return notes;
}
