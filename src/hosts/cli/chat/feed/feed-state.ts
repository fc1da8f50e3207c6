import type { CallId } from "../../../../base/ids.ts";
import type { JsonObject } from "../../../../base/json.ts";
import { withoutUndefined } from "../../../../base/without-undefined.ts";
import type { RetryCount } from "../../../../contracts/model/model.ts";
import type { AgentStatus } from "../../../../contracts/session/agents.ts";
import type { AgentEvent } from "../../../../contracts/session/event.ts";
import { type TodoItem, todoStatuses } from "../../../../contracts/session/todo.ts";

/** The visible state of a turn. Independent of settings and terminal, so that every display can share it. */
export interface FeedState {
  /** Items in the order of their first event. Text that is still streaming is the last item of its kind. */
  readonly items: readonly FeedItem[];
  /** The index of the item that the last event added or changed. */
  readonly changed?: number;
  /** Increases when an answer ends: a code block left open in one answer is closed in the next. */
  readonly answer: number;
  /** Set while the model was called and has not answered yet. `seq`: the sequence number of the call. */
  readonly waiting?: { readonly seq: number; readonly model: string; readonly isThinking: boolean };
  /** Set while an answer streams: its model, and the time of its last text. */
  readonly answering?: { readonly model: string; readonly at: number };
  /** Set from a failed request until the model answers again, or another reaction follows. */
  readonly retrying?: Retrying;
  readonly lastTool: string;
  /** Child agents, in the order of their first event; those of earlier turns only while they run. */
  readonly agents: readonly AgentStatus[];
  /** The child that the last event changed, and its state before. */
  readonly changedAgent?: { readonly now: AgentStatus; readonly before?: AgentStatus["state"] };
  /** The plan after the last call of `todo`. */
  readonly plan: readonly TodoItem[];
  /** True if this turn has changed the plan. */
  readonly isPlanNew: boolean;
  /** How full the window is. */
  readonly context?: ContextFill;
  /** The number of compactions so far. */
  readonly compactions: number;
  readonly isOver: boolean;
  /** Calls that still ran when the turn ended. Set by the end of a turn. */
  readonly interrupted?: readonly CallItem[];
}

/** A request that is sent again at `nextAt`. */
export interface Retrying {
  readonly message: string;
  readonly retry: RetryCount;
  readonly nextAt: number;
}

export type ContextFill = Pick<
  Extract<AgentEvent, { type: "context.used" }>,
  "tokens" | "window" | "threshold" | "estimated"
>;

export type FeedItem =
  | TextItem
  | CallItem
  | Extract<
      AgentEvent,
      { type: "model.failed" | "model.consulted" | "context.compacting" | "context.compacted" | "notice" }
    >;

export interface TextItem {
  readonly type: "answer" | "reasoning";
  /** The number of its answer. */
  readonly answer: number;
  readonly text: string;
  /** Text that the last event added. */
  readonly delta: string;
}

export interface CallItem {
  readonly type: "call";
  readonly callId: CallId;
  readonly name: string;
  readonly args: JsonObject;
  /** True: the previous call was of the same tool. */
  readonly isRepeat: boolean;
  readonly startedAt: number;
  /** The number of calls that this call has made so far, and the tool of the last one. */
  readonly nested?: { readonly calls: number; readonly tool: string };
  /** The last lines that the call has printed so far. Untrusted. */
  readonly printed: readonly string[];
  /** Undefined while it runs. */
  readonly result?: CallResult;
}

export type CallResult = Pick<
  Extract<AgentEvent, { type: "tool.finished" }>,
  "failed" | "summary" | "durationMs" | "output" | "linesBefore" | "diff" | "pictures" | "denied"
>;

export const emptyFeed: FeedState = {
  items: [],
  answer: 0,
  lastTool: "",
  agents: [],
  plan: [],
  isPlanNew: false,
  compactions: 0,
  isOver: false,
};

/** The state after an event. Pure: the same events give the same state. A new turn starts without items. */
export function reduceFeed(before: FeedState, event: AgentEvent): FeedState {
  const {
    changed: _,
    changedAgent: __,
    interrupted: ___,
    waiting,
    answering,
    retrying,
    ...kept
  } = before.isOver && event.type !== "agent.changed" ? nextTurn(before) : before;
  const state: FeedState = {
    ...kept,
    answer: kept.answer + (endsAnswer(event) ? 1 : 0),
    ...(waiting && !endsWaiting.has(event.type) && { waiting }),
    ...(answering && !endsAnswering.has(event.type) && { answering }),
    ...(retrying && !endsRetrying.has(event.type) && { retrying }),
  };
  switch (event.type) {
    case "model.called":
      return {
        ...state,
        waiting: {
          seq: event.seq,
          model: `${event.provider}/${event.model}`,
          isThinking: waiting?.isThinking ?? false,
        },
      };
    case "text.delta": {
      const model = waiting?.model ?? answering?.model;
      const now = model === undefined ? state : { ...state, answering: { model, at: event.at } };
      return withText(now, "answer", event.delta);
    }
    case "reasoning.delta":
      return withText(
        { ...state, ...(waiting && { waiting: { ...waiting, isThinking: true } }) },
        "reasoning",
        event.delta,
      );
    case "tool.started": {
      const { callId, name, args, parentCallId } = event;
      if (parentCallId !== undefined) return withNested(state, parentCallId, name);
      const isRepeat = name === state.lastTool;
      const item: CallItem = { type: "call", callId, name, args, isRepeat, startedAt: event.at, printed: [] };
      return { ...withItem(state, item), lastTool: name };
    }
    case "tool.finished": {
      const { failed, summary, durationMs, output, linesBefore, diff, pictures, denied } = event;
      const result = {
        failed,
        summary,
        durationMs,
        ...withoutUndefined({ output, linesBefore, diff, pictures, denied }),
      };
      return withPlan(withCall(state, event.callId, { printed: [], result }), failed);
    }
    case "tool.printed":
      return withCall(state, event.callId, { printed: event.lines });
    case "tool.progressed":
      return withCall(state, event.callId, { printed: [event.note] });
    case "context.used": {
      const { tokens, window, threshold, estimated } = event;
      return { ...state, context: { tokens, window, threshold, estimated } };
    }
    case "model.failed": {
      const { retry, waitMs = 0, error } = event;
      const failed = retry && { retrying: { message: error.message, retry, nextAt: event.at + waitMs } };
      return withItem({ ...state, ...failed }, event);
    }
    case "model.consulted":
    case "context.compacting":
    case "notice":
      return withItem(state, event);
    case "context.compacted":
      return { ...withItem(state, event), compactions: state.compactions + 1 };
    case "agent.changed":
      return withAgent(state, event.agent);
    case "turn.finished":
      return { ...state, interrupted: interruptedCalls(state, event.at), isOver: true };
    default:
      return state;
  }
}

/** True: the last item is a failure after a part of the answer was shown. */
export function hasCutAnswer({ items }: FeedState): boolean {
  return items.at(-1)?.type === "model.failed" && items.at(-2)?.type === "answer";
}

/** The results of these calls come after the end of the turn, too late to be shown. */
function interruptedCalls({ items }: FeedState, endedAt: number): readonly CallItem[] {
  return items.flatMap((item) => {
    if (item.type !== "call" || item.result) return [];
    const { printed, startedAt } = item;
    const output = printed.length === 0 ? {} : { output: printed.join("\n") };
    return [{ ...item, result: { failed: true, summary: "interrupted", durationMs: endedAt - startedAt, ...output } }];
  });
}

/** Keeps child agents that run in the background, because they outlive the turn. */
function nextTurn(before: FeedState): FeedState {
  const agents = before.agents.filter(({ state }) => state === "running" || state === "waiting");
  return { ...before, items: [], agents, isPlanNew: false, isOver: false };
}

function withAgent(state: FeedState, now: AgentStatus): FeedState {
  const index = state.agents.findIndex(({ agentId }) => agentId === now.agentId);
  const earlier = state.agents[index];
  const agents = earlier ? state.agents.with(index, now) : [...state.agents, now];
  return { ...state, agents, changedAgent: { now, ...(earlier && { before: earlier.state }) } };
}

function withItem(state: FeedState, item: FeedItem): FeedState {
  return { ...state, items: [...state.items, item], changed: state.items.length };
}

/** Changes a running call. */
function withCall(state: FeedState, callId: CallId, change: Pick<CallItem, "printed" | "result">): FeedState {
  const index = state.items.findLastIndex((item) => item.type === "call" && item.callId === callId);
  const call = state.items[index];
  if (call?.type !== "call" || call.result) return state;
  return { ...state, items: state.items.with(index, { ...call, ...change }), changed: index };
}

/** The plan after a finished call of `todo`: the list itself, or changes of items by their id. */
function withPlan(state: FeedState, failed: boolean): FeedState {
  const call = state.changed === undefined ? undefined : state.items[state.changed];
  if (failed || call?.type !== "call" || call.name !== "todo" || !Array.isArray(call.args["todos"])) return state;
  const items = call.args["todos"].filter(isTodoItem);
  if (call.args["merge"] !== true) return { ...state, plan: items, isPlanNew: true };
  const plan = new Map(state.plan.map((item) => [item.id, item]));
  for (const item of items) plan.set(item.id, item);
  return { ...state, plan: [...plan.values()], isPlanNew: true };
}

/** Arguments come from a model, so their shape is checked. */
function isTodoItem(value: unknown): value is TodoItem {
  if (typeof value !== "object" || value === null) return false;
  const { id, content, status } = value as Readonly<Record<string, unknown>>;
  return typeof id === "string" && typeof content === "string" && todoStatuses.some((each) => each === status);
}

/** Counts a call that a running call made. */
function withNested(state: FeedState, parent: CallId, tool: string): FeedState {
  const index = state.items.findLastIndex((item) => item.type === "call" && item.callId === parent);
  const call = state.items[index];
  if (call?.type !== "call" || call.result) return state;
  const nested = { calls: (call.nested?.calls ?? 0) + 1, tool };
  return { ...state, items: state.items.with(index, { ...call, nested }), changed: index };
}

/** Appends to the last item if it has the same kind and answer. */
function withText(state: FeedState, type: TextItem["type"], delta: string): FeedState {
  const index = state.items.length - 1;
  const last = state.items[index];
  const { answer } = state;
  if (last?.type !== type || last.answer !== answer) return withItem(state, { type, answer, text: delta, delta });
  const item: TextItem = { type, answer, text: last.text + delta, delta };
  return { ...state, items: state.items.with(index, item), changed: index };
}

const endsWaiting: ReadonlySet<AgentEvent["type"]> = new Set([
  "text.delta",
  "tool.started",
  "model.answered",
  "model.failed",
  "turn.finished",
]);

const endsAnswering: ReadonlySet<AgentEvent["type"]> = new Set([
  "model.called",
  "tool.started",
  "model.answered",
  "model.failed",
  "turn.finished",
]);

const endsRetrying: ReadonlySet<AgentEvent["type"]> = new Set([
  "text.delta",
  "reasoning.delta",
  "tool.started",
  "model.answered",
  "model.failed",
  "turn.finished",
]);

/** An answer that was cut off at the token limit continues in the next answer. */
function endsAnswer(event: AgentEvent): boolean {
  // A cut answer continues in the next message.
  if (event.type === "message.added") {
    const { message } = event;
    return message.role === "user" || (message.role === "assistant" && message.stop === "end");
  }
  const isStart = event.type === "tool.started" && event.parentCallId === undefined;
  return isStart || event.type === "model.failed" || event.type === "turn.finished";
}
