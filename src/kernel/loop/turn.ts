import { whenReady } from "../../base/async/when-ready.ts";
import type { Clock } from "../../base/clock.ts";
import type { TurnId } from "../../base/ids.ts";
import { isObject } from "../../base/json.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf, type Result } from "../../base/result.ts";
import { plural } from "../../base/text/text.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { AssistantMessage, ContentPart, Message, UserMessage } from "../../contracts/model/message.ts";
import type { ModelClient, ModelFacts, ModelRequest, Usage } from "../../contracts/model/model.ts";
import type { AgentEventBody, TurnOutcome } from "../../contracts/session/event.ts";
import type { StoredDraft, Entry, EntryBody } from "../../contracts/session/session.ts";
import { textOf } from "../../contracts/session/turn-companion.ts";
import type { CallGuard, CallScope, Dispatcher } from "../../contracts/tool/dispatch.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import { callModel } from "./answer/call-model.ts";
import { afterAnswer, beforeCalls, deniedText } from "./answer/final-answer.ts";
import { repairCalls } from "./answer/repair-calls.ts";
import { reportInterim } from "./answer/watch-stream.ts";
import type { ContextKeeper, ContextMeter } from "./context-keeper.ts";
import type { Guardrails } from "./guardrails.ts";
import type { SessionLog } from "./record/session-log.ts";
import { runCalls } from "./run-calls.ts";
import type { SpendGuard } from "./spend-guard.ts";
import type { Steering } from "./steering.ts";
import { beginTurn, endTurn, type Addition, withAddition } from "./turn-hooks.ts";
import { addUsage, tryRemedy, newTurnState, outcomeOf, resetRemedies, type TurnState } from "./turn-state.ts";
import type { UnfinishedAnswer, UnwrittenNotice } from "./verification.ts";

export interface TurnPorts {
  /** Returns the current model. Called before every request, because the model may change during a turn. */
  model(): ModelClient;
  readonly dispatcher: Dispatcher;
  readonly log: SessionLog;
  readonly draft?: StoredDraft;
  readonly context: ContextKeeper;
  readonly meter: ContextMeter;
  readonly spend: SpendGuard;
  readonly steering: Steering;
  readonly guardrails: Guardrails;
  /** Returns additional advice about a call, such as the rules of a folder that is new to the session. */
  readonly remark?: CallGuard["remark"];
  readonly hooks: HookBus;
  /** Builds the next request for these messages: system prompt, tools, cache marks. */
  request(messages: readonly Message[]): Omit<ModelRequest, "model">;
  readonly scope: Omit<CallScope, "turnId" | "signal" | "emit" | "guard">;
  /** Called while the model works on its answer, so that resources for a likely call can be prepared. */
  asking?(): void;
  /** Returns messages of processes and child agents since the last time this function was called. */
  inbox(): readonly ArrivedMessage[];
  /** The number of model calls of child agents in this turn. They count towards the limit. */
  callsBelow?(): number;
  /** Called when all results of an answer are stored. */
  settled?(turnId: TurnId): Promise<void>;
  /** Called before an answer ends the turn. Returns remaining work for the model. */
  unfinished?(state: UnfinishedAnswer): Promise<string | undefined>;
  /** Called at the end of the turn. Returns a notice for the user. */
  leftovers?(): UnwrittenNotice | undefined;
  emit(event: AgentEventBody): void;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly limits: { readonly modelCalls: number; readonly retries?: number; readonly verifyNudges?: number };
  /** Stores a hook text that is too long for a prompt. */
  spill?(id: string, text: string, signal: AbortSignal): Promise<Result<{ readonly path: string }>>;
}

/** A message to the session, with entries to store together with it that mark it as delivered. */
export interface ArrivedMessage {
  readonly content: readonly ContentPart[];
  readonly marks?: readonly EntryBody[];
}

/**
 * Runs one turn, from the prompt to the answer. Never rejects. Stores everything before it is shown, and ends within
 * 200 ms of an abort, with a result for every call.
 */
export async function runTurn(
  id: TurnId,
  prompt: UserMessage,
  ports: TurnPorts,
  signal: AbortSignal,
): Promise<TurnOutcome> {
  const state = newTurnState(id, textOf(prompt.content));
  const outcome = await runStored(state, prompt, ports, signal).catch((thrown: unknown) => {
    ports.logger.error("turn.failed", { error: thrown instanceof Error ? (thrown.stack ?? "") : reasonOf(thrown) });
    return outcomeOf(state, "failed", reasonOf(thrown));
  });
  const leftovers = ports.leftovers?.();
  if (leftovers) ports.emit({ type: "notice", level: "warn", ...leftovers });
  await endTurn(id, prompt, outcome, ports);
  return outcome;
}

/** Keeps the draft if storing fails, because it may have the only copy of the answer. */
async function runStored(...turn: Parameters<typeof run>): Promise<TurnOutcome> {
  const outcome = await run(...turn);
  turn[2].draft?.clear();
  return outcome;
}

const badCallLimit = 3;
const cutOffLimit = 4;

async function run(state: TurnState, prompt: UserMessage, ports: TurnPorts, signal: AbortSignal): Promise<TurnOutcome> {
  ports.context.begin();
  await say(prompt, state, ports);
  const addition = await beginTurn(state.id, prompt, ports, signal);
  let maxTokens: number | undefined;
  while (true) {
    if (signal.aborted) return outcomeOf(state, "aborted", abortReason(signal));
    for (const { content, marks } of ports.inbox()) await say({ role: "user", content }, state, ports, marks);
    for (const content of ports.steering.take()) await say({ role: "user", content }, state, ports);
    await ports.context.fit(signal);
    state.usage = addUsage(state.usage, ports.log.takeAuxiliary());
    const refusal = await ports.spend.refusal(state.usage, ports.context.use().tokens);
    if (refusal !== undefined) return outcomeOf(state, "budget", refusal);
    const isLast = state.steps + (ports.callsBelow?.() ?? 0) >= ports.limits.modelCalls;
    const request = nextRequest(state, addition, isLast, maxTokens, ports);
    const reply = await callModel(request, state, ports, signal);
    switch (reply.how) {
      case "redirected":
        continue;
      case "aborted":
        await keepPartial(reply.partial, state, ports);
        return outcomeOf(state, "aborted", abortReason(signal));
      case "refused":
        return outcomeOf(state, "budget", reply.why);
      case "failed": {
        if (reply.error.kind === "context_overflow" || reply.error.kind === "payload_too_large") {
          const shortened = await ports.context.shorten("overflow", undefined, signal);
          if (shortened.ok) continue;
          if (!signal.aborted) return outcomeOf(state, "failed", `${reply.error.message}; ${shortened.error}`);
        }
        if (signal.aborted) continue;
        return outcomeOf(state, "failed", reply.error.message);
      }
      case "answered":
    }
    state.aside = undefined;
    ports.meter.counted(request, { ...reply.usage, input: reply.usage.input - (reply.addedTokens ?? 0) });
    const { message, isCutOff } = repairCalls(reply.message, ports.scope.catalog, ports.log.history.hasCall);
    if (isCutOff && tryRemedy(state, "cut_off", cutOffLimit)) {
      await book(state, reply, ports);
      maxTokens = 2 * (maxTokens ?? Math.max(reply.usage.output, 4096));
      continue;
    }
    if (isLast) {
      await keep({ ...message, calls: [] }, state, reply, ports);
      return outcomeOf(withAnswer(state, message), "budget", stepsUsedUp(ports.limits.modelCalls));
    }
    if (isCutOff)
      return outcomeOf(state, "failed", "The answers of the model were cut off in the middle of a tool call.");
    if (message.calls.length === 0) {
      const next = await afterAnswer(message, state, ports, signal);
      if (next.store) await keep(message, state, reply, ports);
      else await book(state, reply, ports);
      if (next.end && !ports.steering.isWaiting) return outcomeOf(state, next.end.reason, next.end.why);
      // A message that the user sent meanwhile gets its own answer.
      if (next.end) state.answer = [];
      continue;
    }
    beforeCalls(message, state);
    reportInterim(message, state, ports, signal);
    maxTokens = undefined;
    const stored = keep(message, state, reply, ports);
    ports.guardrails.begin();
    // The ledger writes in order after the message, so no call starts before the message is on disk. Hooks are asked
    // meanwhile: a hook that takes long does not delay the write.
    const [results] = await Promise.all([runCalls(message.calls, scopeOf(state, ports, signal), ports), stored]);
    state.toolCalls += message.calls.length;
    state.steps += 1;
    await ports.settled?.(state.id);
    const ending = afterCalls(results, state, ports);
    if (ending) return ending;
  }
}

/** Returns why the turn ends after these results, or undefined if it continues. */
function afterCalls(results: readonly ToolResult[], state: TurnState, ports: TurnPorts): TurnOutcome | undefined {
  const deniedBy = (cause: string) => (result: ToolResult) =>
    !result.ok && isObject(result.error.data) && result.error.data["cause"] === cause;
  state.isDeniedByPerson ||= results.some(deniedBy("person"));
  const stopped = results.find(deniedBy("stopped"));
  if (stopped && !stopped.ok)
    return outcomeOf(state, "denied", deniedText(stopped.error.message, state.isDeniedByPerson));
  const { halt } = ports.guardrails;
  if (halt !== undefined) return outcomeOf(state, "failed", `Stopped, since it was going round in circles: ${halt}.`);
  const areBad = results.every((result) => !result.ok && badKinds.has(result.error.kind));
  if (!areBad) {
    resetRemedies(state);
    return undefined;
  }
  if (tryRemedy(state, "bad_calls", badCallLimit)) return undefined;
  return outcomeOf(
    state,
    "failed",
    `The model asked ${badCallLimit + 1} times in a row for calls that cannot be made.`,
  );
}

const badKinds: ReadonlySet<string> = new Set(["unknown_tool", "invalid_args"]);

function nextRequest(
  state: TurnState,
  addition: Addition | undefined,
  isLast: boolean,
  maxTokens: number | undefined,
  ports: TurnPorts,
): Omit<ModelRequest, "model"> {
  const { messages } = ports.log.history;
  const added = addition && withAddition(messages, addition);
  const aside = isLast ? closing : state.aside;
  const request = ports.request(added?.messages ?? messages);
  return {
    ...request,
    ...(added && request.cacheMarks?.length && { cacheMarks: added.cacheMarks }),
    ...(aside && { messages: [...request.messages, aside] }),
    ...(isLast && { toolChoice: "none" }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
}

const closing: UserMessage = {
  role: "user",
  content: [
    {
      type: "text",
      text: "You can no longer call tools in this turn. Say in a few sentences what is done, what is not, and what should come next.",
    },
  ],
};

/** Stores a message to the model. */
async function say(
  message: UserMessage,
  state: TurnState,
  ports: TurnPorts,
  marks: readonly EntryBody[] = [],
): Promise<void> {
  announce(await ports.log.append([{ type: "message", message, turnId: state.id }, ...marks]), ports);
}

interface Paid {
  readonly usage: Usage;
  readonly by: ModelFacts;
}

/** Stores an answer with its cost, along with its first call, if any. */
async function keep(message: AssistantMessage, state: TurnState, paid: Paid, ports: TurnPorts): Promise<void> {
  count(state, paid, ports);
  const entries = [{ type: "message", message, turnId: state.id } as const, usageOf(state, paid)];
  announce(await ports.log.append(entries, message.calls.length > 0), ports);
}

/** Stores the cost of an answer that is not stored itself. */
async function book(state: TurnState, paid: Paid, ports: TurnPorts): Promise<void> {
  count(state, paid, ports);
  await ports.log.append([usageOf(state, paid)]);
}

function count(state: TurnState, { usage, by }: Paid, ports: TurnPorts): void {
  state.usage = addUsage(state.usage, usage);
  ports.emit({ type: "model.answered", provider: by.provider, model: by.model, usage });
  const { tokens, window, threshold, estimated } = ports.context.use();
  ports.emit({ type: "context.used", tokens, window, threshold, estimated });
  const doubt = ports.spend.doubt(usage, by.model);
  if (doubt !== undefined) ports.emit({ type: "notice", level: "warn", text: doubt });
}

function usageOf(state: TurnState, { usage, by }: Paid) {
  const { provider, model } = by;
  return { type: "usage", turnId: state.id, provider, model, task: "chat", usage } as const;
}

function announce(entries: readonly Entry[], { emit }: TurnPorts): void {
  for (const entry of entries) {
    if (entry.type === "message") emit({ type: "message.added", entry: entry.id, message: entry.message });
  }
}

/** Stores the text of an answer that was stopped. */
async function keepPartial(partial: string, state: TurnState, ports: TurnPorts): Promise<void> {
  if (partial.trim() === "") return;
  state.answer.push(partial);
  const message: AssistantMessage = {
    role: "assistant",
    content: [{ type: "text", text: partial }],
    calls: [],
    stop: "length",
  };
  announce(await ports.log.append([{ type: "message", message, turnId: state.id }]), ports);
}

function scopeOf(state: TurnState, ports: TurnPorts, signal: AbortSignal): CallScope {
  const { guardrails, remark } = ports;
  return {
    ...ports.scope,
    turnId: state.id,
    userTask: state.task,
    requestId: state.requestId,
    signal,
    emit: ports.emit,
    guard: {
      refusal: guardrails.refusal,
      remark(pending, result, signal) {
        // Scripts may repeat calls; only the limits of nested calls apply to them.
        const own = pending.scope.parent ? undefined : guardrails.remark(pending.call, pending.tool, result);
        return whenReady(remark?.(pending, result, signal), (other) =>
          own === undefined || other === undefined ? (own ?? other) : `${own}\n\n${other}`,
        );
      },
    },
  };
}

function withAnswer(state: TurnState, { content }: AssistantMessage): TurnState {
  for (const part of content) if (part.type === "text") state.answer.push(part.text);
  return state;
}

function stepsUsedUp(maxCalls: number): string {
  return `The turn used its ${plural(maxCalls, "model call")} (agent.max_turns). Say "go on" to continue.`;
}

function abortReason({ reason }: AbortSignal): string {
  return typeof reason === "string" ? reason : reasonOf(reason);
}
