import { basename, dirname } from "node:path";

import type { Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { createGit } from "./git.ts";
import type { SessionWorktree } from "./session-worktree.ts";

/** Lists the session worktrees in the repository around `cwd`. The error is a sentence for the user. */
export async function listSessionWorktrees(
  cwd: string,
  env: Variables,
  signal: AbortSignal,
): Promise<Result<readonly Pick<SessionWorktree, "path" | "branch" | "root">[], string>> {
  const listed = await createGit(env).run(["worktree", "list", "--porcelain", "-z"], { cwd, signal });
  if (!listed.ok) return err(`${cwd} is not in a git repository.`);
  const records = listed.value.toString().split("\0\0").map(fieldsOf);
  const root = records[0]?.path ?? cwd;
  return ok(
    records.flatMap(({ path = "", branch = "" }) => {
      const isOwn = branch.startsWith("hermes/") && basename(dirname(path)) === ".worktrees";
      return isOwn ? [{ path, branch, root }] : [];
    }),
  );
}

function fieldsOf(record: string): { readonly path?: string; readonly branch?: string } {
  const fields = new Map(record.split("\0").map((line) => [line.split(" ", 1)[0], line.slice(line.indexOf(" ") + 1)]));
  const path = fields.get("worktree");
  const branch = fields.get("branch")?.replace("refs/heads/", "");
  return { ...(path !== undefined && { path }), ...(branch !== undefined && { branch }) };
}
