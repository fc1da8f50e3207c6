import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { EntryBody } from "../../contracts/session/session.ts";
import type { CallScope, Dispatcher } from "../../contracts/tool/dispatch.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { SessionLog } from "./record/session-log.ts";

export interface CallPorts {
  readonly dispatcher: Dispatcher;
  readonly log: SessionLog;
  readonly clock: Clock;
}

/**
 * The time that calls have to stop after an abort, so that the turn ends in time. Longer than the grace period of a
 * tool, so that the output of a tool that does not stop is still recorded.
 */
const stopMs = 150;

/**
 * Runs the calls of one answer. Afterwards each call has a result in the history. Also records calls that never reached
 * the ledger (unknown tools, invalid arguments, denials) and calls that do not stop.
 */
export async function runCalls(
  calls: readonly ToolCall[],
  scope: CallScope,
  { dispatcher, log, clock }: CallPorts,
): Promise<readonly ToolResult[]> {
  const running = dispatcher.dispatchAll(calls, scope);
  const waited = await waitFor(running, { signal: scope.signal, ms: Infinity, clock });
  const ended = waited.how === "done" ? waited : await waitFor(running, { ms: stopMs, clock });
  const results = calls.map(
    (call, index) => (ended.how === "done" ? ended.value[index] : undefined) ?? abandoned(call, log.isSettled(call.id)),
  );
  const missing = calls.flatMap((call, index): EntryBody[] => {
    const result = results[index];
    if (log.isSettled(call.id) || !result) return [];
    return [{ type: "settled", callId: call.id, tool: call.name, result, durationMs: 0 }];
  });
  if (missing.length > 0) await log.append(missing);
  return results;
}

function abandoned({ name }: ToolCall, isSettled: boolean): ToolResult {
  if (isSettled) return fail(`${name} ended after the turn was stopped`, "aborted", { effect: "done" });
  return fail(`${name} did not stop in time; its outcome is unknown`, "aborted", {
    effect: "unknown",
  });
}
