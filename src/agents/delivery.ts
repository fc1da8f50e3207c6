import { type AgentId, asId, type CallId } from "../base/ids.ts";
import { isObject } from "../base/json.ts";
import { cut, plural } from "../base/text/text.ts";
import type { AgentReport } from "../contracts/session/agents.ts";
import { reportHead } from "../contracts/session/program-prompt.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";
import type { ToolResult } from "../contracts/tool/tool-result.ts";

/**
 * Tracks which reports the parent has received. A report arrives either in the result of a call or as a message, and
 * the mark is stored in the same transaction as the result or the message.
 */
export interface ReportDelivery {
  /** Records that this call waits for the children that it starts. */
  startedBy(callId: CallId): void;
  /** Records that a child ended. While the call that started it waits, its report does not become a message. */
  ended(report: AgentReport, startedBy?: CallId): void;
  /** Records that a call received the report. */
  handOver(id: AgentId, callId: CallId): void;
  /** The marks to store with the result of a call. */
  settled(callId: CallId, result: ToolResult): readonly EntryBody[];
  /** The reports that no call received, each once, with the marks to store with them. */
  take(): readonly { readonly report: AgentReport; readonly mark: EntryBody }[];
  readonly waiting: readonly AgentId[];
}

export function createReportDelivery(): ReportDelivery {
  const pending = new Map<AgentId, { readonly report: AgentReport; after?: CallId }>();
  const handed = new Map<CallId, Set<AgentId>>();
  const openCalls = new Set<CallId>();

  return {
    startedBy: (callId) => void openCalls.add(callId),
    ended(report, startedBy) {
      const isAwaited = startedBy !== undefined && openCalls.has(startedBy);
      pending.set(report.agentId, { report, ...(isAwaited && { after: startedBy }) });
    },
    handOver(id, callId) {
      handed.set(callId, (handed.get(callId) ?? new Set()).add(id));
    },
    settled(callId, result) {
      const ids = hasReports(result) ? [...(handed.get(callId) ?? []), ...reportsIn(result)] : [];
      handed.delete(callId);
      for (const each of pending.values()) if (each.after === callId) delete each.after;
      openCalls.delete(callId);
      const delivered = ids.filter((id) => pending.delete(id));
      return delivered.length > 0 ? [deliveredMark(delivered)] : [];
    },
    take() {
      const ready = [...pending.values()].filter(({ after }) => after === undefined);
      for (const { report } of ready) pending.delete(report.agentId);
      return ready.map(({ report }) => ({ report, mark: deliveredMark([report.agentId]) }));
    },
    get waiting() {
      return [...pending.keys()];
    },
  };
}

const markName = "agents_delivered";

function deliveredMark(ids: readonly AgentId[]): EntryBody {
  return { type: "state", name: markName, value: ids };
}

/** The agents whose reports are marked as delivered in the entries of their parent. */
export function deliveredIn(entries: readonly Entry[]): ReadonlySet<string> {
  const ids = entries.flatMap((entry) =>
    entry.type === "state" && entry.name === markName && Array.isArray(entry.value) ? entry.value : [],
  );
  return new Set(ids.filter((id) => typeof id === "string"));
}

/** A cancelled call has no reports in its result, even if it received some. */
function hasReports(result: ToolResult): boolean {
  return result.ok || result.error.kind === "failed";
}

/** The agents whose reports are in the data of a result. */
function reportsIn(result: ToolResult): readonly AgentId[] {
  const ids: AgentId[] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    if (!isObject(value)) return;
    const { subagent_id: id, summary } = value;
    if (typeof id === "string" && typeof summary === "string") ids.push(asId<AgentId>(id));
    else for (const each of Object.values(value)) visit(each);
  };
  visit(result.ok ? result.value.data : result.error.data);
  return ids;
}

/** The message that delivers a report to the parent. */
export function reportMessage(
  report: AgentReport,
  maxChars: number,
  /** Marks a text as data that an untrusted author may have written. */
  fence: (text: string) => string,
): string {
  const marked = report.readTexts ? fence : (text: string) => text;
  const { agentId, agent, goal, status, why, summary, spill, output, filesChanged, commandsRun, patch } = report;
  const shown = cut(summary, maxChars);
  const rest = shown.length < summary.length || spill !== undefined;
  const name = agent === undefined ? agentId : `${agentId} (${agent})`;
  return [
    reportHead,
    `Agent ${name} has ended: ${status}${why === undefined ? "" : ` (${why})`}. Its task: ${cut(goal, maxGoalChars)}`,
    `It worked ${Math.round(report.durationMs / 1000)} s with ${plural(report.modelCalls, "model call")} and ${plural(report.toolTrace.length, "tool call")}.`,
    ...(filesChanged.length > 0 ? [`Files changed: ${filesChanged.slice(0, maxNames).join(", ")}`] : []),
    ...(status !== "completed" && commandsRun.length > 0
      ? [`Commands run: ${commandsRun.slice(-maxNames).join("; ")}`]
      : []),
    ...(patch === undefined ? [] : [`Its changes are a patch, which is not applied yet: ${patch} (git apply)`]),
    ...(output === undefined ? [] : [`Its answer as JSON: ${marked(cut(JSON.stringify(output), maxChars))}`]),
    ...(output === undefined ? [summary === "" ? "It wrote nothing." : `Its report:\n${marked(shown)}`] : []),
    ...(rest ? [spill === undefined ? "(The report is cut.)" : `The whole report: ${spill}`] : []),
  ].join("\n");
}

const maxGoalChars = 500;
const maxNames = 20;
