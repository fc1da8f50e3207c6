import type { Clock } from "../../base/clock.ts";
import type { SessionId } from "../../base/ids.ts";
import type { ProcessTable } from "../../contracts/environment/environment.ts";
import { usualPtySize } from "../../contracts/environment/process-output.ts";
import type { SudoUse } from "../../contracts/safety/command-analysis.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { notRun } from "./foreground.ts";
import { sudoInBackground } from "./sudo.ts";

export interface BackgroundCommand {
  readonly command: string;
  readonly cwd?: string;
  readonly pty: boolean;
  readonly notifyOnComplete: boolean;
  readonly watchPatterns: readonly string[];
  readonly keep: boolean;
  readonly sudo: readonly SudoUse[];
  /** Has no meaning here. */
  readonly hasTimeout: boolean;
}

export interface BackgroundContext {
  readonly processes: ProcessTable;
  readonly sessionId: SessionId;
  readonly environment: { readonly kind: string };
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export async function startBackground(
  wish: BackgroundCommand,
  { processes, sessionId, environment, clock, signal }: BackgroundContext,
): Promise<ToolResult> {
  const { command, notifyOnComplete, keep } = wish;
  const askedAt = clock.elapsed();
  const sudo = sudoInBackground(wish.sudo);
  if (!sudo.ok) return fail(sudo.error, "blocked");
  const pty = wish.pty && !readsToken.test(command);
  const watchPatterns = notifyOnComplete ? [] : wish.watchPatterns;
  const started = await processes.start(
    command,
    {
      sessionId,
      keep,
      notifyOnComplete,
      watchPatterns,
      ...(wish.cwd !== undefined && { cwd: wish.cwd }),
      ...(pty && { pty: usualPtySize }),
    },
    signal,
  );
  if (!started.ok) return notRun(started.error, environment.kind);
  const { id, pid } = started.value;
  const hint = [
    notifyOnComplete || watchPatterns.length > 0 ? undefined : lookHint,
    wish.hasTimeout ? "timeout holds in the foreground alone: this runs until it ends or is killed." : undefined,
  ].filter((each) => each !== undefined);
  return json({
    output: "Background process started",
    session_id: id,
    pid: pid ?? null,
    exit_code: 0,
    error: null,
    backend: started.value.backend,
    cwd: started.value.cwd,
    ...(started.value.isConfined && { sandbox: true }),
    duration_ms: 0,
    waited_ms: Math.round(clock.elapsed() - askedAt),
    ...(hint.length > 0 && { hint: hint.join(" ") }),
    ...(wish.pty && { pty_note: pty ? ptyNote : tokenNote }),
    ...(notifyOnComplete && { notify_on_complete: true }),
    ...(watchPatterns.length > 0 && { watch_patterns: [...watchPatterns] }),
    ...(notifyOnComplete && wish.watchPatterns.length > 0 && { watch_patterns_ignored: ignoredNote }),
    ...(keep && { keep: true }),
    ...(sudo.value !== undefined && { sudo_note: sudo.value }),
  });
}

/** It reads a token to the end of its input, which a terminal would not give it. */
const readsToken = /\bgh\s+auth\s+login\b.*--with-token\b/su;

const lookHint =
  "Nothing will tell you of it: look with process poll or wait, or start it with notify_on_complete (work that ends) or " +
  "watch_patterns (a server that gets ready).";
const ptyNote = `It has a terminal of ${usualPtySize.columns} columns and ${usualPtySize.rows} rows: read it with process screen, type with submit and write.`;
const tokenNote = "Without a terminal: gh reads the token from its input. Use process write, then close.";
const ignoredNote = "watch_patterns has no effect together with notify_on_complete: you are notified once, at the end.";
