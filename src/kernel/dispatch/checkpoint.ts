import { waitFor } from "../../base/async/bounded-wait.ts";
import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import type { Checkpointer, Recording } from "../../contracts/knowledge/checkpoint.ts";
import type { DispatchStep, PendingCall } from "../../contracts/tool/dispatch.ts";
import type { Effect } from "../../contracts/tool/effect.ts";
import { fail, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { cancelled } from "./cancelled.ts";

/** Records the files that a call will change. If that fails, the call does not run. */
export function checkpointStep(checkpoints: Checkpointer, clock: Clock): DispatchStep {
  return (pending, next) => (pending.effects.some(changesFiles) ? afterCheckpoint(pending, next) : next());
  async function afterCheckpoint(
    { call, tool, effects, scope: { signal, sessionId, turnId, place } }: PendingCall,
    next: () => Promise<ToolResult>,
  ): Promise<ToolResult> {
    const changes = effects.filter(changesFiles);
    const about = { callId: call.id, sessionId, ...(turnId && { turnId }), tool: tool.name, effects: changes, place };
    let why: string | undefined;
    let recording: Recording | undefined;
    try {
      const starting = checkpoints.before(about, signal);
      const waited = await waitFor(starting, { signal, ms: checkpointMs, clock });
      if (waited.how !== "done") void starting.then((late) => late.ok && late.value?.ended()).catch(() => {});
      if (waited.how === "aborted") return { ok: false, error: cancelled(tool.name) };
      if (waited.how !== "done") why = `no answer within ${checkpointMs / 1000} s`;
      else if (waited.value.ok) recording = waited.value.value;
      else why = waited.value.error.message;
    } catch (thrown) {
      why = reasonOf(thrown);
    }
    if (why !== undefined)
      return fail(`${tool.name} was not run: no checkpoint of its changes could be created (${why})`);
    try {
      return await next();
    } finally {
      recording?.ended();
    }
  }
}

/** Copying a large folder takes time, but a checkpointer that hangs must not block the turn. */
const checkpointMs = 120_000;

function changesFiles(effect: Effect): boolean {
  switch (effect.kind) {
    case "write":
    case "delete":
    case "move":
    case "opaque":
      return true;
    case "exec":
      return effect.leavesNoTrace !== true;
    case "process":
      return effect.action === "type";
    default:
      return false;
  }
}
