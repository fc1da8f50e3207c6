import type { JsonObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { ProcessEnding, ProcessHandle, ProcessTable } from "../../contracts/environment/environment.ts";
import { endOfOutput } from "../../contracts/environment/process-output.ts";
import { signalCode } from "./exit-meaning.ts";

/** The status of a process for the model. */
export function statusOf(handle: ProcessHandle, ending: ProcessEnding | undefined, now: number): JsonObject {
  return {
    ...processFields(handle),
    command: oneLine(handle.command, commandChars),
    status: ending ? "exited" : "running",
    pid: handle.pid ?? null,
    uptime_seconds: Math.max(0, Math.round(((ending?.endedAt ?? now) - handle.startedAt) / 1000)),
    ...(ending && endingOf(ending)),
  };
}

/** In every answer: which process, and where it runs. */
export function processFields({ id, backend }: ProcessHandle): JsonObject {
  return { session_id: id, backend };
}

export function endingOf({ how, exitCode, signal }: ProcessEnding): JsonObject {
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

/** One line of `list`. */
export async function listed(
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
    ...(hasPreview && { output_preview: await endOfOutput(handle, previewChars, signal) }),
  };
}

const commandChars = 200;
const previewChars = 200;
