import type { Clock } from "../../base/clock.ts";
import { type AgentId, newId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { err, ok } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ContextEngine } from "../../contracts/model/context.ts";
import type { ContentPart, Message, UserMessage } from "../../contracts/model/message.ts";
import {
  type ModelClient,
  type ModelSource,
  noUsage,
  type ReasoningEffort,
  type SystemPart,
  type Usage,
} from "../../contracts/model/model.ts";
import type { SessionApprovalDesk } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { AgentEvent } from "../../contracts/session/event.ts";
import type { Session, SessionUsage } from "../../contracts/session/runtime.ts";
import type { Entry, Lease, SessionRecord, SessionStore } from "../../contracts/session/session.ts";
import { ownParts, type TurnCompanion } from "../../contracts/session/turn-companion.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { Services } from "../../contracts/tool/services.ts";
import type { ToolDefinition } from "../../contracts/tool/tool-definition.ts";
import { type ContextMeter, createContextKeeper } from "../../kernel/loop/context-keeper.ts";
import { createConversation } from "../../kernel/loop/conversation.ts";
import { createEventHub } from "../../kernel/loop/event-hub.ts";
import { createGuardrails } from "../../kernel/loop/guardrails.ts";
import { unsettledFailure } from "../../kernel/loop/history.ts";
import type { SessionLog } from "../../kernel/loop/session-log.ts";
import { type SpendGuard, startOfDay } from "../../kernel/loop/spend-guard.ts";
import { createSteering } from "../../kernel/loop/steering.ts";
import type { TouchedFiles } from "../../kernel/loop/touched-files.ts";
import { createTranscript } from "../../kernel/loop/transcript.ts";
import { addUsage } from "../../kernel/loop/turn-state.ts";
import { runTurn, type TurnPorts } from "../../kernel/loop/turn.ts";
import { adoptProcesses } from "../../kernel/processes/adopt-processes.ts";
import { createPendingMarks } from "../../kernel/session/conversation-marks.ts";
import { restoredQueue, storedTodos } from "../../kernel/session/session-state.ts";
import { storedTaint, taintingReads } from "../../kernel/session/session-taint.ts";
import { freeTitle } from "../../sessions/session-title.ts";
import type { Workbench } from "../calls/open-workbench.ts";
import { createHeadMoves } from "./move-head.ts";

/** What one session is made of. Everything concrete is handed in. */
export interface SessionParts {
  readonly record: SessionRecord;
  readonly principal: Principal;
  /** Left out: somebody else writes to it, and it can only be read. */
  readonly lease?: Lease;
  readonly heldBy?: string;
  readonly entries: readonly Entry[];
  /** The branch to go on with. Left out: the one that was left last. */
  readonly branch?: string;
  readonly store: SessionStore;
  readonly model: ModelClient;
  readonly models: ModelSource;
  /** The person chose another one. */
  modelChanged?(model: ModelClient): void;
  readonly catalog: Catalog;
  readonly system: readonly SystemPart[];
  readonly tools: readonly ToolDefinition[];
  readonly engine: ContextEngine;
  readonly meter: ContextMeter;
  cacheMarks(messages: readonly Message[]): readonly number[];
  readonly log: SessionLog;
  readonly files: TouchedFiles;
  readonly workbench: Workbench;
  readonly approvals: SessionApprovalDesk & Disposable;
  readonly remark?: TurnPorts["remark"];
  readonly unfinished?: TurnPorts["unfinished"];
  readonly leftovers?: TurnPorts["leftovers"];
  readonly spend: SpendGuard;
  readonly modelCalls: number;
  readonly cacheTtl?: "5m" | "1h";
  readonly reasoning?: ReasoningEffort;
  /** Who can be asked here. */
  readonly askers?: Pick<Partial<Services>, "asker" | "secretAsker">;
  /** What it knows and keeps: memory, skills, earlier sessions, checkpoints. */
  readonly knowledge?: Partial<Services>;
  readonly companions?: readonly TurnCompanion[];
  readonly hooks: HookBus;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Hears every event, before any reader. */
  readonly watch?: (event: AgentEvent) => void;
}

/** A conversation with its record, its workbench and its model. */
export async function openSession(parts: SessionParts): Promise<Session> {
  const { record, store, principal, catalog, log, files, workbench: bench, hooks, clock, logger } = parts;
  const { id } = record;
  const hub = createEventHub(
    { sessionId: id, agentId: newId<AgentId>("agent") },
    { clock, log: logger, ...(parts.watch && { watch: parts.watch }) },
  );
  const steering = createSteering();
  let todos = storedTodos(parts.entries, (body) => log.append([body]), logger);
  let taint = storedTaint(parts.entries, (body) => log.append([body]), logger);
  let model = parts.model;
  /** Answers again when the turn is over. */
  let before: ModelClient | undefined;
  let isShortening = false;
  let sessionUsage = usageIn(parts.entries);
  let turnUsage = noUsage;
  let calls = parts.entries.filter(({ type }) => type === "usage").length;
  const never = new AbortController().signal;
  const closing = new AbortController();

  const request = (messages: readonly Message[]) => ({
    system: parts.system,
    messages,
    tools: parts.tools,
    cacheMarks: parts.cacheMarks(messages),
    conversation: id,
    ...(parts.cacheTtl && { cacheTtl: parts.cacheTtl }),
    ...(parts.reasoning && { reasoning: parts.reasoning }),
  });
  function changeModel(next: ModelClient): void {
    model = next;
    parts.modelChanged?.(next);
  }
  function restoreModel(): void {
    if (before) changeModel(before);
    before = undefined;
  }
  const head = createHeadMoves({
    id,
    store,
    log,
    ...(bench.checkpoints && { checkpoints: bench.checkpoints }),
    refusal() {
      if (!parts.lease) return readOnlyText(parts);
      if (isShortening) return "the context is being shortened; wait until that is done";
      return conversation.turn && "a turn is running; stop it first";
    },
    moved(path) {
      todos = storedTodos(path, (body) => log.append([body]), logger);
      taint = storedTaint(path, (body) => log.append([body]), logger);
      bench.forgetShown();
    },
  });
  const pending = createPendingMarks({ id, store, log, wentBack: bench.forgetShown });
  const transcript = createTranscript((entry) => store.entry(id, entry));
  const context = createContextKeeper({
    engine: parts.engine,
    meter: parts.meter,
    log,
    request: () => request(log.history.messages),
    model: () => (model.beside ?? model).facts(),
    async carry() {
      const processes = await bench.processes.own(never);
      return {
        todos: todos.read(),
        files: files.list(),
        approvals: (await parts.approvals.pending()).map(({ text }) => text),
        processes: processes.map((each) => `${each.id}: ${each.command}`),
      };
    },
    shortened: bench.forgetShown,
    hooks,
    sessionId: id,
    emit: hub.emit,
  });

  const conversation = createConversation({
    hub,
    steering,
    async run(turnId, prompt, signal) {
      await head.settled();
      const { services, ...surroundings } = await bench.surroundings(signal);
      const turnTaint = taint();
      const ports: TurnPorts = {
        model: () => model,
        dispatcher: bench.dispatcher,
        log,
        context,
        meter: parts.meter,
        spend: parts.spend,
        steering,
        guardrails: createGuardrails(clock),
        ...(parts.remark && { remark: parts.remark }),
        ...(parts.unfinished && { unfinished: parts.unfinished }),
        ...(parts.leftovers && { leftovers: parts.leftovers }),
        asking: () => catalog.definitions.some(({ name }) => name === "terminal") && bench.startShell(),
        settled: pending.settled,
        hooks,
        request,
        scope: {
          ...surroundings,
          catalog,
          sessionId: id,
          origin: "model",
          principal,
          services: {
            ...services,
            ...taintingReads(parts.knowledge ?? {}, turnTaint.record),
            ...parts.askers,
            toolIndex: catalog.search,
            todos,
            transcript,
            ...(bench.checkpoints && { checkpoints: { ...bench.checkpoints, conversation: pending.marks } }),
          },
          taint: turnTaint,
        },
        inbox: () => bench.inbox.take(id).map(({ content }): UserMessage => ({ role: "user", content })),
        emit: hub.emit,
        clock,
        logger,
        limits: { modelCalls: parts.modelCalls },
      };
      const { companions = [] } = parts;
      const more = await Promise.all(
        companions.map(async (each) => (await each.before?.(prompt.content, signal)) ?? []),
      );
      const content = [...prompt.content, ...more.flat()];
      const outcome = await runTurn(turnId, { ...prompt, content }, ports, signal).finally(restoreModel);
      // What the person changes from now on must not be taken for the work of a call.
      if (outcome.reason !== "aborted") await bench.recorded();
      for (const each of companions) each.after?.(prompt.content, outcome, taint().sources().length > 0);
      turnUsage = outcome.usage;
      calls += outcome.modelCalls;
      sessionUsage = addUsage(sessionUsage, outcome.usage);
      return outcome;
    },
    async queueChanged(queue) {
      const value = queue.map((content) => content.map((part) => ({ ...part })));
      await log.append([{ type: "state", name: "queue", value }]);
    },
    log: logger,
  });

  const settled = parts.lease ? await settleOpenCalls(log) : 0;
  if (settled > 0) {
    const text = `${plural(settled, "tool call")} had not ended when this session was left; what became of them is not known.`;
    hub.emit({ type: "notice", level: "warn", text });
  }
  if (parts.lease) adoptProcesses(parts, { signal: closing.signal, emit: hub.emit });
  await hooks.notify("sessionStart", { sessionId: id, source: record.source, model: model.facts().model }, never);

  const own = (content: readonly ContentPart[]) => ownParts(content, parts.companions ?? []);
  const session: Session = {
    id,
    ...(parts.heldBy !== undefined && { heldBy: parts.heldBy }),
    catalog,
    approvals: parts.approvals,
    get turn() {
      return conversation.turn;
    },
    prompt: conversation.prompt,
    steer: conversation.steer,
    queue: (content) => void conversation.prompt(content),
    get queued() {
      return conversation.queued;
    },
    clearQueue: conversation.clearQueue,
    redirect: conversation.redirect,
    events: (fromSeq) => hub.read(fromSeq ?? hub.next),
    history: () => log.history.messages,
    model: () => model.facts(),
    async useModel(name, forOneTurn = false) {
      const opened = await parts.models.open(name);
      if (!opened.ok) return opened;
      before = forOneTurn ? (before ?? model) : undefined;
      changeModel(opened.value);
      return ok(model.facts());
    },
    context: context.use,
    async compress(focus, signal = never) {
      if (!parts.lease) return err({ message: readOnlyText(parts) });
      if (conversation.turn) return err({ message: "a turn is running; stop it first" });
      await head.settled();
      isShortening = true;
      const shortened = await context
        .shorten("asked", focus, AbortSignal.any([closing.signal, signal]))
        .finally(() => (isShortening = false));
      sessionUsage = addUsage(sessionUsage, log.takeAuxiliary());
      return shortened.ok ? shortened : err({ message: shortened.error });
    },
    async undo(turns) {
      const undone = await head.undo(turns);
      return undone.ok ? ok({ prompt: own(undone.value.prompt) }) : undone;
    },
    async branch(where, signal) {
      const moved = await head.branch(where, signal);
      return moved.ok && moved.value.prompt ? ok({ ...moved.value, prompt: own(moved.value.prompt) }) : moved;
    },
    switchTo: head.switchTo,
    tree: head.tree,
    async setTitle(text) {
      if (!parts.lease) return err({ message: readOnlyText(parts) });
      const title = await freeTitle(text, { id, principal }, store);
      if (title.ok) await log.append([{ type: "titled", title: title.value, by: "user" }]);
      return title;
    },
    async usage(): Promise<SessionUsage> {
      const day = await store.spent({ who: principal, since: startOfDay(clock.now()) });
      return { turn: turnUsage, session: sessionUsage, sessionCalls: calls, day };
    },
    todos: () => todos.read(),
    files: files.list,
    ...(bench.checkpoints && { checkpoints: bench.checkpoints }),
    record: async () => (await store.get(id, principal)) ?? record,
    stopProcesses: async (signal) => (await bench.processes.endOwn(signal)).filter(({ fault }) => !fault).length,
    async [Symbol.asyncDispose]() {
      closing.abort("the session is closed");
      await conversation[Symbol.asyncDispose]();
      parts.approvals[Symbol.dispose]();
      await Promise.all((parts.companions ?? []).map(async (each) => each.close?.()));
      await bench[Symbol.asyncDispose]();
      await hooks.notify("sessionEnd", { sessionId: id, reason: "closed" }, never);
      await parts.lease?.[Symbol.asyncDispose]();
    },
  };
  const switched = parts.branch === undefined ? undefined : await head.switchTo(parts.branch, closing.signal);
  if (switched?.ok === false) {
    await session[Symbol.asyncDispose]();
    throw new Error(switched.error.message);
  }
  const queue = parts.lease ? restoredQueue(switched ? await store.path(id) : parts.entries) : [];
  for (const content of queue) conversation.prompt(content);
  return session;
}

function readOnlyText({ heldBy = "somebody else" }: SessionParts): string {
  return `this session is written to by ${heldBy}; it can only be read here`;
}

/** After a crash: what was left open gets a result, and is never run again by itself. How many were begun. */
async function settleOpenCalls(log: SessionLog): Promise<number> {
  const open = log.history.openCalls();
  if (open.length === 0) return 0;
  await log.append(
    open.map((each) => ({
      type: "settled",
      callId: each.call.id,
      tool: each.call.name,
      result: { ok: false, error: unsettledFailure(each) },
      durationMs: 0,
    })),
  );
  return open.filter(({ wasBegun }) => wasBegun).length;
}

function usageIn(entries: readonly Entry[]): Usage {
  return entries.reduce((sum, entry) => (entry.type === "usage" ? addUsage(sum, entry.usage) : sum), noUsage);
}
