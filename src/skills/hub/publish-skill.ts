import { cp, lstat } from "node:fs/promises";
import { join } from "node:path";

import { makeFolder } from "../../base/files/make-folder.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { type CloneSource, cloneRepository, runGit } from "./clone-repository.ts";
import { tapKind } from "./tap-kind.ts";

/** Copies a skill to a tap: a folder, or a git repository with push access. Returns the target. */
export async function publishSkill(
  skill: { readonly name: string; readonly folder: string },
  tap: string,
  { env, makeFolder: makeCloneFolder }: Pick<CloneSource, "env" | "makeFolder">,
  signal: AbortSignal,
): Promise<Result<string>> {
  const kind = tapKind(tap);
  if (kind === "folder") {
    const placed = await place(skill, tap);
    return placed.ok ? ok(placed.value) : placed;
  }
  if (kind !== "git") {
    const hint =
      "To publish on GitHub, push to a repository of yours (git:https://github.com/YOU/skills.git) and open a pull request from it";
    return err({ message: `${tap} is neither a folder nor git:URL. ${hint}` });
  }
  const url = tap.replace(/^git:/u, "");
  const cloned = await cloneRepository(url, { env, signal, makeFolder: makeCloneFolder });
  if (!cloned.ok) return cloned;
  await using clone = cloned.value;
  const placed = await place(skill, clone.folder);
  if (!placed.ok) return placed;
  const options = { cwd: clone.folder, env, signal };
  for (const args of [
    ["add", "--all", "--", `skills/${skill.name}`],
    ["commit", "--quiet", "-m", `Add the skill ${skill.name}`],
    ["push", "--quiet", "origin", "HEAD"],
  ]) {
    const done = await runGit(args, options);
    if (!done.ok)
      return /nothing to commit/u.test(done.error.message) ? err({ message: `${url} has it already, just so` }) : done;
  }
  return ok(`${url}, skills/${skill.name}`);
}

async function place(
  { name, folder }: { readonly name: string; readonly folder: string },
  tap: string,
): Promise<Result<string>> {
  const to = join(tap, "skills", name);
  try {
    await makeFolder(join(tap, "skills"), 0o755);
    await cp(folder, to, { recursive: true, filter: async (path) => !(await lstat(path)).isSymbolicLink() });
    return ok(to);
  } catch (thrown) {
    return err({ message: reasonOf(thrown) });
  }
}
