import { realpathSync } from "node:fs";
import { basename, delimiter, isAbsolute, join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { isProgram } from "../../base/process/find-program.ts";
import { runProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";

/** A Python interpreter that can run plugins. */
export interface PythonInterpreter {
  /** The real program instead of a shim: a pyenv shim takes four times as long to start. */
  readonly path: string;
  readonly version: string;
  /** Folders that the interpreter needs: its own library and that of a surrounding virtual environment. */
  readonly folders: readonly string[];
}

export interface PythonDeps {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** The minor version that is needed at least, as in 3.`minor`. Default: 9. */
  readonly minor?: number;
  /** The timeout for querying one interpreter. */
  readonly timeoutMs?: number;
  /** The feature that needs Python, for the message. Default: plugins. */
  readonly user?: string;
}

const names: readonly string[] = ["python3", "python"];

/**
 * Finds the first Python on PATH that is new enough. Each candidate is started once to get its real program; callers
 * cache the answer.
 */
export async function findPython(env: Variables, deps: PythonDeps): Promise<Result<PythonInterpreter, string>> {
  const folders = (env["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(delimiter).filter(isAbsolute);
  const programs = folders.flatMap((folder) => names.map((name) => join(folder, name))).filter(isProgram);
  const tried = new Set<string>();
  const refusals: string[] = [];
  for (const program of programs) {
    const real = realpathSync(program);
    if (tried.has(real)) continue;
    tried.add(real);
    const answer = await describe(program, env, deps);
    if (answer.ok) return answer;
    refusals.push(answer.error);
  }
  const reason = refusals.length === 0 ? "PATH contains no python3" : refusals.join("; ");
  const { user = "Python plugins", minor = 9 } = deps;
  return err(`${user} need Python 3.${minor} or newer: ${reason}. Install python3 and run this again.`);
}

const question = `import sys
print("%d.%d.%d" % sys.version_info[:3])
for path in dict.fromkeys((sys.executable, sys.prefix, sys.base_prefix)): print(path)`;

async function describe(
  program: string,
  env: Variables,
  { clock, signal, minor: oldest = 9, timeoutMs = 10_000 }: PythonDeps,
): Promise<Result<PythonInterpreter, string>> {
  const ran = await runProgram({ program, args: ["-I", "-c", question], env, timeoutMs, clock, signal });
  if (ran.how !== "exit" || ran.code !== 0) return err(`${program} cannot be run`);
  const [version = "", path = "", ...folders] = ran.stdout.trim().split("\n");
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major !== 3 || minor < oldest) return err(`${program} is Python ${version}`);
  return isProgram(path)
    ? ok({ path, version, folders })
    : err(`${program} does not report the path of its interpreter`);
}

/**
 * The folder with the program that runs in the process of a Python plugin: next to this file, or in a package next to
 * the bundle.
 */
export function pythonRunnerFolder(): string {
  const { filename, dirname } = import.meta;
  if (filename.endsWith(".ts")) return join(dirname, "python");
  return join(dirname, basename(dirname) === "chunks" ? ".." : ".", "python");
}

/** The Python arguments for the process of a plugin. `cacheFolder` is for compiled code; the plugin may write there. */
export function pythonArguments(cacheFolder: string): readonly string[] {
  return ["-I", "-S", "-X", "utf8", join(pythonRunnerFolder(), "main.py"), cacheFolder];
}
