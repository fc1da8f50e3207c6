import type { SessionId } from "../../../base/ids.ts";
import type { JsonObject } from "../../../base/json.ts";
import type { ModelFacts } from "../../../contracts/model/model.ts";
import type { TurnOutcome } from "../../../contracts/session/event.ts";

export interface EndedRun {
  readonly outcome: TurnOutcome;
  readonly model: ModelFacts;
  readonly sessionId: SessionId;
}

/** What `--usage-file` holds, in the words of the Python original. `error`: it did not come to a turn. */
export function usageReport(run: EndedRun | { readonly error: string }): JsonObject {
  if ("error" in run)
    return { completed: false, failed: true, partial: false, interrupted: false, error: run.error, api_calls: 0 };
  const { outcome, model, sessionId } = run;
  const { reason, usage, why } = outcome;
  return {
    session_id: sessionId,
    provider: model.provider,
    model: model.model,
    completed: reason === "answered",
    failed: reason === "failed",
    partial: reason !== "answered" && outcome.text !== "",
    interrupted: reason === "aborted",
    turn_exit_reason: reason,
    ...(why !== undefined && { error: why }),
    api_calls: outcome.modelCalls,
    tool_calls: outcome.toolCalls,
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
    reasoning_tokens: usage.reasoning,
    total_tokens: usage.input + usage.output,
    cost_usd: usage.costUsd ?? null,
    cost_status: usage.costUsd === undefined ? "unknown" : usage.estimated ? "estimated" : "known",
  };
}
