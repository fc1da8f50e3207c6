import type { AgentId } from "../../base/ids.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import { oneLine, plural } from "../../base/text/text.ts";
import type { AgentReport, AgentTask } from "../../contracts/session/agents.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import type { ToolContext } from "../../contracts/tool/tool.ts";
import { reportData, rounded } from "./report-text.ts";

export type AgentContext = ToolContext<"agents">;

/** Starts children. In the foreground it returns their reports, in the background their ids. */
export async function spawnAgents(
  tasks: readonly AgentTask[],
  isBackground: boolean,
  ctx: AgentContext,
): Promise<ToolResult> {
  const unknown = await unknownAgent(tasks, ctx);
  if (unknown !== undefined) return fail(unknown, "invalid_args");
  const { agents, callId, signal, clock } = ctx;
  const startedAt = clock.now();
  const spawned = await agents.spawn(tasks, { callId, isBackground, signal });
  if (!spawned.ok) return fail(spawned.error, "invalid_args");
  const ids = spawned.value;
  if (isBackground)
    return dispatched(
      ids,
      tasks.map(({ goal }) => goal),
    );
  const reports = await waited(ids, ctx);
  const durationSeconds = rounded((clock.now() - startedAt) / 1_000, 1);
  if (signal.aborted) return fail("Interrupted: the child agents were stopped.", "aborted", afterwards(reports));
  const [first] = reports;
  if (tasks.length === 1 && first)
    return first.status === "completed"
      ? json(reportData(first))
      : fail(`The agent did not complete its task (${first.status}).`, "failed", afterwards(reports));
  const done = reports.filter((report) => report?.status === "completed").length;
  if (done === 0)
    return fail(`None of the ${plural(tasks.length, "task")} was completed.`, "failed", afterwards(reports));
  return json({
    results: reports.map((report, index) => resultOf(report, ids[index], tasks[index]?.goal ?? "")),
    ...(done < tasks.length && { note: `${tasks.length - done} of ${tasks.length} tasks were not completed.` }),
    total_duration_seconds: durationSeconds,
  });
}

/** Returns the result of a call that starts children in the background. */
export function dispatched(ids: readonly AgentId[], goals: readonly string[]): ToolResult {
  return json({
    status: "dispatched",
    subagents: ids.map((id, index) => ({ subagent_id: id, goal: oneLine(goals[index] ?? "", 120) })),
    note: "They work in the background. Each report arrives as a message when it is ready. Continue with other work, or end your turn; do not poll. action wait returns the reports if you can do nothing without them.",
  });
}

/** Waits for all children and reports the number of finished ones as the progress of the call. */
async function waited(ids: readonly AgentId[], ctx: AgentContext): Promise<readonly (AgentReport | undefined)[]> {
  const { agents, signal, callId, progress } = ctx;
  let done = 0;
  const each = ids.map(async (id) => {
    const [report] = await agents.wait([id], { signal, callId });
    if (ids.length > 1) progress(`${++done} of ${ids.length} done`);
    // Aborting the call ends the wait, and the children are stopped immediately.
    return report ?? agents.report(id, callId);
  });
  return Promise.all(each);
}

function resultOf(report: AgentReport | undefined, id: AgentId | undefined, goal: string) {
  const data = report ? reportData(report) : { subagent_id: id ?? "", status: "running" };
  return { goal: oneLine(goal, 120), ...data };
}

/** Returns the reports of children that were stopped or failed, so that partial work is kept. */
function afterwards(reports: readonly (AgentReport | undefined)[]) {
  const ended = reports.flatMap((report) => (report ? [reportData(report)] : []));
  const data = ended.length === 1 ? ended[0] : { results: ended };
  const content = ended.length === 0 ? [] : [{ type: "text" as const, text: JSON.stringify(data) }];
  return { effect: "unknown" as const, content, ...(data && { data }) };
}

async function unknownAgent(tasks: readonly AgentTask[], { agents }: AgentContext): Promise<string | undefined> {
  const wishes = new Set(tasks.flatMap(({ agent }) => agent ?? []));
  if (wishes.size === 0) return undefined;
  const names = (await agents.definitions()).map(({ name }) => name);
  const unknown = [...wishes].find((wish) => !names.includes(wish));
  if (unknown === undefined) return undefined;
  const hint = didYouMean(unknown, names) || `There are: ${names.join(", ")}.`;
  return `There is no agent ${JSON.stringify(oneLine(unknown, 60))}. ${hint} Without agent, the child is a general one.`;
}
