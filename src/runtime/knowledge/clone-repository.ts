import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { cut } from "../../base/text/text.ts";
import type { Env } from "../../config/home.ts";
import type { GitClone } from "../../skills/hub/folder-sources.ts";

/** Only files come along: no hooks, no submodules, no settings, no protocol that runs a program, nobody is asked. */
const safely = [
  "core.hooksPath=/dev/null",
  "protocol.ext.allow=never",
  "core.fsmonitor=false",
  "core.symlinks=false",
  "filter.lfs.smudge=",
  "filter.lfs.required=false",
].flatMap((setting) => ["-c", setting]);

/** Runs git in a folder; what it said. */
export async function runGit(
  args: readonly string[],
  { cwd, env, signal }: { readonly cwd: string; readonly env: Env; readonly signal: AbortSignal },
): Promise<Result<string, { readonly message: string }>> {
  const { promise, resolve } = Promise.withResolvers<Result<string, { readonly message: string }>>();
  const child = spawn("git", [...safely, ...args], {
    cwd,
    env: { ...env, GIT_TERMINAL_PROMPT: "0", GIT_ASKPASS: "true", GIT_SSH_COMMAND: "ssh -o BatchMode=yes" },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([signal, AbortSignal.timeout(gitMs)]),
  });
  let said = "";
  const hear = (chunk: Buffer) => void (said = cut(`${said}${chunk.toString("utf8")}`, 20_000));
  child.stdout.on("data", hear);
  child.stderr.on("data", hear);
  child.once("error", (thrown) => resolve(err({ message: `git: ${reasonOf(thrown)}` })));
  child.once("close", (code) =>
    resolve(code === 0 ? ok(said) : err({ message: `git ${args[0]}: ${said.trim() || `code ${code}`}` })),
  );
  return promise;
}

const gitMs = 120_000;

/** A copy of the newest commit in a folder of its own. */
export async function cloneRepository(
  url: string,
  { env, signal }: { readonly env: Env; readonly signal: AbortSignal },
): Promise<Result<GitClone, { readonly message: string }>> {
  // What git would take for an option, or run.
  if (url.startsWith("-") || /^[\w+.-]+::/u.test(url))
    return err({ message: `${JSON.stringify(url)} is no address of a repository` });
  const folder = await mkdtemp(join(tmpdir(), "hermes-skills-"));
  const remove = () => rm(folder, { recursive: true, force: true });
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
