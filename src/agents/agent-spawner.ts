import { waitFor } from "../base/async/bounded-wait.ts";
import { once } from "../base/async/once.ts";
import type { AgentId, CallId } from "../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import { oneLine, plural } from "../base/text/text.ts";
import {
  type AgentReport,
  agentSource,
  type AgentSpawn,
  type AgentStatus,
  type SessionAgentTree,
} from "../contracts/session/agents.ts";
import type { EntryBody, SessionRecord } from "../contracts/session/session.ts";
import type { ToolResult } from "../contracts/tool/tool-result.ts";
import { type AgentCard, cardEntry } from "./agent-card.ts";
import type { AgentPorts, ChildPlan } from "./agent-ports.ts";
import { type ChildRun, createChildRun } from "./child-run.ts";
import { createReportDelivery, deliveredIn } from "./delivery.ts";
import { createEventPace } from "./event-pace.ts";
import { planChild, planChildren } from "./plan-child.ts";
import { type EarlierRun, earlierRuns, earlierStatus } from "./stored-agents.ts";
import { createWaitingLine } from "./waiting-line.ts";

/** The children of one open session. Disposing ends them as interrupted, and returns when their records are stored. */
export interface OpenedAgents extends Omit<SessionAgentTree, "limits">, AsyncDisposable {
  /**
   * Settles the children of an earlier program. Reports that the parent has not received are delivered in the next
   * turn.
   */
  restore(): Promise<void>;
  /** The delivery marks to store with the result of a call. */
  settled(callId: CallId, result: ToolResult): readonly EntryBody[];
  /** Takes the reports for the parent; each is returned once. */
  arrived(): readonly { readonly report: AgentReport; readonly mark: EntryBody }[];
}

export function createAgentSpawner(ports: AgentPorts): OpenedAgents {
  const { parent, settings, store, clock } = ports;
  const runs = new Map<AgentId, ChildRun>();
  /** The descendants of the children, each with the child that it belongs to. */
  const below = new Map<AgentId, { readonly via: ChildRun; status: AgentStatus }>();
  const line = createWaitingLine(settings.concurrent);
  const working = new Map<AgentId, Promise<void>>();
  const delivery = createReportDelivery();
  const pace = createEventPace(clock, (agent) => ports.emit({ type: "agent.changed", agent }));
  let isClosed = false;

  function changed(status: AgentStatus): void {
    pace.change(status);
    ports.relay(status);
  }

  /** Runs of earlier programs, by id. They are read before this program starts any. */
  const earlier = once(async (): Promise<ReadonlyMap<AgentId, EarlierRun>> => {
    const all = await earlierRuns(parent, parent.isWritable, ports);
    return new Map(all.map((run) => [run.card.agentId, run]));
  });

  const restore = once(async () => {
    const all = [...(await earlier()).values()];
    if (all.length === 0) return;
    const delivered = deliveredIn(await store.entries(parent.sessionId, "state"));
    const reports = all.flatMap(({ report }) =>
      report?.parentId === parent.sessionId && !delivered.has(report.agentId) ? [report] : [],
    );
    for (const report of reports) delivery.ended(report);
    if (reports.length > 0) ports.emit({ type: "notice", level: "info", text: restoredNotice(reports) });
  });

  function cardOf(plan: ChildPlan, { callId, isBackground }: AgentSpawn): AgentCard {
    return {
      agentId: plan.agentId,
      callId,
      ...(parent.agentId !== undefined && { parentAgentId: parent.agentId }),
      task: plan.task,
      depth: plan.depth,
      isBackground,
      startedAt: clock.now(),
    };
  }

  /** Creates the session of a child with its card. From now on, a record will exist of how it ended. */
  async function create(plan: ChildPlan, options: AgentSpawn): Promise<ChildRun> {
    const card = cardOf(plan, options);
    const { sessionId, principal } = parent;
    const about = { source: agentSource, principal, cwd: parent.cwd(), model: plan.model, parent: sessionId };
    const record = await store.create(about, [cardEntry(card)]);
    const lease = await store.lease(record.id, agentSource);
    if (!lease.ok) throw new Error(`the session of the agent is in use by ${lease.error.heldBy}`);
    return newRun({ card, plan, record, lease: lease.value });
  }

  function newRun(of: Pick<Parameters<typeof createChildRun>[0], "card" | "plan" | "record" | "lease" | "message">) {
    const run: ChildRun = createChildRun(
      {
        ...of,
        changed,
        ended: (report) => delivery.ended(report, of.card.isBackground ? undefined : of.card.callId),
        relayed(status) {
          below.set(status.agentId, { via: run, status });
          changed(status);
        },
      },
      ports,
    );
    return run;
  }

  function enter(run: ChildRun, { callId, isBackground, signal }: AgentSpawn): void {
    const { agentId } = run.card;
    runs.set(agentId, run);
    changed(run.status());
    if (!isBackground) delivery.startedBy(callId);
    if (!isBackground) {
      const stop = () => run.end("interrupted", "The agent that started it was stopped.");
      if (signal.aborted) stop();
      else signal.addEventListener("abort", stop, { once: true });
      void run.done.then(() => signal.removeEventListener("abort", stop));
    }
    line.add(() => {
      const work = run.start();
      working.set(agentId, work);
      return work.finally(() => working.delete(agentId));
    });
  }

  async function reportOf(id: AgentId, callId: CallId | undefined): Promise<AgentReport | undefined> {
    const run = runs.get(id);
    const report = run?.report ?? (await below.get(id)?.via.below?.report(id)) ?? (await earlier()).get(id)?.report;
    const reader = callId ?? (run && !run.card.isBackground ? run.card.callId : undefined);
    if (report && reader !== undefined) delivery.handOver(id, reader);
    return report;
  }

  function doneOf(id: AgentId, signal: AbortSignal): Promise<unknown> {
    const run = runs.get(id);
    if (run) return run.done;
    return below.get(id)?.via.below?.wait([id], { signal }) ?? Promise.resolve();
  }

  const unknownAgent = (id: AgentId) =>
    `There is no agent ${id} here that runs. List them to see their ids and states.`;

  async function stop(id: AgentId, why: string): Promise<Result<void, string>> {
    const run = runs.get(id);
    if (!run) return (await below.get(id)?.via.below?.stop(id, why)) ?? err(unknownAgent(id));
    run.end("interrupted", why);
    await run.done;
    await working.get(id);
    return ok(undefined);
  }

  /** The session and the task of a finished child of this session. */
  async function endedChild(id: AgentId): Promise<Result<{ record: SessionRecord; card: AgentCard }, string>> {
    const run = runs.get(id);
    if (run && !run.report) return err(`Agent ${id} still runs. Steer it, or wait for it.`);
    const sessionId = run?.sessionId;
    const before = (await earlier()).get(id);
    const card = run?.card ?? before?.card;
    const children = card && !before ? await store.children(parent.sessionId, parent.principal) : [];
    const record = before?.record ?? children.find((each) => each.id === sessionId);
    if (!record || !card || record.parent !== parent.sessionId)
      return err(`There is no agent ${id} that this session started.`);
    return ok({ record, card });
  }

  return {
    definitions: ports.definitions,
    restore,
    settled: delivery.settled,
    arrived: delivery.take,
    undelivered: () => [
      ...[...runs.values()].flatMap(({ card, report }) => (card.isBackground && !report ? [card.agentId] : [])),
      ...delivery.waiting,
    ],
    async spawn(tasks, options) {
      if (isClosed) return err(closed);
      if (!parent.isWritable) return err("Another program has this session open; it starts no agents here.");
      const plans = planChildren(tasks, await ports.definitions(), ports);
      if (!plans.ok) return plans;
      await earlier();
      const created = await Promise.allSettled(plans.value.map((plan) => create(plan, options)));
      const started = created.flatMap((each) => (each.status === "fulfilled" ? [each.value] : []));
      const fault = created.find((each) => each.status === "rejected");
      if (fault) {
        const why = `Not all agents of the call could be started: ${reasonOf(fault.reason)}.`;
        for (const run of started) run.end("failed", why);
        await Promise.all(started.map((run) => run.done));
        return err(why);
      }
      for (const run of started) enter(run, options);
      return ok(started.map(({ card }) => card.agentId));
    },
    async wait(ids, { timeoutMs = Infinity, signal, callId }) {
      await earlier();
      const all = Promise.all(ids.map((id) => doneOf(id, signal)));
      await waitFor(all, { ms: timeoutMs, signal, clock });
      return Promise.all(ids.map((id) => reportOf(id, callId)));
    },
    async list() {
      const before = Array.from((await earlier()).values(), earlierStatus);
      const now = [
        ...Array.from(runs.values(), (run) => run.status()),
        ...Array.from(below.values(), ({ status }) => status),
      ];
      return [...before, ...now].toSorted((a, b) => a.startedAt - b.startedAt);
    },
    report: reportOf,
    steer: (id, text) =>
      runs.get(id)?.steer(text) ?? below.get(id)?.via.below?.steer(id, text) ?? err(unknownAgent(id)),
    stop,
    async resume(id, text, options) {
      if (isClosed) return err(closed);
      const child = await endedChild(id);
      if (!child.ok) return child;
      const { record, card } = child.value;
      const plan = planChild(card.task, await ports.definitions(), ports);
      if (!plan.ok) return plan;
      await working.get(id);
      const lease = await store.lease(record.id, agentSource);
      if (!lease.ok) return err(`The session of ${id} is in use by ${lease.error.heldBy}.`);
      const next = cardOf(plan.value, options);
      await store.append(record.id, [cardEntry(next)]);
      enter(
        newRun({ card: next, plan: { ...plan.value, resumes: id }, record, lease: lease.value, message: text }),
        options,
      );
      return ok(next.agentId);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      const left = [...runs.values()].filter(({ report }) => !report);
      if (left.length > 0) ports.say(leavingText(left));
      for (const run of left) run.end("interrupted", "The session that started it was closed.");
      await Promise.all(left.map((run) => run.done));
      await Promise.all(working.values());
      pace[Symbol.dispose]();
    },
  };
}

function restoredNotice(reports: readonly AgentReport[]): string {
  const lost = reports.filter(({ status }) => status === "lost").length;
  const about = lost > 0 ? ` (${lost} lost with the program that ran them)` : "";
  return `${plural(reports.length, "report")} of agents${about} arrived in the meantime. The model gets them with your next prompt.`;
}

const closed = "The session is being closed; no agent was started.";

/** Names the agents that closing ends. */
function leavingText(left: readonly ChildRun[]): string {
  const named = left.slice(0, maxNamed).map(({ card }) => `${card.agentId} (${oneLine(card.task.goal, 60)})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return `ending ${plural(left.length, "agent")} on leaving: ${named.join(", ")}${more}; their work so far is stored`;
}

const maxNamed = 5;
