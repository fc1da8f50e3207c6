import { mkdir, mkdtemp } from "node:fs/promises";
import { join } from "node:path";

import { removeTree } from "../../base/files/remove-tree.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createBorrowingRepository } from "./borrowing-repository.ts";
import type { Git, GitFault } from "./git.ts";
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
    const place = { repository, tree: root, cwd: root, signal };
    const listed = await git.run(["apply", "--numstat", "-z", patch], place);
    if (!listed.ok) return err(conflictOf(listed.error));
    const options = ["--whitespace=nowarn"];
    const checked = await git.run(["apply", "--check", ...options, patch], place);
    if (!checked.ok) return err(conflictOf(checked.error));
    const applied = isTrial ? checked : await git.run(["apply", ...options, patch], place);
    return applied.ok ? ok({ root, files: filesIn(listed.value) }) : err(conflictOf(applied.error));
  } finally {
    await removeTree(own);
  }
}

/** A renamed file has an empty name, followed by its old and new names. */
function filesIn(numstat: Buffer): readonly string[] {
  const files: string[] = [];
  const parts = split(numstat).map((part) => part.toString());
  for (let index = 0; index < parts.length; index++) {
    const name = parts[index]?.split("\t").slice(2).join("\t") ?? "";
    if (name !== "") files.push(name);
    else files.push(parts[(index += 2)] ?? "");
  }
  return files;
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
