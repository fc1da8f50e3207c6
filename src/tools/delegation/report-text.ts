import type { JsonObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type { AgentReport, AgentStatus } from "../../contracts/session/agents.ts";

/** Formats a report for the model: empty fields are omitted, and the trace is one line. */
export function reportData(report: AgentReport): JsonObject {
  const { status, why, summary, spill, output, findings, filesChanged, commandsRun, patch, costUsd } = report;
  return {
    subagent_id: report.agentId,
    ...withoutUndefined({ agent: report.agent }),
    status,
    ...withoutUndefined({ why }),
    summary,
    ...withoutUndefined({ full_report: spill, output }),
    ...filledList("findings", findings),
    ...filledList("files_changed", filesChanged),
    ...filledList(
      "commands_run",
      commandsRun.map((command) => oneLine(command, 200)),
    ),
    ...(patch !== undefined && {
      patch,
      patch_hint: "Not applied yet. Apply it, if it is good: git apply with this path.",
    }),
    ...(report.toolTrace.length > 0 && { tool_trace: traceText(report.toolTrace) }),
    model: report.model,
    model_calls: report.modelCalls,
    tokens: { ...report.tokens },
    ...(costUsd !== undefined && { cost_usd: rounded(costUsd, 6) }),
    duration_seconds: rounded(report.durationMs / 1_000, 1),
  };
}

const maxItems = 50;

function filledList(key: string, items: readonly string[]): JsonObject {
  if (items.length === 0) return {};
  const left = items.length - maxItems;
  return { [key]: left > 0 ? [...items.slice(0, maxItems), `… and ${left} more`] : [...items] };
}

/** Example: `read_file 5, terminal 2 (1 failed), write_file 1 (1 denied)`. */
function traceText(trace: AgentReport["toolTrace"]): string {
  const tools = Map.groupBy(trace, ({ tool }) => tool);
  return Array.from(tools, ([tool, calls]) => {
    const faults = (["failed", "denied"] as const).flatMap((status) => {
      const count = calls.filter((call) => call.status === status).length;
      return count > 0 ? [`${count} ${status}`] : [];
    });
    return `${tool} ${calls.length}${faults.length > 0 ? ` (${faults.join(", ")})` : ""}`;
  }).join(", ");
}

/** Formats the progress of a child for the model. */
export function statusData(status: AgentStatus, now: number): JsonObject {
  const { context, costUsd, endedAt, startedAt } = status;
  return {
    subagent_id: status.agentId,
    ...withoutUndefined({ parent_subagent_id: status.parentAgentId, agent: status.agent }),
    goal: oneLine(status.goal, 120),
    status: status.state,
    ...(status.isBackground && { background: true }),
    model_calls: status.modelCalls,
    tool_calls: status.toolCalls,
    tokens: status.tokens,
    ...(costUsd !== undefined && { cost_usd: rounded(costUsd, 6) }),
    ...(context && { context_used: `${Math.round((100 * context.tokens) / context.window)} %` }),
    ...(status.state !== "waiting" && { seconds: rounded(((endedAt ?? now) - startedAt) / 1_000, 1) }),
    ...withoutUndefined({ doing: status.doing }),
  };
}

export function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}
