import type { AgentId, CallId } from "../base/ids.ts";
import { isObject, type JsonValue } from "../base/json.ts";
import { type AgentReport, agentEnds, type AgentTask } from "../contracts/session/agents.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";

/** The card that is stored in a child's session before it starts. A resumed session has one card for each run. */
export interface AgentCard {
  readonly agentId: AgentId;
  /** The call of the parent that started the child. */
  readonly callId: CallId;
  readonly parentAgentId?: AgentId;
  readonly task: AgentTask;
  readonly depth: number;
  readonly isBackground: boolean;
  readonly startedAt: number;
}

/** One run of a child, as its session stores it. */
export interface StoredRun {
  readonly card: AgentCard;
  /** Undefined if the run is still in progress, or if its program died. */
  readonly report?: AgentReport;
  /** The entries of the run, starting with its card. */
  readonly entries: readonly Entry[];
}

const cardName = "agent";
const reportName = "agent_report";

export function cardEntry(card: AgentCard): EntryBody {
  return { type: "state", name: cardName, value: asJson(card) };
}

export function reportEntry(report: AgentReport): EntryBody {
  return { type: "state", name: reportName, value: asJson(report) };
}

/** The runs in the entries of a child session, oldest first. */
export function storedRuns(entries: readonly Entry[]): readonly StoredRun[] {
  const starts = entries.flatMap((entry, index) => {
    const card = entry.type === "state" && entry.name === cardName ? cardOf(entry.value) : undefined;
    return card ? [{ card, index }] : [];
  });
  return starts.map(({ card, index }, position) => {
    const own = entries.slice(index, starts[position + 1]?.index);
    const report = own.map(reportOf).find((each) => each?.agentId === card.agentId);
    return { card, ...(report && { report }), entries: own };
  });
}

function reportOf(entry: Entry): AgentReport | undefined {
  if (entry.type !== "state" || entry.name !== reportName || !isObject(entry.value)) return undefined;
  const { agentId, status } = entry.value;
  const isReport = typeof agentId === "string" && agentEnds.some((end) => end === status);
  // The cast is safe: only this module writes entries of this name.
  return isReport ? (entry.value as unknown as AgentReport) : undefined;
}

function cardOf(value: JsonValue): AgentCard | undefined {
  const isCard = isObject(value) && typeof value["agentId"] === "string" && isObject(value["task"]);
  // The cast is safe: only this module writes entries of this name.
  return isCard ? (value as unknown as AgentCard) : undefined;
}

/** A copy without undefined values, which JSON does not have. */
function asJson(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
