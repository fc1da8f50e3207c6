import { existsSync, lstatSync } from "node:fs";
import { mkdir, readFile, realpath, symlink, writeFile } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, relative, resolve } from "node:path";

import { randomHex } from "../../base/digest.ts";
import { replaceEntry } from "../../base/files/atomic-file.ts";
import { describeFault } from "../../base/files/file-fault.ts";
import { makeAndOpenFolder, openFolder, readFileBeneath } from "../../base/files/open-beneath.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createBorrowingRepository } from "./borrowing-repository.ts";
import { createGit, type Git, type GitOptions } from "./git.ts";
import { placeTree } from "./private-tree.ts";
import { projectFacts } from "./project-facts.ts";

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

export interface WorktreeOptions {
  readonly env: Variables;
  readonly signal: AbortSignal;
  /** Creates an empty folder that no agent can change. */
  readonly makeFolder: (kind: string) => string;
}

/**
 * Creates a worktree from the last commit. With `isSynced`, from the newest commit of its remote branch, if there is
 * one and it includes all local commits. The error is a sentence for the user.
 */
export async function createSessionWorktree(
  cwd: string,
  { isSynced, ...options }: WorktreeOptions & { readonly isSynced: boolean },
): Promise<Result<SessionWorktree, string>> {
  const { env, signal } = options;
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
  if (lstatSync(join(root, folderName), { throwIfNoEntry: false })?.isSymbolicLink())
    return err(`${join(root, folderName)} is a link: replace it by a folder.`);
  const start = isSynced ? await remoteStart(root, git, signal) : { commit: head.value };
  const own = options.makeFolder("worktree");
  // Git walks folders by name, so the worktree is filled where no agent can replace a folder by a link.
  const draft = join(own, name);
  try {
    const included = await fillWorktree({ root, draft, branch, from: start.commit ?? head.value }, git, options);
    const placed = included.ok ? await placeWorktree({ root, draft, path }, git, signal) : included;
    if (!included.ok || !placed.ok) {
      await git.run(["worktree", "remove", "--force", draft], { cwd: root, signal });
      await git.run(["branch", "-D", branch], { cwd: root, signal });
      return err(placed.ok ? "The worktree is not complete." : placed.error);
    }
    const notes = [...(start.note === undefined ? [] : [start.note]), ...included.value];
    const inner = join(path, relative(root, await realpath(cwd)));
    return ok({ path, branch, root, cwd: existsSync(inner) ? inner : path, notes });
  } finally {
    await removeTree(own);
  }
}

/** Creates the worktree in a private folder. Returns notes about files of `.worktreeinclude`. */
async function fillWorktree(
  {
    root,
    draft,
    branch,
    from,
  }: { readonly root: string; readonly draft: string; readonly branch: string; readonly from: string },
  git: Git,
  options: WorktreeOptions,
): Promise<Result<readonly string[], string>> {
  const { signal } = options;
  const flags = ["--quiet", "--no-track", "--no-checkout"];
  const added = await git.run(["worktree", "add", ...flags, "-b", branch, draft, from], { cwd: root, signal });
  if (!added.ok) return err(`${added.error.message}.`);
  const filled = await withPrivateRepository(draft, git, options, (place) =>
    git.run(["read-tree", "-u", "--reset", "HEAD"], place),
  );
  return filled.ok ? ok(await copyIncluded(root, draft)) : err(`${filled.error}.`);
}

/** Moves the worktree to its place, and tells git about it. */
async function placeWorktree(
  { root, draft, path }: { readonly root: string; readonly draft: string; readonly path: string },
  git: Git,
  signal: AbortSignal,
): Promise<Result<void, string>> {
  const own = await line(git, ["rev-parse", "--absolute-git-dir"], draft, signal);
  if (!own.ok) return err(`${own.error}.`);
  try {
    await placeTree(draft, path);
    using folder = openFolder(await realpath(own.value));
    await replaceEntry(folder, "gitdir", `${join(path, ".git")}\n`);
    return ok(undefined);
  } catch (error) {
    return err(`${describeFault(error, join(root, folderName)).message.replace(/\.$/u, "")}.`);
  }
}

/**
 * Removes the worktree if everything in it also exists elsewhere. Otherwise the worktree stays, and the result gives
 * the reason.
 */
export async function closeSessionWorktree(
  { path, branch, root }: Pick<SessionWorktree, "path" | "branch" | "root">,
  options: WorktreeOptions,
): Promise<{ readonly isRemoved: boolean; readonly why: string }> {
  const { env, signal } = options;
  const git = createGit(env);
  const kept = (why: string) => ({ isRemoved: false, why });
  const modules = await git.run(["ls-files", "--stage"], { cwd: path, signal });
  if (!modules.ok) return kept(modules.error.message);
  if (/^160000 /mu.test(modules.value.toString())) return kept("it has submodules");
  const listing = ["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all"];
  const changes = await withPrivateRepository(path, git, options, (place) => git.run(listing, place));
  if (!changes.ok) return kept(changes.error);
  if (changes.value.length > 0) return kept("it has changes that are not committed");
  const current = await line(git, ["rev-parse", "--abbrev-ref", "HEAD"], path, signal);
  if (!current.ok || current.value !== branch) return kept("it is on another branch");
  const elsewhere = ["--not", `--exclude=${branch}`, "--branches", "--remotes"];
  const own = await line(git, ["rev-list", "--count", "HEAD", ...elsewhere], path, signal);
  if (!own.ok) return kept(own.error);
  if (own.value !== "0") return kept(`${branch} has commits that are nowhere else`);
  await removeTree(path);
  const removed = await git.run(["worktree", "remove", "--force", path], { cwd: root, signal });
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
  const args = [
    ...(await ownHelpers(root, git, signal)),
    "fetch",
    "--quiet",
    "--no-tags",
    "--no-recurse-submodules",
    "--upload-pack",
    "git-upload-pack",
  ];
  const fetched = await git.run([...args, remote, name], { cwd: root, signal: limited, usesNetwork: true });
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

/** Options that name the credential helpers of the user, without those of the repository, which agents can change. */
async function ownHelpers(root: string, git: Git, signal: AbortSignal): Promise<readonly string[]> {
  const listing = ["config", "--show-scope", "-z", "--get-regexp", String.raw`^credential\..*helper$`];
  const listed = await git.run(listing, { cwd: root, signal });
  if (!listed.ok) return [];
  const parts = listed.value.toString().split("\0");
  return parts.flatMap((scope, index) => {
    const [name, ...value] = parts[index + 1]?.split("\n") ?? [];
    const isOwn = index % 2 === 0 && (scope === "global" || scope === "system");
    return isOwn ? ["-c", `${name}=${value.join("\n")}`] : [];
  });
}

async function line(
  git: Git,
  args: readonly string[],
  cwd: string,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const run = await git.run(args, { cwd, signal });
  return run.ok ? ok(run.value.toString().trim()) : err(run.error.message);
}

/**
 * Runs git on the files and the index of a worktree, with a repository of our own: agents can change the settings of the
 * project's repository, and settings such as filters name programs, which git would run outside of the sandbox.
 */
async function withPrivateRepository(
  path: string,
  git: Git,
  { signal, makeFolder }: WorktreeOptions,
  run: (place: GitOptions) => ReturnType<Git["run"]>,
): Promise<Result<Buffer, string>> {
  const project = await projectFacts(path, git, signal);
  if (!project.ok) return project;
  const own = makeFolder("worktree");
  try {
    const repository = join(own, "private.git");
    const created = await createBorrowingRepository(repository, project.value, git, signal);
    if (!created.ok) return created;
    const done = await run({ repository, index: project.value.index, tree: path, cwd: path, signal });
    return done.ok ? done : err(done.error.message);
  } finally {
    await removeTree(own);
  }
}

/** The folder is ignored only in this clone; no file of the project changes. */
async function ignoreFolder(root: string, git: Git, signal: AbortSignal): Promise<void> {
  const common = await line(git, ["rev-parse", "--git-common-dir"], root, signal);
  if (!common.ok) return;
  const file = join(await realpath(resolve(root, common.value)), "info", "exclude");
  try {
    using folder = makeAndOpenFolder(dirname(file), 0o777);
    const before = existsSync(folder.entry("exclude")) ? readFileBeneath(file).bytes.toString() : "";
    if (before.split("\n").includes(`/${folderName}/`)) return;
    const start = before === "" || before.endsWith("\n") ? before : `${before}\n`;
    await replaceEntry(folder, "exclude", `${start}/${folderName}/\n`);
  } catch {
    // The file or its folder is a link. Without the entry, git only lists the folder as new.
  }
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
      else await writeFile(to, readFileBeneath(from).bytes, { mode: stats.mode & 0o777, flag: "wx" });
    }
  }
  return notes;
}
