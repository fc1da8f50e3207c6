import type { SessionId } from "../base/ids.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import { agentSource, type AgentReport, type AgentStatus } from "../contracts/session/agents.ts";
import type { SessionRecord } from "../contracts/session/session.ts";
import { type AgentCard, reportEntry, type StoredRun, storedRuns } from "./agent-card.ts";
import type { AgentPorts } from "./agent-ports.ts";
import { buildReport } from "./build-report.ts";

type StorePorts = Pick<AgentPorts, "store" | "clock" | "changedFiles" | "spill" | "lostPatch">;

/** A run of a child that another process started. */
export interface EarlierRun {
  readonly record: SessionRecord;
  readonly card: AgentCard;
  /** Undefined if another process has its session open. */
  readonly report?: AgentReport;
}

/**
 * The runs of all descendants of a session, oldest first. A run without a report whose session is not open in any
 * process was lost: it gets its report here. Only the holder of the parent's lease does that, because a child of
 * another process may be about to start.
 */
export async function earlierRuns(
  parent: { readonly sessionId: SessionId; readonly principal: Principal },
  holdsParent: boolean,
  ports: StorePorts,
): Promise<readonly EarlierRun[]> {
  const { sessionId, principal } = parent;
  const { store } = ports;
  const children = (await store.children(sessionId, principal)).filter(({ source }) => source === agentSource);
  const stored = await Promise.all(
    children.map(async (record) => ({ record, runs: storedRuns(await store.entries(record.id, "state")) })),
  );
  const hasOpen = stored.some(({ runs }) => runs.some(isOpen));
  const lease = hasOpen && !holdsParent ? await store.lease(sessionId, agentSource) : undefined;
  await using _lease = lease?.ok ? lease.value : undefined;
  const maySettle = holdsParent || lease?.ok === true;
  const all: EarlierRun[] = [];
  for (const { record, runs } of stored) {
    const settled = maySettle && runs.some(isOpen) ? await settleLost(record, sessionId, ports) : runs;
    all.push(...settled.map(({ card, report }): EarlierRun => ({ record, card, ...(report && { report }) })));
    all.push(...(await earlierRuns({ sessionId: record.id, principal }, false, ports)));
  }
  return all;
}

function isOpen({ report }: StoredRun): boolean {
  return report === undefined;
}

/** Stores the reports of lost runs under the lease of their session, so that two processes never store two reports. */
async function settleLost(
  record: SessionRecord,
  parentId: SessionId,
  { store, clock, ...ports }: StorePorts,
): Promise<readonly StoredRun[]> {
  const lease = await store.lease(record.id, agentSource);
  if (!lease.ok) return storedRuns(await store.entries(record.id, "state"));
  await using _lease = lease.value;
  const runs = storedRuns(await store.entries(record.id));
  return await Promise.all(
    runs.map(async (run) => {
      if (run.report) return run;
      const last = run.entries.at(-1);
      const hasWorked = run.entries.length > 1;
      const patch = run.card.task.isolation === undefined ? undefined : await ports.lostPatch(run.card.agentId);
      const report = await buildReport(
        run,
        { sessionId: record.id, parentId, model: record.model ?? "" },
        {
          status: "lost",
          why: hasWorked
            ? `The program that ran it ended while it worked${openCall(run)}.`
            : "The program that ran it ended before it began.",
          ...(patch !== undefined && { patch }),
          endedAt: last?.at ?? clock.now(),
        },
        ports,
      );
      await store.append(record.id, [reportEntry(report)]);
      return { ...run, report };
    }),
  );
}

/** The call that had started but not ended, if any. */
function openCall({ entries }: StoredRun): string {
  const settled = new Set(entries.flatMap((entry) => (entry.type === "settled" ? [entry.callId] : [])));
  const open = entries.flatMap((entry) =>
    entry.type === "planned" && !settled.has(entry.call.callId) ? [entry.call.tool] : [],
  );
  return open.length === 0 ? "" : `, in ${open.join(", ")}`;
}

export function earlierStatus({ record, card, report }: EarlierRun): AgentStatus {
  const { task } = card;
  return {
    agentId: card.agentId,
    sessionId: record.id,
    callId: card.callId,
    ...(card.parentAgentId !== undefined && { parentAgentId: card.parentAgentId }),
    depth: card.depth,
    ...(task.agent !== undefined && { agent: task.agent }),
    goal: task.goal,
    role: task.role,
    isBackground: card.isBackground,
    state: report?.status ?? "running",
    startedAt: report?.startedAt ?? card.startedAt,
    ...(report && { endedAt: report.startedAt + report.durationMs }),
    modelCalls: report?.modelCalls ?? 0,
    toolCalls: report?.toolTrace.length ?? 0,
    tokens: report ? report.tokens.input + report.tokens.output : 0,
    ...(report?.costUsd !== undefined && { costUsd: report.costUsd }),
  };
}
