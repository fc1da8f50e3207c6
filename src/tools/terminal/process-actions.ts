import { linkAbort } from "../../base/async/abort.ts";
import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { JsonObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { CodeRunner } from "../../contracts/code/code-run.ts";
import type {
  CommandDefaults,
  ProcessHandle,
  ProcessTable,
  ProcessEnding,
} from "../../contracts/environment/environment.ts";
import { lastOutput } from "../../contracts/environment/process-output.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { signalCode } from "./exit-meaning.ts";
import { listedKernel } from "./kernel-actions.ts";
import { lastLines, linesFrom } from "./process-log.ts";

export interface ProcessContext {
  readonly processes: ProcessTable;
  readonly commandDefaults: CommandDefaults;
  readonly code: CodeRunner;
  readonly sessionId: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

// ── actions that only read ──────────────────────────────────────────────────────────────────────────────────────────

/** Lists running processes first, then the others, newest first. */
export async function listProcesses(limit: number, context: ProcessContext): Promise<ToolResult> {
  const { processes, code, clock, signal } = context;
  const match = await processes.list(signal);
  if (!match.ok) {
    const { message, hint = "" } = match.error;
    return fail(`The background processes cannot be listed: ${message}. ${hint}`.trim(), "unavailable");
  }
  const endings = await Promise.all(match.value.map((handle) => handle.ending(signal)));
  const all = match.value.map((handle, index) => ({ handle, ending: endings[index] })).toReversed();
  const sorted = [...all.filter(({ ending }) => !ending), ...all.filter(({ ending }) => ending)];
  const now = clock.now();
  const shown = sorted
    .slice(0, limit)
    .map(({ handle, ending }, offset) => listed(handle, ending, { ...context, now, hasPreview: offset < maxPreviews }));
  const left = sorted.length - shown.length;
  const kernels = code.kernels().map((kernel) => listedKernel(kernel, now));
  return json({
    count: sorted.length,
    running: all.filter(({ ending }) => !ending).length,
    ...(left > 0 && { note: `${left} more: give a higher limit.` }),
    processes: await Promise.all(shown),
    ...(kernels.length > 0 && { kernels }),
  });
}

const maxPreviews = 20;

export async function poll(handle: ProcessHandle, context: ProcessContext): Promise<ToolResult> {
  const { signal, clock } = context;
  const ending = await endingSeen(handle, context);
  return json({
    ...statusOf(handle, ending, clock.now()),
    ...terminalNote(handle),
    output_preview: await lastOutput(handle, pollChars, signal),
  });
}

export async function log(
  handle: ProcessHandle,
  range: { readonly offset: number | undefined; readonly limit: number },
  context: ProcessContext,
): Promise<ToolResult> {
  const { signal } = context;
  const ending = await endingSeen(handle, context);
  const { text, lines, offset, totalLines, droppedBytes, isCut } =
    range.offset === undefined
      ? await lastLines(handle, range.limit, signal)
      : await linesFrom(handle, range.offset, range.limit, signal);
  const next = (offset ?? 0) + lines;
  const isMore = offset !== undefined && (totalLines === undefined || next < totalLines);
  const notes = [
    droppedBytes > 0 ? `The first ${droppedBytes} bytes were dropped; lines are counted in the rest.` : undefined,
    isCut ? "The lines are long: fewer of them than asked for." : undefined,
    handle.isTerminal ? screenNote : undefined,
  ].filter((note) => note !== undefined);
  return json({
    ...processFields(handle),
    status: ending ? "exited" : "running",
    ...(ending && endingOf(ending)),
    lines,
    ...(offset !== undefined && { offset }),
    ...(totalLines !== undefined && { total_lines: totalLines }),
    ...(range.offset !== undefined && isMore && { next_offset: next }),
    ...(notes.length > 0 && { note: notes.join(" ") }),
    output: text,
  });
}

export async function wait(
  handle: ProcessHandle,
  seconds: number | undefined,
  { processes, commandDefaults, clock, signal }: ProcessContext,
): Promise<ToolResult> {
  const maxMs = commandDefaults.timeoutMs;
  const ms = Math.min(seconds === undefined ? maxMs : seconds * 1000, maxMs);
  using link = linkAbort(signal);
  const waited = await waitFor(handle.wait(link.signal), { signal, ms, clock });
  link.abort();
  const facts = processFields(handle);
  if (waited.how === "done") {
    processes.noteEnd(handle.id);
    const output = await lastOutput(handle, waitChars, signal);
    return json({ ...facts, status: "exited", ...endingOf(waited.value), ...terminalNote(handle), output });
  }
  if (waited.how === "aborted") return json({ ...facts, status: "interrupted", process_running: true });
  return json({
    ...facts,
    status: "timeout",
    process_running: true,
    note:
      `It still runs after ${ms / 1000} s` +
      (seconds !== undefined && seconds * 1000 > ms ? `, the longest a wait may take` : "") +
      ". Wait again, or do something else and poll.",
    ...terminalNote(handle),
    output: await lastOutput(handle, pollChars, signal),
  });
}

export async function screen(handle: ProcessHandle, context: ProcessContext): Promise<ToolResult> {
  if (!handle.isTerminal) return fail(`${handle.id} ${noTerminal}`, "invalid_args");
  const ending = await endingSeen(handle, context);
  const shown = await handle.screen(context.signal);
  if (!shown.ok) return fail(`The screen of ${handle.id} cannot be read: ${shown.error.message}`);
  const { columns, rows, cursor, title, lines } = shown.value;
  return json({
    ...processFields(handle),
    status: ending ? "exited" : "running",
    ...(ending && endingOf(ending)),
    columns,
    rows,
    cursor: { ...cursor },
    ...(title !== "" && { title }),
    screen: lines.join("\n").trimEnd(),
  });
}

const pollChars = 1_000;
const waitChars = 2_000;
const screenNote = "It has a terminal: process screen shows it as a person sees it.";
const noTerminal = "has no terminal: read it with log, or start it with pty: true";

function terminalNote({ isTerminal }: ProcessHandle): JsonObject {
  return isTerminal ? { note: screenNote } : {};
}

/** Marks the end as seen, so that no notification follows. */
async function endingSeen(handle: ProcessHandle, { processes, signal }: ProcessContext) {
  const ending = await handle.ending(signal);
  if (ending) processes.noteEnd(handle.id);
  return ending;
}

// ── actions that change a process ───────────────────────────────────────────────────────────────────────────────────

export async function kill(handle: ProcessHandle, { processes, signal }: ProcessContext): Promise<ToolResult> {
  const before = await handle.ending(signal);
  const killed = before ? { ok: true as const, value: before } : await handle.kill(signal);
  if (!killed.ok)
    return fail(`${handle.id} could not be ended: ${killed.error.message}`, "failed", { effect: "unknown" });
  processes.noteEnd(handle.id);
  const isKilled = !before && killed.value.how === "killed";
  return json({ status: isKilled ? "killed" : "already_exited", ...processFields(handle), ...endingOf(killed.value) });
}

export async function type(handle: ProcessHandle, text: string, context: ProcessContext): Promise<ToolResult> {
  const { clock, signal } = context;
  const bytes = Buffer.from(text);
  using link = linkAbort(signal);
  const waited = await waitFor(handle.write(bytes, link.signal), { signal, ms: typingMs, clock });
  link.abort();
  if (waited.how !== "done") {
    const why = waited.how === "aborted" ? "interrupted" : `it has not read all of it within ${typingMs / 1000} s`;
    return fail(
      `Typing into ${handle.id} was aborted: ${why}. A part may have arrived; check with poll or screen.`,
      "failed",
      {
        effect: "unknown",
      },
    );
  }
  if (!waited.value.ok) return notTaken(handle, waited.value.error.message, signal);
  return json({ status: "ok", ...processFields(handle), bytes_written: bytes.length });
}

/** The maximum size of input: a program that does not read accepts only as much as a pipe can hold. */
const typingMs = 10_000;

export async function closeInput(handle: ProcessHandle, { signal }: ProcessContext): Promise<ToolResult> {
  const closed = await handle.closeInput(signal);
  return closed.ok
    ? json({ status: "ok", ...processFields(handle), message: handle.isTerminal ? "Ctrl-D typed" : "input closed" })
    : notTaken(handle, closed.error.message, signal);
}

export async function resize(
  handle: ProcessHandle,
  size: { readonly columns: number | undefined; readonly rows: number | undefined },
  { signal }: ProcessContext,
): Promise<ToolResult> {
  if (!handle.isTerminal) return fail(`${handle.id} ${noTerminal}`, "invalid_args");
  const shown = await handle.screen(signal);
  if (!shown.ok) return fail(`${handle.id}: ${shown.error.message}`);
  const { columns = shown.value.columns, rows = shown.value.rows } = size;
  const resized = await handle.resize({ columns, rows }, signal);
  if (!resized.ok) return fail(`${handle.id} could not be resized: ${resized.error.message}`);
  return json({ status: "ok", ...processFields(handle), columns, rows });
}

async function notTaken(handle: ProcessHandle, message: string, signal: AbortSignal): Promise<ToolResult> {
  const ending = await handle.ending(signal);
  return fail(
    ending
      ? `${handle.id} has ended and accepts no input. Read it with process log, or start the command again.`
      : `${handle.id} did not accept the input: ${message}.`,
    "failed",
    { data: { ...processFields(handle), status: ending ? "exited" : "running", ...(ending && endingOf(ending)) } },
  );
}

function statusOf(handle: ProcessHandle, ending: ProcessEnding | undefined, now: number): JsonObject {
  return {
    ...processFields(handle),
    command: oneLine(handle.command, commandChars),
    status: ending ? "exited" : "running",
    pid: handle.pid ?? null,
    uptime_seconds: Math.max(0, Math.round(((ending?.endedAt ?? now) - handle.startedAt) / 1000)),
    ...(ending && endingOf(ending)),
  };
}

/** Returns the fields of every result: the process and its backend. */
function processFields({ id, backend }: ProcessHandle): JsonObject {
  return { session_id: id, backend };
}

function endingOf({ how, exitCode, signal }: ProcessEnding): JsonObject {
  return {
    exit_code: exitCode ?? (signal === undefined ? null : signalCode(signal)),
    completion_reason: how,
    termination_source: sources[how](signal),
    ...(signal !== undefined && { signal }),
  };
}

const sources = {
  exited: (signal: string | undefined) => (signal === undefined ? "itself" : `signal ${signal}`),
  killed: (signal: string | undefined) => (signal === undefined ? "kill" : `signal ${signal}`),
  lost: () => "unknown",
} as const;

/** Returns one row of `list`. */
async function listed(
  handle: ProcessHandle,
  ending: ProcessEnding | undefined,
  context: {
    readonly processes: ProcessTable;
    readonly sessionId: string;
    readonly now: number;
    readonly hasPreview: boolean;
    readonly signal: AbortSignal;
  },
): Promise<JsonObject> {
  const { processes, sessionId, now, hasPreview, signal } = context;
  const watching = processes.watching(handle.id);
  return {
    ...statusOf(handle, ending, now),
    cwd: handle.cwd,
    started_at: new Date(handle.startedAt).toISOString(),
    ...(handle.isTerminal && { pty: true }),
    ...(handle.owner.isKept && { keep: true }),
    ...(handle.owner.session !== sessionId && { other_session: true }),
    ...(watching?.notifyOnComplete && { notify_on_complete: true }),
    ...(watching && watching.patterns.length > 0 && { watch_patterns: [...watching.patterns] }),
    ...(watching && watching.hits > 0 && { watch_hit: watching.hits }),
    ...(hasPreview && { output_preview: await lastOutput(handle, previewChars, signal) }),
  };
}

const commandChars = 200;
const previewChars = 200;
