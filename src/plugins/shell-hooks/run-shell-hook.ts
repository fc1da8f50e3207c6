import type { Clock } from "../../base/clock.ts";
import { isObject, type JsonObject, type JsonValue, parsedJson } from "../../base/json.ts";
import { runProgram, type Variables } from "../../base/process/run-program.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import { programOf, type ShellHook } from "./shell-hook.ts";

/** The environment of shell hooks. They run outside the sandbox, because they are the user's own programs. */
export interface ShellHookRun {
  readonly env: Variables;
  readonly cwd: string;
  readonly clock: Clock;
}

export interface ShellHookOutput {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

/** Runs the program with the event on its standard input. The error explains why there is no output. */
export async function runShellHook(
  hook: ShellHook,
  input: JsonObject,
  { env, cwd, clock }: ShellHookRun,
  signal: AbortSignal,
): Promise<Result<ShellHookOutput, string>> {
  const program = programOf(hook, env);
  if (program === undefined) return err(`${hook.words[0]} is missing or not executable`);
  const startedAt = clock.elapsed();
  const { timeoutMs } = hook;
  const stdin = Buffer.from(`${JSON.stringify(input)}\n`);
  const args = hook.words.slice(1);
  const end = await runProgram({ program, args, env, cwd, stdin, signal, timeoutMs, clock, killsGroup: true });
  switch (end.how) {
    case "exit": {
      const { code: exitCode, stdout, stderr } = end;
      return ok({ exitCode, stdout, stderr, durationMs: clock.elapsed() - startedAt });
    }
    case "timeout":
      return err(`no answer within ${timeoutMs / 1000} s`);
    case "aborted":
      return err("interrupted");
    case "unstarted":
      return err(`the program could not be started: ${end.message}`);
  }
}

/** Reads the answer from standard output; undefined if there is none. The error explains why the output is invalid. */
export function readHookAnswer({ exitCode, stdout, stderr }: ShellHookOutput): Result<JsonValue | undefined, string> {
  const complaint = oneLine(stderr.trim(), 300);
  if (exitCode !== 0) return err(`exit code ${exitCode}${complaint === "" ? "" : `: ${complaint}`}`);
  if (stdout.trim() === "") return ok(undefined);
  const answer = parsedJson(stdout);
  if (answer === undefined) return err(`the output is not JSON: ${oneLine(stdout.trim(), 120)}`);
  // The cast is safe: the value was parsed from JSON.
  return ok(answer as JsonValue);
}

/** Converts the keyword arguments of Python Hermes to the form that shell hooks read. */
export function shellInput({ event }: ShellHook, args: JsonObject, cwd: string): JsonObject {
  const { tool_name: name, args: input, session_id: session, sessionId, call, ...extra } = args;
  const typedName = isObject(call) ? call["name"] : undefined;
  return {
    hook_event_name: event,
    tool_name: name ?? typedName ?? null,
    tool_input: input ?? null,
    session_id: session ?? sessionId ?? "",
    cwd,
    extra: call === undefined ? extra : { ...extra, call },
  };
}
