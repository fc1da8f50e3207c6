import type { AgentId } from "../../base/ids.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { oneLine } from "../../base/text/text.ts";
import type { AgentStatus } from "../../contracts/session/agents.ts";
import { fail, json, type ToolResult } from "../../contracts/tool/tool-result.ts";
import { reportData, statusData } from "./report-text.ts";
import { type AgentContext, dispatched } from "./spawn-agents.ts";

/** The arguments of `delegate_task` that select a child. */
export interface ChildArguments {
  readonly subagent_id?: string | undefined;
  readonly message?: string | undefined;
  readonly max_seconds?: number | undefined;
  readonly background?: boolean | undefined;
}

export async function listAgents({ agents, clock }: AgentContext): Promise<ToolResult> {
  const list = await agents.list();
  const shown = list.slice(-maxListed);
  return json({
    subagents: shown.map((status) => statusData(status, clock.now())),
    ...(shown.length < list.length && { omitted: list.length - shown.length }),
  });
}

const maxListed = 50;

/** Returns the report of a finished child, or the progress of a running one. */
export async function showAgent(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const child = await childOf(args, ctx);
  if (!child.ok) return fail(child.error, "invalid_args");
  const report = isRunning(child.value) ? undefined : await ctx.agents.report(child.value.agentId, ctx.callId);
  return json(report ? reportData(report) : statusData(child.value, ctx.clock.now()));
}

export async function steerAgent(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const child = await childOf(args, ctx);
  if (!child.ok) return fail(child.error, "invalid_args");
  const { agentId, state } = child.value;
  const message = args.message?.trim() ?? "";
  if (message === "") return fail("steer needs message.", "invalid_args");
  if (!isRunning(child.value)) return fail(`${agentId} has ended (${state}). action resume continues it.`);
  const steered = ctx.agents.steer(agentId, message);
  return steered.ok ? json({ subagent_id: agentId, status: "queued" }) : fail(steered.error);
}

/** Waits for one child, or for all running children, for at most `max_seconds`. */
export async function waitForAgents(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const { agents, clock, signal, callId } = ctx;
  const chosen = await chosenAgents(args, ctx);
  if (!chosen.ok) return fail(chosen.error, "invalid_args");
  if (chosen.value.length === 0) return fail("No child agent is running. action list shows those that have ended.");
  const { max_seconds: seconds = 0 } = args;
  const reports = await agents.wait(chosen.value, {
    signal,
    callId,
    ...(seconds > 0 && { timeoutMs: seconds * 1_000 }),
  });
  const running = await agents.list();
  const results = chosen.value.flatMap((id, index) => {
    const report = reports[index];
    if (report) return [reportData(report)];
    const status = running.find(({ agentId }) => agentId === id);
    return status ? [statusData(status, clock.now())] : [];
  });
  const left = reports.filter((report) => report === undefined).length;
  return json({
    results,
    ...(left > 0 && { note: `${left} of ${results.length} still work. Their reports arrive as messages.` }),
  });
}

export async function stopAgent(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const child = await childOf(args, ctx);
  if (!child.ok) return fail(child.error, "invalid_args");
  const { agentId } = child.value;
  const why = oneLine(args.message?.trim() || "the parent stopped it", 300);
  const stopped = await ctx.agents.stop(agentId, why);
  if (!stopped.ok) return fail(stopped.error);
  const report = await ctx.agents.report(agentId, ctx.callId);
  return json(report ? reportData(report) : { subagent_id: agentId, status: "interrupted" });
}

/** Continues a child that has ended. */
export async function resumeAgent(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const child = await childOf(args, ctx);
  if (!child.ok) return fail(child.error, "invalid_args");
  const { agentId, goal } = child.value;
  const message = args.message?.trim() ?? "";
  if (message === "") return fail("resume needs message: the next task of the child.", "invalid_args");
  if (isRunning(child.value)) return fail(`${agentId} still works. action steer sends it a message.`);
  const { callId, signal, agents } = ctx;
  const isBackground = args.background === true;
  const resumed = await agents.resume(agentId, message, { callId, isBackground, signal });
  if (!resumed.ok) return fail(resumed.error);
  if (isBackground) return dispatched([resumed.value], [goal]);
  const [report] = await agents.wait([resumed.value], { signal, callId });
  const last = report ?? (await agents.report(resumed.value, callId));
  if (!last) return fail("Interrupted: the child agent was stopped.", "aborted", { effect: "unknown" });
  const data = reportData(last);
  return last.status === "completed"
    ? json(data)
    : fail(`The agent did not complete its task (${last.status}).`, "failed", {
        effect: "unknown",
        content: [{ type: "text", text: JSON.stringify(data) }],
        data,
      });
}

/** Sends a message to a child in any state: steers a running child and resumes a finished one. */
export async function sendToAgent(args: ChildArguments, ctx: AgentContext): Promise<ToolResult> {
  const child = await childOf(args, ctx);
  if (!child.ok) return fail(child.error, "invalid_args");
  return isRunning(child.value) ? steerAgent(args, ctx) : resumeAgent(args, ctx);
}

function isRunning({ state }: AgentStatus): boolean {
  return state === "running" || state === "waiting";
}

async function chosenAgents(args: ChildArguments, ctx: AgentContext): Promise<Result<readonly AgentId[], string>> {
  const words = (args.subagent_id ?? "").split(/[\s,]+/u).filter((word) => word !== "");
  if (words.length === 0)
    return ok((await ctx.agents.list()).flatMap((each) => (isRunning(each) && each.depth === 1 ? [each.agentId] : [])));
  const ids: AgentId[] = [];
  for (const word of words) {
    const child = await childOf({ subagent_id: word }, ctx);
    if (!child.ok) return child;
    ids.push(child.value.agentId);
  }
  return ok(ids);
}

/** Finds a child by id. A prefix or suffix of the id is enough, because models shorten ids. */
async function childOf(
  { subagent_id: id = "" }: ChildArguments,
  { agents }: AgentContext,
): Promise<Result<AgentStatus, string>> {
  const list = await agents.list();
  const word = id.trim();
  const wayOut = list.length === 0 ? "This session has started none." : "action list shows them.";
  if (word === "") return err(`subagent_id is missing. ${wayOut}`);
  const exact = list.findLast(({ agentId }) => agentId === word);
  const close = list.filter(({ agentId }) => word.length >= 4 && (agentId.startsWith(word) || agentId.endsWith(word)));
  const match = exact ?? (close.length === 1 ? close[0] : undefined);
  return match ? ok(match) : err(`There is no child agent ${JSON.stringify(oneLine(word, 60))}. ${wayOut}`);
}
