import { asId, type CallId } from "../../base/ids.ts";
import type { AssistantMessage, Message, ToolCall } from "../../contracts/model/message.ts";
import type { AttemptEvent, ModelFacts, ModelProvider, ModelRequest, Usage } from "../../contracts/model/model.ts";

/** How it is named: `offline/rules`. */
const offlineModel = "rules";

/** What is known of it. It has no window: the number keeps conversations from being shortened. */
export const offlineFacts: ModelFacts = {
  provider: "offline",
  model: offlineModel,
  contextTokens: 1_000_000,
  contextSource: "table",
  vision: false,
  price: { input: 0, output: 0 },
  offline: true,
};

/** The built-in model: rule-based, no AI. The same request always gets the same answer; nothing leaves the machine. */
export function offlineProvider(): ModelProvider {
  return {
    id: offlineFacts.provider,
    async *stream(request, signal): AsyncGenerator<AttemptEvent> {
      if (request.system.length === 0 && request.tools.length === 0) {
        return yield { type: "error", error: { kind: "invalid_request", message: noSmallQuestions } };
      }
      const { replyTo } = await import("./exchange.ts");
      const { text, calls } = replyTo(request.messages, request.tools, request.toolChoice !== "none");
      for (const delta of piecesOf(text)) {
        if (signal.aborted) return yield { type: "error", error: { kind: "aborted", message: "stopped" } };
        yield { type: "text", delta };
      }
      const asked = calls.map(({ name, args }, at): ToolCall => ({
        id: asId<CallId>(`call_${request.messages.length}_${at}`),
        name,
        args: JSON.stringify(args),
      }));
      for (const [index, { name, args }] of calls.entries())
        yield { type: "call", index, name, delta: JSON.stringify(args) };
      const message: AssistantMessage = {
        role: "assistant",
        content: text === "" ? [] : [{ type: "text", text }],
        calls: asked,
        stop: asked.length > 0 ? "calls" : "end",
      };
      yield { type: "finish", message, usage: usageOf(request, message) };
    },
  };
}

const noSmallQuestions = "The offline model is rule-based, no AI: it cannot sum up, name or judge a text.";

/** A few words at a time, as from any other model. */
function piecesOf(text: string): readonly string[] {
  return text.match(/(?:\S+\s*|\s+){1,8}/gu) ?? [];
}

function usageOf({ system, messages, tools }: ModelRequest, answer: AssistantMessage): Usage {
  const chars =
    system.reduce((sum, { text }) => sum + text.length, 0) +
    messages.reduce((sum, message) => sum + charsOf(message), 0) +
    tools.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  return {
    input: tokens(chars),
    output: tokens(charsOf(answer)),
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
    costUsd: 0,
    estimated: true,
  };
}

function charsOf(message: Message): number {
  const calls = message.role === "assistant" ? message.calls : [];
  return (
    message.content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0) +
    calls.reduce((sum, { name, args }) => sum + name.length + (typeof args === "string" ? args.length : 100), 0)
  );
}

function tokens(chars: number): number {
  return Math.ceil(chars / 4);
}
