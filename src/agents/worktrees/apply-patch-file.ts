import { mkdir, mkdtemp } from "node:fs/promises";
import { dirname, isAbsolute, join } from "node:path";

import { describeFault } from "../../base/files/file-fault.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createBorrowingRepository } from "./borrowing-repository.ts";
import type { Git, GitFault } from "./git.ts";
import { changeTreeEntry, readTreeEntry, type TreeEntry, writePrivateEntry } from "./private-tree.ts";
import { projectFacts } from "./project-facts.ts";
import { split } from "./tree-state.ts";

export interface AppliedChanges {
  /** The root of the changed project. */
  readonly root: string;
  /** The files, relative to the root. */
  readonly files: readonly string[];
}

/** Why a patch was not applied. No file was changed then. */
export interface PatchConflict {
  readonly message: string;
  /** The files that differ from the state that the patch expects. Empty if the patch failed for another reason. */
  readonly files: readonly string[];
}

/**
 * Applies a patch to all files of the project around `cwd`, or to none of them. Leaves the project's index unchanged
 * and runs neither its hooks nor its filters. `folder` is for the repository whose settings git uses instead.
 */
export async function applyPatchFile(
  patch: string,
  { cwd, isTrial, folder }: { readonly cwd: string; readonly isTrial: boolean; readonly folder: string },
  git: Git,
  signal: AbortSignal,
): Promise<Result<AppliedChanges, PatchConflict>> {
  const project = await projectFacts(cwd, git, signal);
  if (!project.ok) return err({ message: project.error, files: [] });
  const { root } = project.value;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const own = await mkdtemp(`${folder}-`);
  try {
    const repository = join(own, "private.git");
    const created = await createBorrowingRepository(repository, project.value, git, signal);
    if (!created.ok) return err({ message: created.error, files: [] });
    const tree = join(own, "tree");
    await mkdir(tree);
    const place = { repository, tree, cwd: tree, signal };
    const listed = await git.run(["apply", "--numstat", "-z", patch], place);
    if (!listed.ok) return err(conflictOf(listed.error));
    // The reverse patch has the old names of renamed files.
    const reversed = await git.run(["apply", "--numstat", "-z", "--reverse", patch], place);
    if (!reversed.ok) return err(conflictOf(reversed.error));
    const files = namesIn(listed.value);
    const before = await copyEntries(root, tree, [...new Set([...files, ...namesIn(reversed.value)])]);
    if (!before.ok) return before;
    const options = ["--whitespace=nowarn"];
    const checked = await git.run(["apply", "--check", ...options, patch], place);
    if (!checked.ok) return err(conflictOf(checked.error));
    if (isTrial) return ok({ root, files });
    const applied = await git.run(["apply", ...options, patch], place);
    if (!applied.ok) return err(conflictOf(applied.error));
    const changed = await changeEntries(root, tree, before.value);
    return changed.ok ? ok({ root, files }) : changed;
  } finally {
    await removeTree(own);
  }
}

type Entries = ReadonlyMap<string, TreeEntry>;

/**
 * Copies the files of the patch to a folder that no agent can change. Git works there, because it walks the folders of
 * the project by name, and a process in the sandbox could replace one of them by a link meanwhile.
 */
async function copyEntries(
  root: string,
  tree: string,
  names: readonly string[],
): Promise<Result<Entries, PatchConflict>> {
  // U+FFFD stands for bytes that are not UTF-8.
  const unsafe = names.find((name) => isAbsolute(name) || /(?:^|\/)(?:\.\.?|\.git)?(?:\/|$)|\uFFFD/iu.test(name));
  if (unsafe !== undefined) return err({ message: `the patch has an invalid path: ${unsafe}`, files: [unsafe] });
  const entries = new Map<string, TreeEntry>();
  for (const name of new Set([...names, ...names.flatMap(attributesFor)])) {
    const entry = readEntry(root, name);
    if (!entry.ok) return entry;
    await writePrivateEntry(join(tree, name), entry.value);
    if (names.includes(name)) entries.set(name, entry.value);
  }
  return ok(entries);
}

/** The files with line-ending settings in the folders above a file. */
function attributesFor(name: string): readonly string[] {
  const folder = dirname(name);
  const own = join(folder, ".gitattributes");
  return folder === "." ? [own] : [own, ...attributesFor(folder)];
}

function readEntry(root: string, name: string): Result<TreeEntry, PatchConflict> {
  try {
    return ok(readTreeEntry(join(root, name)));
  } catch (error) {
    return err({ message: describeFault(error, name).message, files: [name] });
  }
}

/** Writes the changed files back. If one fails, those before it are restored. */
async function changeEntries(root: string, tree: string, before: Entries): Promise<Result<void, PatchConflict>> {
  const done: [name: string, from: TreeEntry, to: TreeEntry][] = [];
  for (const [name, from] of before) {
    const to = readTreeEntry(join(tree, name));
    try {
      await changeTreeEntry(root, name, from, to);
      done.push([name, from, to]);
    } catch (error) {
      for (const [other, old, now] of done.toReversed())
        await changeTreeEntry(root, other, now, old).catch(() => undefined);
      return err({ message: describeFault(error, name).message, files: [name] });
    }
  }
  return ok(undefined);
}

/** The names of the changed files, with their new names. */
function namesIn(numstat: Buffer): readonly string[] {
  return split(numstat).map((part) => part.toString().split("\t").slice(2).join("\t"));
}

function conflictOf({ message, details }: GitFault): PatchConflict {
  const files = details.split("\n").flatMap((line) => {
    const match =
      /^error: (.+): (?:patch does not apply|already exists in working directory|No such file or directory|does not exist in index|wrong type|has type .*|.*beyond a symbolic link.*)$/u.exec(
        line,
      ) ??
      /^error: patch failed: (.+):\d+$/u.exec(line) ??
      /^error: affected file '(.+)' is beyond a symbolic link$/u.exec(line);
    return match?.[1] === undefined ? [] : [match[1]];
  });
  return { message, files: [...new Set(files)] };
}
