import type { SessionId } from "../base/ids.ts";
import { err, ok, reasonOf, type Result } from "../base/result.ts";
import type { AgentEnd, AgentReport, AgentSpawner, AgentStatus } from "../contracts/session/agents.ts";
import type { TurnOutcome } from "../contracts/session/event.ts";
import type { Session } from "../contracts/session/runtime.ts";
import type { Lease, SessionRecord } from "../contracts/session/session.ts";
import { type AgentCard, reportEntry, storedRuns } from "./agent-card.ts";
import type { AgentPorts, ChildPlan, ChildWorkplace, CollectedWork } from "./agent-ports.ts";
import { answerOf } from "./answer-schema.ts";
import { buildReport, type RunEnding } from "./build-report.ts";
import { schemaRetryMessage, taskMessage } from "./child-prompt.ts";
import { watchChild } from "./watch-child.ts";

/** One run of a child, from the queue to its report. */
export interface ChildRun {
  readonly card: AgentCard;
  readonly plan: ChildPlan;
  readonly sessionId: SessionId;
  status(): AgentStatus;
  /** Resolves when the report is stored. Never rejects. */
  readonly done: Promise<AgentReport>;
  /** Undefined while the child runs. */
  readonly report: AgentReport | undefined;
  /** Runs the child to its end, and resolves when its session is closed. Never rejects. */
  start(): Promise<void>;
  steer(text: string): Result<void, string>;
  /** The children of this child while it runs. */
  readonly below: AgentSpawner | undefined;
  /** Ends the child. The first reason is kept. */
  end(status: Exclude<AgentEnd, "completed" | "lost">, why: string): void;
}

export interface ChildRunOptions {
  readonly card: AgentCard;
  readonly plan: ChildPlan;
  readonly record: SessionRecord;
  readonly lease: Lease;
  /** The first message to the child. Default: the task. */
  readonly message?: string;
  changed(status: AgentStatus): void;
  /** Whether the report is stored. */
  ended(report: AgentReport): void;
  /** Called when one of the child's own children changed. */
  relayed(status: AgentStatus): void;
}

type StoppedEnd = Pick<RunEnding, "status" | "why">;

export function createChildRun(
  { card, plan, record, lease, message, changed, relayed, ended }: ChildRunOptions,
  ports: AgentPorts,
): ChildRun {
  const { clock, log, store, parent } = ports;
  const { id: sessionId } = record;
  const { task } = plan;
  const done = Promise.withResolvers<AgentReport>();
  const stopping = Promise.withResolvers<undefined>();
  let session: Session | undefined;
  let startNoticed: Promise<void> | undefined;
  let stopped: StoppedEnd | undefined;
  let startedAt: number | undefined;
  let endedAt: number | undefined;
  let report: AgentReport | undefined;
  let hasStarted = false;
  const watch = watchChild({
    clock,
    settings: ports.settings,
    waitsForPerson: () => ports.waitsForPerson(sessionId),
    changed: () => changed(status()),
    stale: (why) => end("timeout", `It was ended because ${why}.`),
  });

  /** Why the run was stopped early, if it was. */
  const early = () => stopped;

  function status(): AgentStatus {
    return {
      agentId: card.agentId,
      sessionId,
      callId: card.callId,
      ...(card.parentAgentId !== undefined && { parentAgentId: card.parentAgentId }),
      depth: card.depth,
      ...(task.agent !== undefined && { agent: task.agent }),
      goal: task.goal,
      role: plan.role,
      isBackground: card.isBackground,
      state: report?.status ?? (startedAt === undefined ? "waiting" : "running"),
      startedAt: startedAt ?? card.startedAt,
      ...(endedAt !== undefined && { endedAt }),
      ...watch.counts,
    };
  }

  function end(how: AgentEnd, why: string): void {
    if (stopped || report) return;
    stopped = { status: how, why };
    stopping.resolve(undefined);
    session?.turn?.abort(why);
    if (!hasStarted) void finish(stopped);
  }

  /** Returns why the child may not call its model now. Its own budget is checked first, then those of its ancestors. */
  async function refusal(): Promise<string | undefined> {
    const { budget = {} } = task;
    const since = startedAt ?? card.startedAt;
    if (plan.maxSeconds !== undefined && clock.now() - since >= plan.maxSeconds * 1000) {
      const why = `It used its time of ${plan.maxSeconds} s.`;
      end("timeout", why);
      return why;
    }
    if (budget.costUsd !== undefined || budget.tokens !== undefined) {
      const spent = await store.spent({ sessionId, since: card.startedAt });
      if (budget.costUsd !== undefined && spent.costUsd >= budget.costUsd)
        return `The budget of this agent is $${budget.costUsd}, with $${spent.costUsd.toFixed(4)} used.`;
      if (budget.tokens !== undefined && spent.tokens >= budget.tokens)
        return `The budget of this agent is ${budget.tokens} tokens, with ${spent.tokens} used.`;
    }
    return parent.refusal();
  }

  function relay(below: AgentStatus): void {
    watch.stir();
    relayed(below);
  }

  async function follow(of: Session): Promise<void> {
    for await (const event of of.events(0)) watch.event(event);
  }

  async function ask(of: Session, text: string): Promise<TurnOutcome> {
    let outcome = await of.prompt([{ type: "text", text }]).done;
    // A message that arrives too late for the turn starts another turn.
    while (of.turn) {
      if (stopped) of.turn.abort(stopped.why ?? "");
      outcome = await of.turn.done;
    }
    return outcome;
  }

  async function work(of: Session): Promise<Omit<RunEnding, "endedAt">> {
    const outcome = await ask(of, message ?? taskMessage(task));
    if (outcome.reason !== "answered" || stopped || !task.outputSchema) return endingOf(outcome);
    const first = await answerOf(outcome.text, task.outputSchema);
    if (first.ok) return { ...endingOf(outcome), output: first.value };
    if (stopped) return endingOf(outcome);
    const again = await ask(of, schemaRetryMessage(first.error));
    if (again.reason !== "answered" || stopped) return endingOf(again);
    const second = await answerOf(again.text, task.outputSchema);
    if (second.ok) return { ...endingOf(again), output: second.value };
    return { status: "failed", why: `Its answer does not match the schema: ${second.error}.`, answer: again.text };
  }

  async function run(): Promise<void> {
    hasStarted = true;
    if (early()) return;
    startedAt = clock.now();
    watch.begin();
    using _time =
      plan.maxSeconds === undefined
        ? undefined
        : clock.after(plan.maxSeconds * 1000, () => end("timeout", `It used its time of ${plan.maxSeconds} s.`));
    changed(status());
    const opening = open().then(ok, (thrown: unknown) => err(reasonOf(thrown)));
    // A child that is being stopped does not wait until its session is open.
    const opened = await Promise.race([opening, stopping.promise]);
    if (opened?.ok) {
      session = opened.value.session;
      await runIn(opened.value.session, opened.value.workplace);
    } else await finish(early() ?? { status: "failed", why: opened?.error ?? "" });
    const place = opened ?? (await opening);
    if (!place.ok) return;
    await close(place.value.session);
    await leave(place.value.workplace);
    session = undefined;
  }

  async function open(): Promise<{ readonly session: Session; readonly workplace: ChildWorkplace }> {
    const workplace = await ports.workplace(plan);
    try {
      const readTexts = ports.readTexts();
      return { session: await ports.open({ plan, record, lease, workplace, readTexts, refusal, relay }), workplace };
    } catch (thrown) {
      await leave(workplace);
      throw thrown;
    }
  }

  async function runIn(of: Session, workplace: ChildWorkplace): Promise<void> {
    void follow(of);
    const facts = { ...hookFacts(), agentId: card.agentId, goal: task.goal };
    startNoticed = ports.hooks.notify("subagentStart", facts, never);
    const ending = early() ?? (await work(of).catch((thrown: unknown) => failedBy(thrown)));
    const partial = early();
    await finish({ ...ending, ...partial, ...(await finishWork(workplace, of)) });
  }

  /** If collecting the changes fails, the child still gets its report. */
  async function finishWork({ finish: collect }: ChildWorkplace, of: Session): Promise<CollectedWork> {
    if (!collect) return {};
    try {
      // A process that still runs could change files after they are collected.
      await of.stopProcesses(never);
      return await collect();
    } catch (thrown) {
      log.error("agent.changes_not_collected", { agent: card.agentId, error: reasonOf(thrown) });
      return {};
    }
  }

  async function leave(workplace: ChildWorkplace | undefined): Promise<void> {
    try {
      await workplace?.close?.();
    } catch (thrown) {
      log.error("agent.place_not_removed", { agent: card.agentId, error: reasonOf(thrown) });
    }
  }

  async function close(of: Session): Promise<void> {
    try {
      await of[Symbol.asyncDispose]();
    } catch (thrown) {
      log.error("agent.not_closed", { agent: card.agentId, error: reasonOf(thrown) });
    }
  }

  const hookFacts = () => ({
    sessionId,
    parentId: parent.sessionId,
    ...(parent.agentId !== undefined && { parentAgentId: parent.agentId }),
    role: plan.role,
  });

  /** Stores the report, the single record of how the run ended. */
  async function finish(ending: Omit<RunEnding, "endedAt">): Promise<void> {
    if (endedAt !== undefined) return;
    watch[Symbol.dispose]();
    endedAt = clock.now();
    const full = { ...ending, endedAt, ...(startedAt !== undefined && { startedAt }) };
    const built = await storedReport(full);
    report = built;
    ended(built);
    changed(status());
    done.resolve(built);
    if (!hasStarted) await lease[Symbol.asyncDispose]();
    await startNoticed;
    await ports.hooks.notify(
      "subagentStop",
      {
        ...hookFacts(),
        summary: built.summary,
        status: built.status,
        calls: built.toolTrace.map((each) => ({ tool: each.tool, status: callStatus[each.status] })),
        durationMs: built.durationMs,
      },
      never,
    );
  }

  async function storedReport(ending: RunEnding): Promise<AgentReport> {
    const facts = { sessionId, parentId: parent.sessionId, model: plan.model };
    const bare = { card, entries: [] };
    try {
      const stored = storedRuns(await store.entries(sessionId)).find((each) => each.card.agentId === card.agentId);
      const built = await buildReport(stored ?? bare, facts, ending, ports);
      await store.append(sessionId, [reportEntry(built)]);
      return built;
    } catch (thrown) {
      // If storing fails, the next program that opens the parent stores a report for this child.
      log.error("agent.report_not_stored", { agent: card.agentId, error: reasonOf(thrown) });
      return buildReport(bare, facts, ending, ports);
    }
  }

  return {
    card,
    plan,
    sessionId,
    status,
    done: done.promise,
    get report() {
      return report;
    },
    async start() {
      await run().catch((thrown: unknown) => finish(failedBy(thrown)));
      await lease[Symbol.asyncDispose]();
    },
    steer(text) {
      if (report) return err(`Agent ${card.agentId} has ended (${report.status}). Use resume to continue it.`);
      if (!session?.turn) return err(`Agent ${card.agentId} has not started yet. Try again when it runs.`);
      session.steer([{ type: "text", text }]);
      return ok(undefined);
    },
    get below() {
      return session?.agents;
    },
    end,
  };
}

const never = new AbortController().signal;

const callStatus = { ok: "ok", failed: "error", denied: "blocked" } as const;

function failedBy(thrown: unknown): Omit<RunEnding, "endedAt"> {
  return { status: "failed", why: reasonOf(thrown) };
}

function endingOf({ reason, text, why }: TurnOutcome): Omit<RunEnding, "endedAt"> {
  if (reason === "answered") return { status: "completed", answer: text };
  return {
    status: reason === "aborted" ? "interrupted" : "failed",
    ...(why !== undefined && { why }),
    ...(text.trim() !== "" && { answer: text }),
  };
}
