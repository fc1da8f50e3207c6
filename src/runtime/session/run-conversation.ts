import { type AgentId, type CallId, newId } from "../../base/ids.ts";
import { plural } from "../../base/text/text.ts";
import { noUsage, type Usage } from "../../contracts/model/model.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { Entry } from "../../contracts/session/session.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { type ContextKeeper, createContextKeeper } from "../../kernel/loop/context-keeper.ts";
import { type Conversation, createConversation } from "../../kernel/loop/conversation.ts";
import { createEventHub, type EventHub } from "../../kernel/loop/event-hub.ts";
import { unfinishedCallFailure } from "../../kernel/loop/record/history.ts";
import type { SessionLog } from "../../kernel/loop/record/session-log.ts";
import { createSteering } from "../../kernel/loop/steering.ts";
import { addUsage } from "../../kernel/loop/turn-state.ts";
import { runTurn } from "../../kernel/loop/turn.ts";
import { createPendingMarks } from "../../kernel/session/conversation-marks.ts";
import { openSessionAgents, type SessionAgents, type StartChildSession } from "../agents/session-agents.ts";
import type { ConversationStages } from "./conversation-stages.ts";
import { createHeadMoves, type HeadMoves } from "./move-head.ts";
import { type OpenedSessionGoals, openSessionGoals } from "./services/open-goals.ts";
import { openMail } from "./services/open-mail.ts";
import { sessionAsker } from "./session-asker.ts";
import type { SessionDeps, SideCall } from "./session-deps.ts";
import { createSessionPlan, type SessionPlan } from "./session-plan.ts";
import { turnPorts } from "./turn-ports.ts";

export interface RunningConversation {
  readonly conversation: Conversation;
  readonly hub: EventHub;
  readonly head: HeadMoves;
  readonly context: ContextKeeper;
  readonly plan: SessionPlan;
  readonly usage: UsageCount;
  readonly agents: SessionAgents;
  readonly goals: OpenedSessionGoals;
  /** Called when a turn starts. */
  onTurn(started: (startedAt: number) => void): void;
  /** Disposing stops receiving messages of other sessions. */
  readonly mail: Disposable;
  /** Never rejects. */
  callTool(call: SideCall): Promise<ToolResult>;
}

export function runConversation(
  stages: ConversationStages,
  deps: SessionDeps,
  startChildSession: StartChildSession,
): RunningConversation {
  const { opened, bench, sessionModel, requests, approvals, tap, companions } = stages;
  const { record, model, entries, log, files } = opened;
  const { workbench } = bench;
  const { sessions: store, hooks, config, clock, logger } = deps;
  const { id } = record;
  const hub = createEventHub(
    { sessionId: id, agentId: opened.child?.plan.agentId ?? newId<AgentId>("agent") },
    {
      clock,
      log: logger,
      watch: (event) => (agents.watch(event), goals.watch(event), sessionModel.watch?.(event), tap.watch(event)),
    },
  );
  const steering = createSteering();
  const starts: ((startedAt: number) => void)[] = [];
  const plan = createSessionPlan(opened, deps);
  const usage = createUsageCount(entries);
  const head = createHeadMoves({
    id,
    store,
    log,
    ...(workbench.checkpoints && { checkpoints: workbench.checkpoints }),
    moved(path) {
      plan.restore(path);
      goals.headMoved();
      stages.planMode.headMoved();
      workbench.wentBack();
      conversation.storeQueue();
    },
  });
  const pendingMarks = createPendingMarks({ id, store, log, wentBack: workbench.wentBack });
  const context = createContextKeeper({
    engine: tap.engine(sessionModel.engine),
    meter: sessionModel.meter,
    log,
    request: () => requests.request(log.history.messages),
    model: () => (model.beside ?? model).facts(),
    async carry() {
      const processes = await workbench.processes.own(never, id);
      return {
        todos: plan.todos().read(),
        files: files.list(),
        approvals: (await approvals.desk.pending()).map(({ text }) => text),
        processes: processes.map((each) => `${each.id}: ${each.command}`),
      };
    },
    shortened: workbench.forgetShown,
    hooks,
    sessionId: id,
    emit: hub.emit,
  });
  const agents = openSessionAgents(
    stages,
    { emit: hub.emit, readTexts: () => plan.taint().sources(), startChildSession },
    deps,
  );
  const closing = new AbortController();
  const mail = openMail(
    stages,
    {
      closing: closing.signal,
      prompt: (content) => void (conversation.turn ?? conversation.prompt(content)),
    },
    deps,
  );
  const portsOf = turnPorts(stages, { context, steering, plan, pendingMarks, agents, mail, emit: hub.emit }, deps);
  const conversation = createConversation({
    hub,
    steering,
    async run(turnId, prompt, signal, running) {
      for (const started of starts) started(clock.now());
      goals.turnStarts();
      await head.settled();
      const ports = await portsOf(signal);
      const more = await Promise.all(
        companions.map(async (each) => (await each.before?.(prompt.content, signal)) ?? []),
      );
      const content = [...prompt.content, ...more.flat()];
      const outcome = await runTurn(turnId, { ...prompt, content }, ports, signal).finally(model.endTurn);
      // Records the files now, so that later changes by the user are not attributed to a call.
      if (outcome.reason !== "aborted") await workbench.recorded();
      const isTainted = plan.taint().sources().length > 0;
      for (const each of companions) each.after?.(prompt.content, outcome, isTainted, running);
      goals.turnEnds(prompt.content, outcome);
      usage.add(outcome.usage, outcome.modelCalls);
      return outcome;
    },
    async queueChanged(queue) {
      const value = queue.map((content) => content.map((part) => ({ ...part })));
      await log.append([{ type: "state", name: "queue", value }]);
    },
    log: logger,
  });
  async function callTool(call: SideCall): Promise<ToolResult> {
    const { name, args, origin, signal, services, emit, isQuiet = false } = call;
    const { dispatcher, scope } = await portsOf(signal);
    const result = await dispatcher.dispatch(
      { id: call.id ?? newId<CallId>("call"), name, args },
      {
        ...scope,
        services: {
          ...scope.services,
          ...services,
          ...(services?.asker && { asker: sessionAsker(services.asker, record.source, config.values, clock) }),
        },
        origin,
        signal,
        emit(event) {
          if (!isQuiet) hub.emit(event);
          emit?.(event);
        },
      },
    );
    // Records the changes of calls by clients, users and checks here, because they have no turn whose end would do it.
    if (origin !== "plugin") await workbench.recorded();
    return result;
  }
  stages.planMode.attach({ prompt: conversation.prompt, todos: () => plan.todos(), emit: hub.emit });
  const goals = openSessionGoals(stages, { conversation, callTool, emit: hub.emit }, deps);
  return {
    conversation,
    goals,
    callTool,
    hub,
    head,
    context,
    plan,
    usage,
    agents,
    onTurn: (started) => void starts.push(started),
    mail: {
      [Symbol.dispose]() {
        closing.abort();
        mail.received?.[Symbol.dispose]();
      },
    },
  };
}

const never = new AbortController().signal;

/** Settles the calls that a crash left open, without running them again. Reports those that had started. */
export async function settleOpenCalls(log: SessionLog, emit: (event: AgentEventBody) => void): Promise<void> {
  const open = log.history.openCalls();
  if (open.length === 0) return;
  await log.append(
    open.map((each) => ({
      type: "settled",
      callId: each.call.id,
      ...(each.parentCallId !== undefined && { parentCallId: each.parentCallId }),
      tool: each.call.name,
      result: { ok: false, error: unfinishedCallFailure(each) },
      durationMs: 0,
    })),
  );
  const started = open.filter(({ wasBegun, parentCallId }) => wasBegun && parentCallId === undefined).length;
  if (started === 0) return;
  const text = `${plural(started, "tool call")} still ran when this session ended. The outcome is unknown.`;
  emit({ type: "notice", level: "warn", text });
}

/** The usage of a session since its first turn, and of its last turn. */
interface UsageCount {
  add(turn: Usage, modelCalls: number): void;
  /** Adds usage outside of turns. */
  addAuxiliary(usage: Usage): void;
  total(): { readonly turn: Usage; readonly session: Usage; readonly sessionCalls: number };
}

function createUsageCount(entries: readonly Entry[]): UsageCount {
  let turn = noUsage;
  let session = entries.reduce((sum, entry) => (entry.type === "usage" ? addUsage(sum, entry.usage) : sum), noUsage);
  let sessionCalls = entries.filter(({ type }) => type === "usage").length;
  return {
    add(usage, modelCalls) {
      turn = usage;
      session = addUsage(session, usage);
      sessionCalls += modelCalls;
    },
    addAuxiliary: (usage) => void (session = addUsage(session, usage)),
    total: () => ({ turn, session, sessionCalls }),
  };
}
