import type { JsonObject } from "../../base/json.ts";
import type {
  CommandDefaults,
  Environment,
  EnvironmentError,
  ExecResult,
} from "../../contracts/environment/environment.ts";
import { usualPtySize } from "../../contracts/environment/process-output.ts";
import type { SudoUse } from "../../contracts/safety/command-analysis.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool.ts";
import { exitCodeOf, exitMeaning, hintFrom } from "./exit-meaning.ts";
import { sandboxHint, stayedInside } from "./sandbox-hint.ts";
import { looksLikeServer } from "./server-command.ts";
import { showOutput } from "./shown-output.ts";
import { hidePassword, isSudoFailure, type SudoLine, withSudo } from "./sudo.ts";

export interface ForegroundCommand {
  readonly command: string;
  readonly timeoutMs: number;
  readonly cwd?: string;
  readonly pty: boolean;
  readonly outside: boolean;
  readonly sudo: readonly SudoUse[];
  /** What was asked for and holds in the background alone. */
  readonly ignored: readonly string[];
}

/** The longest a caller may ask for; the setting may allow more. */
export const maxSeconds = 600;

/** Runs a command to its end. */
export async function runForeground(
  wish: ForegroundCommand,
  environment: Environment,
  defaults: CommandDefaults,
  signal: AbortSignal,
): Promise<ToolResult> {
  const sudo = await withSudo(wish.command, wish.sudo, defaults, signal);
  if (!sudo.ok) return fail(sudo.error, "blocked");
  const { password } = sudo.value;
  const ran = await environment.exec(sudo.value.command, {
    signal,
    timeoutMs: wish.timeoutMs,
    ...(wish.cwd !== undefined && { cwd: wish.cwd }),
    ...(wish.pty && { pty: usualPtySize }),
    ...(password !== undefined && { sudoPassword: password }),
  });
  if (!ran.ok) return notRun(ran.error, environment.kind);
  const data = resultData(wish, ran.value, sudo.value);
  if (data["sudo_auth_failed"] === true && password !== undefined) defaults.forgetSudoPassword();
  if (ran.value.ended !== "lost") return json(data);
  const content = [{ type: "text", text: JSON.stringify(data) }] as const;
  return fail(`${lostWords(ran.value)} Look at what it did before you run it again.`, "failed", {
    effect: "unknown",
    data,
    content,
  });
}

/** What is short comes first: it stays readable when a long result is cut. */
function resultData(wish: ForegroundCommand, ran: ExecResult, sudo: SudoLine): JsonObject {
  const { command, timeoutMs } = wish;
  const { text: shown, cut } = showOutput(ran, wish.pty ? usualPtySize : undefined);
  const text = hidePassword(shown, sudo.password);
  const exitCode = exitCodeOf(ran);
  const error = errorOf(ran, timeoutMs);
  const meaning = error === null ? exitMeaning(command, exitCode, text) : undefined;
  const sudoFailed = sudo.usesSudo && exitCode !== 0 && isSudoFailure(text);
  const { confined } = ran;
  const failed = ran.ended === "exit" && exitCode !== 0;
  const confinedHint = failed && confined ? sandboxHint(text, confined) : undefined;
  const hint = [
    wish.outside && confined ? stayedInside : undefined,
    confinedHint,
    sudoFailed && confinedHint === undefined ? sudoHint(sudo) : undefined,
    ran.ended === "timeout" ? (looksLikeServer(command) ? serverHint : timeoutHint) : undefined,
    failed && !sudoFailed && confinedHint === undefined ? hintFrom(text) : undefined,
    ran.leftRunning.length > 0 ? leftHint : undefined,
    wish.ignored.length > 0 ? `Only with background: true: ${wish.ignored.join(", ")}.` : undefined,
  ].filter((each) => each !== undefined);
  return {
    exit_code: exitCode,
    error,
    ...(ran.ended === "timeout" && { timed_out: true }),
    ...(meaning !== undefined && { exit_code_meaning: meaning }),
    ...(sudoFailed && { sudo_auth_failed: true }),
    ...(hint.length > 0 && { hint: hint.join(" ") }),
    ...(ran.leftRunning.length > 0 && {
      left_running: ran.leftRunning.map((left) => hidePassword(left, sudo.password)),
    }),
    cwd: ran.cwd,
    backend: ran.backend,
    ...(confined && { sandbox: true }),
    duration_ms: Math.round(ran.durationMs),
    waited_ms: Math.round(ran.waitedMs),
    ...(cut && {
      output_total_bytes: ran.totalBytes,
      ...(cut.path !== undefined && { full_output_path: cut.path }),
      truncation_note: cut.note,
    }),
    output: withEnding(text, ran, timeoutMs),
  };
}

const timeoutHint =
  `Give a longer timeout (at most ${maxSeconds} s), or run it with background: true and notify_on_complete: true. ` +
  "A command that waits for input never ends by itself: use background and pty, and the process tool to type.";
const serverHint =
  "It looks like one that runs until it is ended: start it with background: true and look with process poll.";
const leftHint =
  "What a command leaves running is ended with it. To keep it running, start it alone (without &, nohup, setsid) with " +
  "background: true.";

function sudoHint({ password, without }: SudoLine): string {
  return password === undefined
    ? `sudo wants a password and has none: ${without ?? "set SUDO_PASSWORD"}. A person can also allow it without one.`
    : "sudo did not take the password: it is asked for again next time.";
}

function errorOf(ran: ExecResult, timeoutMs: number): string | null {
  if (ran.ended === "timeout") return `timed out after ${timeoutMs / 1000} s; it and all it had started were ended`;
  if (ran.ended === "aborted") return "interrupted; it and all it had started were ended";
  return ran.ended === "lost" ? lostWords(ran) : null;
}

function lostWords({ backend, fault }: ExecResult): string {
  return `The backend ${backend} went away while the command ran; whether it finished is not known${
    fault === undefined ? "" : `: ${fault}`
  }${fault?.endsWith(".") ? "" : "."}`;
}

function withEnding(text: string, { ended }: ExecResult, timeoutMs: number): string {
  const said =
    ended === "timeout"
      ? `[Command timed out after ${timeoutMs / 1000}s]`
      : ended === "aborted"
        ? "[Command interrupted]"
        : undefined;
  if (said === undefined) return text;
  return `${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${said}`;
}

export function notRun({ kind, message, hint }: EnvironmentError, backend: string): ToolResult {
  const said = `The command was not run (${backend}): ${message}.${hint === undefined ? "" : ` ${hint}`}`;
  return fail(said, kind === "refused" ? "invalid_args" : "unavailable", { data: { backend, reason: kind } });
}
