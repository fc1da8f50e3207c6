import { systemClock } from "../../base/clock.ts";
import { removeTree } from "../../base/files/remove-tree.ts";
import { runProgram } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { GitClone } from "./folder-sources.ts";

type Variables = Readonly<Record<string, string | undefined>>;

/** Git settings that fetch only files: no hooks, submodules, settings, protocols that run programs, or prompts. */
const safely = [
  "core.hooksPath=/dev/null",
  "protocol.ext.allow=never",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "filter.lfs.smudge=",
  "filter.lfs.required=false",
].flatMap((setting) => ["-c", setting]);

/** Runs git in a folder and returns its output. */
export async function runGit(
  args: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Variables; readonly signal: AbortSignal },
): Promise<Result<string>> {
  const quiet = { GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "true", GIT_SSH_COMMAND: "ssh -o BatchMode=yes" };
  const ran = await runProgram({
    program: "git",
    args: [...safely, ...args],
    cwd,
    env: { ...env, ...quiet },
    signal,
    timeoutMs: gitMs,
    clock: systemClock,
  });
  if (ran.how === "unstarted") return err({ message: `git: ${ran.message}` });
  if (ran.how !== "exit")
    return err({ message: `git ${args[0]}: ${ran.how === "aborted" ? "interrupted" : "timeout"}` });
  const output = cut(`${ran.stdout}${ran.stderr}`, 20_000);
  return ran.code === 0 ? ok(output) : err({ message: `git ${args[0]}: ${output.trim() || `code ${ran.code}`}` });
}

const gitMs = 120_000;

export interface CloneSource {
  readonly env: Variables;
  readonly signal: AbortSignal;
  /** Creates an empty folder. No untrusted program may be able to change it: git reads the settings in a clone. */
  readonly makeFolder: (kind: string) => string;
}

/** Clones the newest commit into a temporary folder. */
export async function cloneRepository(
  url: string,
  { env, signal, makeFolder }: CloneSource,
): Promise<Result<GitClone>> {
  // Git would treat such a URL as an option, or run it.
  if (url.startsWith("-") || /^[\w+.-]+::/u.test(url))
    return err({ message: `${JSON.stringify(url)} is not a repository URL` });
  const folder = makeFolder("clone");
  const remove = () => removeTree(folder);
  const cloned = await runGit(["clone", "--quiet", "--depth", "1", "--no-tags", "--", url, "."], {
    cwd: folder,
    env,
    signal,
  });
  if (!cloned.ok) {
    await remove();
    return cloned;
  }
  return ok({ folder, [Symbol.asyncDispose]: remove });
}
