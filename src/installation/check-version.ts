import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import type { Clock } from "../base/clock.ts";
import { parsedObject } from "../base/json.ts";
import { runProgram, type Variables } from "../base/process/run-program.ts";
import { err, ok, type Result, valueOr } from "../base/result.ts";

export interface CheckOptions {
  readonly env: Variables;
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /** Whether the running version accepts the user's settings, so that the new one must accept them too. */
  readonly hasValidSettings: boolean;
  /** A folder for the Hermes home of the checks, so that they touch no user data. */
  readonly scratch: string;
}

/**
 * Starts a version as a user would: it must report its version, list its tools, and answer a prompt with the built-in
 * model. It must also accept the settings of the user, if the running version does.
 */
export async function checkVersion(folder: string, version: string, options: CheckOptions): Promise<Result<void>> {
  const { env, signal, clock, scratch } = options;
  await mkdir(scratch, { recursive: true, mode: 0o700 });
  const launcher = join(folder, "hermes");
  const home = { ...withoutHermes(env), HOME: scratch, HERMES_HOME: join(scratch, "home"), NO_COLOR: "1" };
  const run = async (args: readonly string[], variables: Variables) => {
    const ran = await runProgram({
      program: launcher,
      args,
      env: variables,
      cwd: scratch,
      signal,
      clock,
      timeoutMs: checkMs,
      killsGroup: true,
    });
    if (ran.how === "unstarted") return { code: -1, stdout: "", why: ran.message };
    if (ran.how !== "exit")
      return { code: -1, stdout: "", why: ran.how === "aborted" ? "interrupted" : "it does not end" };
    return { code: ran.code, stdout: ran.stdout, why: ran.stderr.trim().split("\n")[0] ?? "" };
  };
  const fault = (step: string, why: string) =>
    err({ message: `version ${version} does not work here: \`hermes ${step}\` fails${why === "" ? "" : `: ${why}`}` });

  const named = await run(["--version"], home);
  if (named.code !== 0 || named.stdout.trim() !== `hermes ${version}`)
    return fault("--version", named.why || named.stdout.trim());
  const listed = await run(["tools", "list", "--json"], home);
  const tools = valueOr(() => parsedObject(listed.stdout), undefined)?.["tools"];
  if (listed.code !== 0 || !Array.isArray(tools) || tools.length === 0) return fault("tools list", listed.why);
  const answered = await run(["-z", "Hello"], home);
  if (answered.code !== 0 || answered.stdout.trim() === "") return fault("-z Hello", answered.why);
  if (!options.hasValidSettings) return ok(undefined);
  const settings = await run(["config", "check"], env);
  return settings.code === 0
    ? ok(undefined)
    : fault("config check", settings.stdout.trim().split("\n")[0] || settings.why);
}

/** Removes variables that select a model or a home, because the check would use them. */
function withoutHermes(env: Variables): Variables {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => !name.startsWith("HERMES_") || name === "HERMES_DEBUG"),
  );
}

const checkMs = 180_000;
