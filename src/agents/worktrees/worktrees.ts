import { copyFile, lstat, mkdir, readdir, readFile, realpath, rm, stat, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { codeOf } from "../../base/files/file-fault.ts";
import { takeFileLock } from "../../base/files/file-lock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { ChildPlace, ProtectedFolder } from "../../contracts/session/child-place.ts";
import { type AppliedChanges, applyPatchFile, type PatchConflict } from "./apply-patch-file.ts";
import { copyReferences, createBorrowingRepository } from "./borrowing-repository.ts";
import { createGit, type Git } from "./git.ts";
import { type ProjectFacts, projectFacts } from "./project-facts.ts";
import { type DescribedTree, split, storeTree } from "./tree-state.ts";

/** Copies of projects for agents, and the patches with the agents' changes. */
export interface Worktrees {
  /**
   * Creates a copy of the current state of the project around `cwd`: its last commit and all later changes, including
   * new files, but no ignored files. The error is a sentence for the user.
   */
  create(
    wish: {
      readonly id: string;
      readonly cwd: string;
      /** Folders that the starting agent does not change either. */
      readonly untouched: readonly ProtectedFolder[];
      /** Earlier changes of the agent. They are applied if they fit, and are treated as its changes. */
      readonly patch?: string;
    },
    signal: AbortSignal,
  ): Promise<Result<Worktree, string>>;
  /** The patch of an agent. Undefined if the agent changed nothing or had no copy. */
  patchOf(id: string): Promise<string | undefined>;
  /** Patches of ended agents, newest first. */
  patches(): Promise<readonly StoredPatch[]>;
  /** Applies a patch to the project around `cwd`, completely or not at all. With `isTrial`, changes nothing. */
  apply(
    patch: string,
    target: { readonly cwd: string; readonly isTrial: boolean },
    signal: AbortSignal,
  ): Promise<Result<AppliedChanges, PatchConflict>>;
  /** Removes the copies of dead programs, after storing their changes as patches. Returns their ids. */
  removeOrphans(signal: AbortSignal): Promise<readonly string[]>;
}

/** Disposing removes the copy. */
export interface Worktree extends AsyncDisposable {
  readonly place: Extract<ChildPlace, { kind: "worktree" }>;
  /** Stores the changes since the creation of the copy as a patch. */
  collect(signal: AbortSignal): Promise<Result<CollectedChanges, string>>;
}

export interface CollectedChanges {
  /** Undefined if nothing changed. */
  readonly patch?: string;
  /** Paths relative to the root of the project. */
  readonly files: readonly string[];
}

export interface StoredPatch {
  /** The id of the agent. */
  readonly id: string;
  readonly path: string;
  /** The root of the project that was copied. */
  readonly project: string | undefined;
  readonly createdAt: number;
}

export interface WorktreesDeps {
  /** The folder for copies. */
  readonly folder: string;
  /** The folder for patches. */
  readonly patches: string;
  readonly env: Variables;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Creates no folder before the first copy. */
export function createWorktrees(deps: WorktreesDeps): Worktrees {
  const { folder, patches, clock, log } = deps;
  const git = createGit(deps.env);
  const patchFile = (id: string) => join(patches, `${id}.patch`);

  async function create(...[wish, signal]: Parameters<Worktrees["create"]>): ReturnType<Worktrees["create"]> {
    const { id, cwd, untouched } = wish;
    const project = await projectFacts(cwd, git, signal);
    if (!project.ok) return project;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    // The system releases the lock of a dead program, which marks its copy as orphaned.
    const held = await takeFileLock(join(folder, id), { signal, timeoutMs: 0, clock });
    if (!held.ok) return err(held.error.message);
    const own = join(await realpath(folder), id);
    const parts = partsOf(own);
    const remove = once(async () => {
      await removeTree(own);
      held.value[Symbol.dispose]();
      await rm(join(folder, `${id}.lock`), { force: true });
    });
    try {
      await removeTree(own);
      await mkdir(own, { mode: 0o700 });
      const base = await fill(parts, project.value, git, signal);
      if (!base.ok) {
        await remove();
        return err(`The copy of ${project.value.root} failed: ${base.error}.`);
      }
      const again = wish.patch === undefined ? undefined : await repeatChanges(parts, wish.patch, git, signal);
      if (again?.ok === false) log.info("worktree.patch_does_not_fit", { id, error: again.error.message });
      const start = join(parts.tree, project.value.inside);
      const isFolder = await stat(start).then(
        (stats) => stats.isDirectory(),
        () => false,
      );
      const { root, shared } = project.value;
      return ok({
        place: {
          kind: "worktree",
          root: parts.tree,
          cwd: isFolder ? start : parts.tree,
          untouched: [
            { path: root, copy: parts.tree },
            ...(shared.startsWith(`${root}/`) ? [] : [{ path: shared }]),
            ...untouched.filter(({ path }) => path !== root),
          ],
        },
        collect: (until) => collect(parts, patchFile(id), git, until),
        [Symbol.asyncDispose]: remove,
      });
    } catch (thrown) {
      await remove();
      return err(`The copy of ${project.value.root} failed: ${reasonOf(thrown)}.`);
    }
  }

  async function removeOrphan(id: string, signal: AbortSignal): Promise<boolean> {
    const held = await takeFileLock(join(folder, id), { signal, timeoutMs: 0, clock });
    if (!held.ok) return false;
    using _lock = held.value;
    const own = join(await realpath(folder), id);
    const collected = await collect(partsOf(own), patchFile(id), git, signal).catch((thrown: unknown) =>
      err(reasonOf(thrown)),
    );
    if (signal.aborted) return false;
    if (!collected.ok) log.warn("worktree.changes_lost", { id, error: collected.error });
    await removeTree(own);
    await rm(join(folder, `${id}.lock`), { force: true });
    return true;
  }

  return {
    create,
    async patches() {
      const names = await readdir(patches).catch(() => []);
      const stored = await Promise.all(names.map((name) => storedPatch(join(patches, name))));
      return stored.filter((each) => each !== undefined).toSorted((a, b) => b.createdAt - a.createdAt);
    },
    async patchOf(id) {
      const path = patchFile(id);
      const match = /^[\w-]+$/u.test(id) && (await lstat(path).catch(() => undefined));
      return match && match.isFile() ? path : undefined;
    },
    apply: (patch, target, signal) => applyPatchFile(patch, { ...target, folder }, git, signal),
    async removeOrphans(signal) {
      const copies = await readdir(folder).catch(() => []);
      const removed: string[] = [];
      for (const id of copies.filter((name) => !name.endsWith(".lock")))
        if (!signal.aborted && (await removeOrphan(id, signal))) removed.push(id);
      const names = await readdir(patches).catch(() => []);
      for (const path of names.map((name) => join(patches, name))) {
        const stats = await lstat(path).catch(() => undefined);
        if (stats && clock.now() - stats.mtimeMs > keptMs) await rm(path, { force: true });
      }
      return removed;
    },
  };
}

/** Patches are deleted after 30 days. */
const keptMs = 30 * 86_400_000;

async function storedPatch(path: string): Promise<StoredPatch | undefined> {
  const id = /([\w-]+)\.patch$/u.exec(path)?.[1];
  const stats = id === undefined ? undefined : await lstat(path).catch(() => undefined);
  if (id === undefined || !stats?.isFile()) return undefined;
  const project = await readFile(projectFile(path), "utf8").catch(() => undefined);
  return { id, path, project, createdAt: stats.mtimeMs };
}

/** The file that names the project of a patch. */
function projectFile(patch: string): string {
  return patch.replace(/\.patch$/u, ".project");
}

/**
 * The parts of one copy. The agent can reach only `tree`: git runs in the private repository, which the agent cannot
 * change.
 */
interface CopyParts extends DescribedTree {
  /** The file with the id of the tree from which the copy was created. */
  readonly base: string;
  /** The file with the root of the project. */
  readonly project: string;
}

function partsOf(own: string): CopyParts {
  const repository = join(own, "private.git");
  return {
    tree: join(own, "tree"),
    repository,
    index: join(repository, "index"),
    base: join(own, "base"),
    project: join(own, "project"),
  };
}

/** Fills the copy and returns the id of its initial tree. */
async function fill(
  { tree, repository, index, base, project: projectName }: CopyParts,
  project: ProjectFacts,
  git: Git,
  signal: AbortSignal,
): Promise<Result<string, string>> {
  const created = await createBorrowingRepository(repository, project, git, signal);
  if (!created.ok) return created;
  // Copies the project's index, so that unchanged files need not be read. The original index is not changed.
  await copyIndex(project.index, index).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  const start = { repository, index, tree: project.root, cwd: project.root, signal };
  const usable = await git.run(["ls-files", "--deduplicate", "-z"], start);
  if (!usable.ok) {
    await rm(index, { force: true });
    const read = await git.run(["read-tree", project.head ?? "--empty"], start);
    if (!read.ok) return err(read.error.message);
  }
  const stored = await storeTree({ repository, index, tree: project.root }, git, signal);
  if (!stored.ok) return stored;
  await mkdir(tree);
  const place = { repository, index, tree, cwd: tree, signal };
  for (const args of [
    ["read-tree", stored.value],
    ["checkout-index", "--all", "--force", "--quiet", "--index"],
  ]) {
    const done = await git.run(args, place);
    if (!done.ok) return err(done.error.message);
  }
  await writeFile(base, stored.value);
  await writeFile(projectName, project.root);
  const own = join(tree, ".git");
  const visible = await createBorrowingRepository(own, project, git, signal);
  if (!visible.ok) return visible;
  const referred = await copyReferences(own, project, git, signal);
  if (!referred.ok) return referred;
  await copyIndex(index, join(own, "index"));
  const seen = { repository: own, index: join(own, "index"), tree, cwd: tree, signal };
  const reset = await git.run(
    project.head === undefined ? ["read-tree", "--empty"] : ["read-tree", "-m", "HEAD"],
    seen,
  );
  return reset.ok ? stored : err(reset.error.message);
}

/**
 * Copies an index with its time. Git compares times in whole seconds: it reads a file again that is not older than the
 * index, because the file may have changed in the same second. With a newer index, such a change would be missed.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const seconds = Math.floor((await stat(from)).mtimeMs / 1000);
  await copyFile(from, to);
  await utimes(to, seconds, seconds);
}

function repeatChanges({ tree, repository, index }: CopyParts, patch: string, git: Git, signal: AbortSignal) {
  return git.run(["apply", "--whitespace=nowarn", patch], { repository, index, tree, cwd: tree, signal });
}

async function collect(
  { tree, repository, index, base, project }: CopyParts,
  patch: string,
  git: Git,
  signal: AbortSignal,
): Promise<Result<CollectedChanges, string>> {
  const before = (await readFile(base, "utf8")).trim();
  const after = await storeTree({ tree, repository, index }, git, signal);
  if (!after.ok) return after;
  if (after.value === before) return ok({ files: [] });
  const place = { repository, cwd: repository, signal };
  const trees = [before, after.value];
  const common = ["-r", "--find-renames", "--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=all"];
  const listed = await git.run(["diff-tree", ...common, "--name-only", "-z", ...trees], place);
  if (!listed.ok) return err(listed.error.message);
  const files = split(listed.value).map((path) => path.toString());
  if (files.length === 0) return ok({ files });
  await mkdir(dirname(patch), { recursive: true, mode: 0o700 });
  await copyFile(project, projectFile(patch));
  const form = ["--patch", "--binary", "--full-index", "--src-prefix=a/", "--dst-prefix=b/", `--output=${patch}`];
  const written = await git.run(["diff-tree", ...common, ...form, ...trees], place);
  return written.ok ? ok({ patch, files }) : err(written.error.message);
}
