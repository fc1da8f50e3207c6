import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { runProgram, type Variables } from "../base/process/run-program.ts";
import { err, ok, type Result } from "../base/result.ts";
import { plural } from "../base/text/text.ts";

export interface CloneOptions {
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** A remote branch to use instead of the upstream branch. */
  readonly branch?: string;
  report(message: string): void;
}

/** Why a clone was not updated. `isBlocked` means that the user must first change something in the working tree. */
export interface CloneFault {
  readonly message: string;
  readonly hint?: string;
  readonly isBlocked?: boolean;
}

export interface CloneState {
  /** The commit that is checked out. */
  readonly commit: string;
  /** The commit to update to. */
  readonly target: string;
  /** The number of commits to fetch. */
  readonly behind: number;
}

/** Compares the clone with its remote. Fetches, but changes no file of the working tree. */
export async function inspectClone(root: string, options: CloneOptions): Promise<Result<CloneState, CloneFault>> {
  const git = gitIn(root, options);
  const top = await git("rev-parse", "--show-toplevel");
  if (!top.ok || top.value !== root)
    return err({
      message: `${root} is not a git clone.`,
      hint: "Replace its files with the newer sources; the next start builds them.",
    });
  const upstream =
    options.branch === undefined
      ? await git("rev-parse", "--abbrev-ref", "@{upstream}")
      : ok(`origin/${options.branch}`);
  if (!upstream.ok)
    return err({
      message: "The branch of the clone has no upstream.",
      hint: "git branch --set-upstream-to=origin/BRANCH",
      isBlocked: true,
    });
  const [remote = "origin"] = upstream.value.split("/", 1);
  const fetched = await git("fetch", "--quiet", "--", remote);
  if (!fetched.ok) return err({ message: `git fetch failed: ${fetched.error.message}` });
  const commit = await git("rev-parse", "HEAD");
  const target = await git("rev-parse", "--verify", "--quiet", `${upstream.value}^{commit}`);
  if (!commit.ok || !target.ok) return err({ message: `There is no branch ${upstream.value}.` });
  const counted = await git("rev-list", "--left-right", "--count", `HEAD...${target.value}`);
  if (!counted.ok) return counted;
  const [ahead = 0, behind = 0] = counted.value.split(/\s+/u).map(Number);
  if (ahead > 0 && behind > 0)
    return err({
      message: `The clone has ${plural(ahead, "commit")} that ${upstream.value} does not have.`,
      hint: `Merge or rebase them: git -C ${root} pull --rebase`,
      isBlocked: true,
    });
  return ok({ commit: commit.value, target: target.value, behind });
}

/** Updates the clone and builds it. Changed files block the update; after a failed build the clone is unchanged. */
export async function updateClone(
  root: string,
  { commit, target }: CloneState,
  options: CloneOptions,
): Promise<Result<void, CloneFault>> {
  const git = gitIn(root, options);
  const status = await git("diff", "--name-only", "HEAD", "--");
  if (!status.ok) return status;
  if (status.value !== "")
    return err({
      message: `The clone has uncommitted changes: ${status.value.split("\n").slice(0, 5).join(", ")}`,
      hint: `Commit or stash them: git -C ${root} stash`,
      isBlocked: true,
    });
  const merged = await git("merge", "--ff-only", "--quiet", target);
  if (!merged.ok) return err({ message: `git merge failed: ${merged.error.message}`, isBlocked: true });
  options.report("Building the new version …");
  const built = await start(root, options);
  if (built === undefined) return ok(undefined);
  const back = await git("reset", "--keep", commit);
  const again = back.ok ? await start(root, options) : back.error.message;
  const outcome = again === undefined ? "The clone is as it was." : `Going back failed too: ${again}`;
  return err({
    message: `The new version does not build: ${built}\n${outcome}`,
    hint: `git -C ${root} log shows the commits.`,
  });
}

/** Lets the launcher install and build everything that changed. Returns undefined on success. */
async function start(root: string, { env, signal, clock }: CloneOptions): Promise<string | undefined> {
  const ran = await runProgram({
    program: join(root, "hermes"),
    args: ["--version"],
    env,
    signal,
    clock,
    timeoutMs: 900_000,
    killsGroup: true,
  });
  if (ran.how !== "exit") return ran.how === "unstarted" ? ran.message : ran.how;
  return ran.code === 0 ? undefined : ran.stderr.trim().split("\n").slice(-3).join(" ");
}

function gitIn(root: string, { env, signal, clock }: CloneOptions) {
  return async (...args: readonly string[]): Promise<Result<string>> => {
    const ran = await runProgram({
      program: "git",
      args,
      cwd: root,
      env: {
        ...env,
        GIT_TERMINAL_PROMPT: "0",
        GIT_DIR: undefined,
        GIT_WORK_TREE: undefined,
        GIT_INDEX_FILE: undefined,
      },
      signal,
      clock,
      timeoutMs: 300_000,
    });
    if (ran.how === "unstarted") return err({ message: "git was not found" });
    if (ran.how !== "exit")
      return err({ message: ran.how === "aborted" ? "interrupted" : "git took longer than 5 minutes" });
    return ran.code === 0
      ? ok(ran.stdout.trim())
      : err({ message: ran.stderr.trim().split("\n")[0] || `git ended with ${ran.code}` });
  };
}
