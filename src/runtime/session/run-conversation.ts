import { type AgentId, newId } from "../../base/ids.ts";
import { plural } from "../../base/text/text.ts";
import type { UserMessage } from "../../contracts/model/message.ts";
import { type ModelClient, noUsage, type Usage } from "../../contracts/model/model.ts";
import type { AgentEventBody } from "../../contracts/session/event.ts";
import type { SessionTap } from "../../contracts/session/session-tap.ts";
import type { Entry } from "../../contracts/session/session.ts";
import type { TurnCompanion } from "../../contracts/session/turn-companion.ts";
import { type ContextKeeper, createContextKeeper } from "../../kernel/loop/context-keeper.ts";
import { type Conversation, createConversation } from "../../kernel/loop/conversation.ts";
import { createEventHub, type EventHub } from "../../kernel/loop/event-hub.ts";
import { createGuardrails } from "../../kernel/loop/guardrails.ts";
import { unsettledFailure } from "../../kernel/loop/record/history.ts";
import type { SessionLog } from "../../kernel/loop/record/session-log.ts";
import { createTranscript } from "../../kernel/loop/record/transcript.ts";
import { createSteering } from "../../kernel/loop/steering.ts";
import { addUsage } from "../../kernel/loop/turn-state.ts";
import { runTurn, type TurnPorts } from "../../kernel/loop/turn.ts";
import { createPendingMarks } from "../../kernel/session/conversation-marks.ts";
import { storedTodos } from "../../kernel/session/session-state.ts";
import { storedTaint, taintingReads } from "../../kernel/session/session-taint.ts";
import { createHeadMoves, type HeadMoves } from "./move-head.ts";
import type { OpenedSessionApprovals } from "./open-approvals.ts";
import type { OpenedKnowledge } from "./open-knowledge.ts";
import type { OpenedRecord } from "./open-record.ts";
import type { SessionDeps } from "./session-deps.ts";
import type { SessionModel } from "./session-model.ts";
import type { SessionRequests } from "./session-requests.ts";
import { hasTerminal, type OpenedWorkbench } from "./session-workbench.ts";

/** The stages that a conversation is built on. */
export interface ConversationStages {
  readonly opened: OpenedRecord;
  readonly bench: OpenedWorkbench;
  readonly knowledge: OpenedKnowledge;
  readonly sessionModel: SessionModel;
  readonly requests: SessionRequests;
  readonly approvals: OpenedSessionApprovals;
  readonly tap: SessionTap;
  readonly companions: readonly TurnCompanion[];
}

export interface RunningConversation {
  readonly conversation: Conversation;
  readonly hub: EventHub;
  readonly head: HeadMoves;
  readonly context: ContextKeeper;
  readonly plan: SessionPlan;
  readonly usage: UsageCount;
}

export function runConversation(stages: ConversationStages, deps: SessionDeps): RunningConversation {
  const { opened, bench, sessionModel, requests, approvals, tap, companions } = stages;
  const { record, model, entries, log, files } = opened;
  const { workbench } = bench;
  const { sessions: store, hooks, clock, logger } = deps;
  const { id } = record;
  const hub = createEventHub(
    { sessionId: id, agentId: newId<AgentId>("agent") },
    { clock, log: logger, watch: (event) => (sessionModel.watch?.(event), tap.watch(event)) },
  );
  const steering = createSteering();
  const plan = createSessionPlan(opened, deps);
  const usage = createUsageCount(entries);
  const head = createHeadMoves({
    id,
    store,
    log,
    ...(workbench.checkpoints && { checkpoints: workbench.checkpoints }),
    moved(path) {
      plan.restore(path);
      workbench.forgetShown();
    },
  });
  const pendingMarks = createPendingMarks({ id, store, log, wentBack: workbench.forgetShown });
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
  const portsOf = turnPorts(stages, { context, steering, plan, pendingMarks, emit: hub.emit }, deps);
  const conversation = createConversation({
    hub,
    steering,
    async run(turnId, prompt, signal, running) {
      await head.settled();
      const ports = await portsOf(signal);
      const more = await Promise.all(
        companions.map(async (each) => (await each.before?.(prompt.content, signal)) ?? []),
      );
      const content = [...prompt.content, ...more.flat()];
      const outcome = await runTurn(turnId, { ...prompt, content }, ports, signal).finally(model.endTurn);
      // Later changes by the person must not count as the work of a call.
      if (outcome.reason !== "aborted") await workbench.recorded();
      const isTainted = plan.taint().sources().length > 0;
      for (const each of companions) each.after?.(prompt.content, outcome, isTainted, running);
      usage.add(outcome.usage, outcome.modelCalls);
      return outcome;
    },
    async queueChanged(queue) {
      const value = queue.map((content) => content.map((part) => ({ ...part })));
      await log.append([{ type: "state", name: "queue", value }]);
    },
    log: logger,
  });
  return { conversation, hub, head, context, plan, usage };
}

const never = new AbortController().signal;

interface TurnParts {
  readonly context: ContextKeeper;
  readonly steering: TurnPorts["steering"];
  readonly plan: SessionPlan;
  readonly pendingMarks: ReturnType<typeof createPendingMarks>;
  readonly emit: (event: AgentEventBody) => void;
}

/** Builds what one turn works with. */
function turnPorts(
  { opened, bench, knowledge, sessionModel, requests, tap }: ConversationStages,
  { context, steering, plan, pendingMarks, emit }: TurnParts,
  { hooks, clock, logger, sessions }: SessionDeps,
): (signal: AbortSignal) => Promise<TurnPorts> {
  const { options, principal, record, catalog, model, log } = opened;
  const { workbench } = bench;
  const { id } = record;
  const transcript = createTranscript((entry) => sessions.entry(id, entry));
  const dispatcher = tap.dispatcher(workbench.dispatcher);
  const tapped = tappedModel(tap);
  return async (signal) => {
    const { services, ...surroundings } = await workbench.surroundings(signal);
    const taint = plan.taint();
    return {
      model: () => tapped(model.current()),
      dispatcher,
      log,
      context,
      meter: sessionModel.meter,
      spend: requests.spend,
      steering,
      guardrails: createGuardrails(clock),
      ...(sessionModel.remark && { remark: sessionModel.remark }),
      ...(sessionModel.unfinished && { unfinished: sessionModel.unfinished }),
      ...(sessionModel.leftovers && { leftovers: sessionModel.leftovers }),
      asking: () => hasTerminal(opened) && workbench.startShell(),
      settled: pendingMarks.settled,
      hooks,
      request: requests.request,
      scope: {
        ...surroundings,
        catalog,
        sessionId: id,
        origin: "model",
        principal,
        services: {
          ...services,
          ...taintingReads(knowledge.services, taint.record),
          ...(options.asker && { asker: options.asker }),
          ...(options.secrets && { secretAsker: options.secrets }),
          toolIndex: catalog.search,
          todos: plan.todos(),
          transcript,
          ...(workbench.checkpoints && {
            checkpoints: { ...workbench.checkpoints, conversation: pendingMarks.marks },
          }),
        },
        taint,
      },
      inbox: () => workbench.inbox.take(id).map(({ content }): UserMessage => ({ role: "user", content })),
      emit,
      clock,
      logger,
      limits: { modelCalls: requests.maxModelCalls },
    };
  };
}

/** Wraps a client once, however often the turn asks for it. */
function tappedModel(tap: SessionTap): (client: ModelClient) => ModelClient {
  const wrapped = new WeakMap<ModelClient, ModelClient>();
  return (client) => {
    const model = wrapped.get(client) ?? tap.model(client);
    wrapped.set(client, model);
    return model;
  };
}

/** The todo list and the taint of a session, as the entries up to its head say. */
export interface SessionPlan {
  todos(): ReturnType<typeof storedTodos>;
  taint(): ReturnType<ReturnType<typeof storedTaint>>;
  /** The head moved: the entries up to it hold now. */
  restore(path: readonly Entry[]): void;
}

function createSessionPlan({ entries, log }: OpenedRecord, { logger }: SessionDeps): SessionPlan {
  const read = (path: readonly Entry[]) => ({
    todos: storedTodos(path, (body) => log.append([body]), logger),
    taint: storedTaint(path, (body) => log.append([body]), logger),
  });
  let current = read(entries);
  return {
    todos: () => current.todos,
    taint: () => current.taint(),
    restore: (path) => void (current = read(path)),
  };
}

/** The usage of a session since its first turn, and of its last turn. */
export interface UsageCount {
  add(turn: Usage, modelCalls: number): void;
  /** Usage outside a turn. */
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

/** Settles the calls that a crash left open: none of them runs again. Reports those that had begun. */
export async function settleOpenCalls(log: SessionLog, emit: (event: AgentEventBody) => void): Promise<void> {
  const open = log.history.openCalls();
  if (open.length === 0) return;
  await log.append(
    open.map((each) => ({
      type: "settled",
      callId: each.call.id,
      ...(each.parentCallId !== undefined && { parentCallId: each.parentCallId }),
      tool: each.call.name,
      result: { ok: false, error: unsettledFailure(each) },
      durationMs: 0,
    })),
  );
  const started = open.filter(({ wasBegun, parentCallId }) => wasBegun && parentCallId === undefined).length;
  if (started === 0) return;
  const text = `${plural(started, "tool call")} had not ended when this session was left; what became of them is not known.`;
  emit({ type: "notice", level: "warn", text });
}
