import { realpath } from "node:fs/promises";
import { relative } from "node:path";

import { err, ok, type Result } from "../../base/result.ts";
import type { Git } from "./git.ts";

/** The git repository that contains an agent's folder. All paths are real paths. */
export interface ProjectFacts {
  /** The folder with the files. */
  readonly root: string;
  /** The folder of the agent, relative to the root. */
  readonly inside: string;
  /** The repository that all worktrees share. */
  readonly shared: string;
  readonly index: string;
  readonly objects: string;
  readonly hashes: string;
  /** Undefined if the repository has no commit yet. */
  readonly head: string | undefined;
}

/** Reads the facts. The error is a sentence for the user. */
export async function projectFacts(cwd: string, git: Git, signal: AbortSignal): Promise<Result<ProjectFacts, string>> {
  const questions = ["--is-inside-work-tree", "--is-bare-repository"];
  const kind = await git.run(["rev-parse", ...questions], { cwd, signal });
  if (!kind.ok) {
    const isNone = /not a git repository/u.test(kind.error.details);
    return err(isNone ? noRepository(cwd) : `${kind.error.message}. ${without}`);
  }
  const [hasFiles, isBare] = kind.value.toString().split("\n");
  if (hasFiles !== "true")
    return err(
      isBare === "true"
        ? `${cwd} is a bare repository, which has no files to copy. Start in a worktree of it. ${without}`
        : noRepository(cwd),
    );
  const names = ["--show-toplevel", "--git-common-dir", "--git-path", "index", "--git-path", "objects"];
  const named = await git.run(["rev-parse", "--path-format=absolute", ...names, "--show-object-format"], {
    cwd,
    signal,
  });
  if (!named.ok) return err(`${named.error.message}. ${without}`);
  const [top = "", shared = "", index = "", objects = "", hashes = "sha1"] = named.value.toString().split("\n");
  const head = await git.run(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"], { cwd, signal });
  const root = await realpath(top);
  return ok({
    root,
    inside: relative(root, await realpath(cwd)),
    shared: await realpath(shared),
    index,
    objects: await realpath(objects),
    hashes,
    head: head.ok ? head.value.toString().trim() : undefined,
  });
}

const without = "Or start the agent without isolation.";

function noRepository(cwd: string): string {
  return `isolation: worktree needs a git repository, and ${cwd} is in none: run \`git init\` there first. ${without}`;
}
