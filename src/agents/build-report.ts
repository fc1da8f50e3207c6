import type { SessionId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import { cut, oneLine } from "../base/text/text.ts";
import { shownContent } from "../contracts/model/message.ts";
import { readTextSources, type TextSource } from "../contracts/safety/text-source.ts";
import { type AgentEnd, type AgentReport, maxSummaryChars } from "../contracts/session/agents.ts";
import type { Entry } from "../contracts/session/session.ts";
import type { StoredRun } from "./agent-card.ts";
import type { AgentPorts } from "./agent-ports.ts";

/** How a run ended, with the facts that its entries do not contain. */
export interface RunEnding {
  readonly status: AgentEnd;
  readonly why?: string;
  /** The summary. Default: the last text of the child. */
  readonly answer?: string;
  readonly output?: JsonValue;
  readonly patch?: string;
  /** The counts. Default: those in its entries. */
  readonly filesChanged?: readonly string[];
  /** When the run left the queue. Default: when its session was created. */
  readonly startedAt?: number;
  readonly endedAt: number;
}

/** Builds the report about a run from the entries of its session; for a lost child in the same way. */
export async function buildReport(
  { card, entries }: StoredRun,
  session: { readonly sessionId: SessionId; readonly parentId: SessionId; readonly model: string },
  ending: RunEnding,
  ports: Pick<AgentPorts, "changedFiles" | "spill">,
): Promise<AgentReport> {
  const answer = ending.answer?.trim() || lastWords(entries);
  const isLong = answer.length > maxSummaryChars;
  const spill = isLong ? await ports.spill(card.agentId, answer) : undefined;
  const { costUsd, ...usage } = usageIn(entries);
  const { task } = card;
  const { startedAt = card.startedAt } = ending;
  const readTexts = textsIn(entries);
  return {
    agentId: card.agentId,
    sessionId: session.sessionId,
    parentId: session.parentId,
    ...(task.agent !== undefined && { agent: task.agent }),
    goal: task.goal,
    role: task.role,
    status: ending.status,
    ...(ending.why !== undefined && { why: ending.why }),
    summary: isLong ? cut(answer, maxSummaryChars) : answer,
    ...(spill !== undefined && { spill }),
    ...(ending.output !== undefined && { output: ending.output }),
    findings: findingsIn(answer),
    filesChanged: (ending.filesChanged ?? ports.changedFiles(entries)).slice(-maxListed),
    commandsRun: commandsIn(entries),
    toolTrace: traceOf(entries),
    ...(ending.patch !== undefined && { patch: ending.patch }),
    model: session.model,
    ...usage,
    ...(costUsd !== undefined && { costUsd }),
    startedAt,
    durationMs: Math.max(0, ending.endedAt - startedAt),
    ...(readTexts.length > 0 && { readTexts }),
  };
}

const maxListed = 200;
const maxFindings = 50;
const maxCommandChars = 500;

/** The last text of the model. */
function lastWords(entries: readonly Entry[]): string {
  for (const entry of entries.toReversed()) {
    if (entry.type !== "message" || entry.message.role !== "assistant") continue;
    const text = shownContent(entry.message.content).trim();
    if (text !== "") return text;
  }
  return "";
}

/** The points below a heading `Findings`. */
function findingsIn(answer: string): readonly string[] {
  const [, below = ""] = answer.split(/^[#*\s]*findings[*:\s]*$/imu, 2);
  const findings: string[] = [];
  for (const line of below.trim().split("\n")) {
    const point = /^\s*(?:[-*•]|\d+[.)])\s+(.*)$/u.exec(line)?.[1]?.trim();
    if (point) findings.push(oneLine(point, maxCommandChars));
    else if (line.trim() !== "" && findings.length > 0) break;
  }
  return findings.slice(0, maxFindings);
}

/** The sources that the session of the child is tainted with. */
function textsIn(entries: readonly Entry[]): readonly TextSource[] {
  const last = entries.findLast((entry) => entry.type === "state" && entry.name === "taint");
  return last?.type === "state" ? readTextSources(last.value) : [];
}

function commandsIn(entries: readonly Entry[]): readonly string[] {
  const commands = entries.flatMap((entry) => {
    if (entry.type !== "planned" || entry.call.tool !== "terminal") return [];
    const { command } = entry.call.args;
    return typeof command === "string" ? [oneLine(command, maxCommandChars)] : [];
  });
  return commands.slice(-maxListed);
}

function traceOf(entries: readonly Entry[]): AgentReport["toolTrace"] {
  const sizes = new Map<string, number>();
  const trace: AgentReport["toolTrace"][number][] = [];
  for (const entry of entries) {
    if (entry.type === "planned") sizes.set(entry.call.callId, byteLength(entry.call.args));
    if (entry.type !== "settled" || entry.parentCallId !== undefined) continue;
    const { result, tool, callId } = entry;
    trace.push({
      tool,
      argsBytes: sizes.get(callId) ?? 0,
      resultBytes: byteLength(result.ok ? result.value.content : (result.error.content ?? result.error.message)),
      status: result.ok ? "ok" : result.error.kind === "denied" ? "denied" : "failed",
    });
  }
  return trace.slice(-maxListed);
}

function byteLength(value: unknown): number {
  return Buffer.byteLength(typeof value === "string" ? value : JSON.stringify(value));
}

function usageIn(entries: readonly Entry[]): Pick<AgentReport, "modelCalls" | "tokens" | "costUsd"> {
  let modelCalls = 0;
  let input = 0;
  let output = 0;
  let costUsd: number | undefined;
  for (const entry of entries) {
    if (entry.type !== "usage") continue;
    modelCalls += entry.task === "chat" ? 1 : 0;
    input += entry.usage.input;
    output += entry.usage.output;
    if (entry.usage.costUsd !== undefined) costUsd = (costUsd ?? 0) + entry.usage.costUsd;
  }
  return { modelCalls, tokens: { input, output }, ...(costUsd !== undefined && { costUsd }) };
}
