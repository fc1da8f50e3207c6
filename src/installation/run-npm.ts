import type { Clock } from "../base/clock.ts";
import { runProgram, type Variables } from "../base/process/run-program.ts";
import { err, ok, type Result } from "../base/result.ts";

export interface NpmOptions {
  readonly cwd: string;
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly clock: Clock;
}

/** Runs npm without package scripts and without questions. Returns its standard output. */
export async function runNpm(args: readonly string[], options: NpmOptions): Promise<Result<string>> {
  const flags = [
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    "--no-update-notifier",
    "--prefer-offline",
    "--loglevel=error",
  ];
  const quick = ["--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-retry-maxtimeout=3000"];
  const ran = await runProgram({
    program: "npm",
    args: [...args, ...flags, ...quick],
    ...options,
    // Removes settings of an outer npm, such as `--prefix` and `--global`, which would move the installation.
    env: Object.fromEntries(
      Object.entries(options.env).filter(
        ([name]) => !/^npm_(?:config_(?:global|prefix|local_prefix|dry_run)|lifecycle|package)/iu.test(name),
      ),
    ),
    timeoutMs: npmMs,
    killsGroup: true,
  });
  if (ran.how === "unstarted") return err({ message: "npm was not found. It comes with Node." });
  if (ran.how !== "exit")
    return err({ message: ran.how === "aborted" ? "interrupted" : "npm took longer than 10 minutes" });
  if (ran.code === 0) return ok(ran.stdout);
  return err({ message: explain(ran.stdout, ran.stderr) });
}

const npmMs = 600_000;

/** With --json, npm prints its error as JSON and then as text. */
function explain(stdout: string, stderr: string): string {
  const output = `${stdout}\n${stderr}`;
  if (/\bE404\b/u.test(output)) return "the registry does not have it";
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED|network/iu.test(output))
    return "the package registry cannot be reached";
  if (/CERT_|_CERT\b/u.test(output)) return "the certificate of the package registry is not trusted";
  if (/ENOSPC|EDQUOT/u.test(output)) return "the disk is full";
  if (/EACCES|EPERM|EROFS/u.test(output)) return "the folder cannot be written to";
  const lines = (stderr.trim() === "" ? stdout : stderr)
    .split("\n")
    .filter((line) => line.trim() !== "" && !/complete log of this run|^npm error\s*$/u.test(line));
  return (
    lines
      .slice(0, 3)
      .map((line) => line.replace(/^npm error /u, ""))
      .join("; ") || "no reason given"
  );
}
