import { z } from "zod";

import { systemClock } from "../../src/base/clock.ts";
import { asId, type AgentId, type SessionId } from "../../src/base/ids.ts";
import type { Logger } from "../../src/base/log/log.ts";
import type { ContextEngine } from "../../src/contracts/model/context.ts";
import type { Message, UserMessage } from "../../src/contracts/model/message.ts";
import type { ModelClient, ModelRequest } from "../../src/contracts/model/model.ts";
import type { AgentEvent, TurnOutcome } from "../../src/contracts/session/event.ts";
import { defineTool } from "../../src/contracts/tool/define-tool.ts";
import { text } from "../../src/contracts/tool/tool-result.ts";
import type { Tool } from "../../src/contracts/tool/tool.ts";
import { createContextKeeper, type ContextMeter } from "../../src/kernel/loop/context-keeper.ts";
import { type Conversation, createConversation } from "../../src/kernel/loop/conversation.ts";
import { createEventHub, type EventHub } from "../../src/kernel/loop/event-hub.ts";
import { createGuardrails } from "../../src/kernel/loop/guardrails.ts";
import { createSessionLog, type SessionLog } from "../../src/kernel/loop/record/session-log.ts";
import { createSpendGuard, type SpendCaps } from "../../src/kernel/loop/spend-guard.ts";
import { createSteering } from "../../src/kernel/loop/steering.ts";
import { runTurn, type TurnPorts } from "../../src/kernel/loop/turn.ts";
import { dispatchRig, type Rig } from "./dispatch-rig.ts";
import { memoryStore } from "./memory-store.ts";

/** A tool that may run in parallel and changes nothing. */
export const echo = defineTool({
  name: "echo",
  toolset: "test",
  description: "Says it again",
  input: z.object({ words: z.string() }),
  traits: { readOnly: true, parallel: true },
  run: async ({ words }) => text(`echo ${words}`),
});

export interface TurnRig {
  readonly conversation: Conversation;
  readonly log: SessionLog;
  readonly hub: EventHub;
  readonly rig: Rig;
  readonly store: ReturnType<typeof memoryStore>;
  ask(text: string): Promise<{ readonly outcome: TurnOutcome; readonly events: readonly AgentEvent[] }>;
}

export interface TurnRigOptions {
  readonly model: ModelClient;
  readonly tools?: readonly Tool[];
  readonly engine?: ContextEngine;
  readonly caps?: SpendCaps;
  readonly ports?: Partial<TurnPorts>;
}

/** A conversation over a real dispatcher and a store in memory. */
export function turnRig({ model, tools = [], engine = noEngine, caps, ports = {} }: TurnRigOptions): TurnRig {
  const clock = systemClock;
  const store = memoryStore();
  const sessionId = asId<SessionId>("ses_test");
  const log = createSessionLog(sessionId, [], store);
  const rig = dispatchRig(tools, { ledger: log.ledger });
  const hub = createEventHub({ sessionId, agentId: asId<AgentId>("agent_test") }, { clock, log: logger });
  const steering = createSteering();
  const request = (messages: readonly Message[]) => ({ system: [{ text: "You are Hermes." }], messages, tools: [] });
  const context = createContextKeeper({
    engine,
    meter,
    log,
    request: () => request(log.history.messages),
    model: () => model.facts(),
    carry: async () => ({ todos: [], files: [], approvals: [], processes: [] }),
    shortened() {},
    hooks: rig.hooks,
    sessionId,
    emit: hub.emit,
  });
  const { signal: _, emit: __, ...scope } = rig.scope();
  const turn: TurnPorts = {
    model: () => model,
    dispatcher: rig.dispatcher,
    log,
    context,
    meter,
    spend: createSpendGuard(
      caps ?? { usd: {}, tokens: {} },
      { sessionId, principal: scope.principal },
      { store, clock },
    ),
    steering,
    guardrails: createGuardrails(),
    hooks: rig.hooks,
    request,
    scope,
    inbox: () => [],
    emit: hub.emit,
    clock,
    logger,
    limits: { modelCalls: 20 },
    ...ports,
  };
  const conversation = createConversation({
    hub,
    steering,
    run: (id, prompt, signal) => runTurn(id, prompt, turn, signal),
    queueChanged: async () => {},
    log: logger,
  });
  return {
    conversation,
    log,
    hub,
    rig,
    store,
    async ask(text) {
      const { events, done } = conversation.prompt(user(text).content);
      const seen: AgentEvent[] = [];
      for await (const event of events()) seen.push(event);
      return { outcome: await done, events: seen };
    },
  };
}

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function textOf(message: Message | undefined): string {
  return message?.content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("") ?? "";
}

const logger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  with: () => logger,
};

const noEngine: ContextEngine = {
  name: "none",
  threshold: () => Infinity,
  fit: async () => ({ failed: "there is no engine" }),
};

const chars = (request: Omit<ModelRequest, "model">) => JSON.stringify(request.messages).length;
const meter: ContextMeter = {
  counted() {},
  size: (request) => ({ tokens: Math.ceil(chars(request) / 4), estimated: true }),
  fixed: () => 10,
};
