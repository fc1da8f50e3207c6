import { asId, type CallId } from "../../base/ids.ts";
import type { AssistantMessage, ToolCall } from "../../contracts/model/message.ts";
import type { AttemptEvent, ModelFacts, ModelProvider, ModelRequest, Usage } from "../../contracts/model/model.ts";

/** The model has no context window. The high number prevents compaction. */
export const offlineFacts: ModelFacts = {
  provider: "offline",
  model: "rules",
  contextTokens: 1_000_000,
  contextSource: "table",
  vision: false,
  price: { input: 0, output: 0 },
  offline: true,
};

/** The built-in model `offline/rules`: fixed rules, no AI. The same messages always get the same answer. */
export function offlineProvider(): ModelProvider {
  return {
    id: offlineFacts.provider,
    async *stream(request, signal): AsyncGenerator<AttemptEvent> {
      if (request.system.length === 0 && request.tools.length === 0) {
        return yield { type: "error", error: { kind: "invalid_request", message: cannotJudge } };
      }
      const { replyTo } = await import("./reply.ts");
      const { text, calls } = replyTo(request.messages, request.tools, request.toolChoice !== "none");
      // Each delta contains a few words, as with other models.
      for (const delta of text.match(/(?:\S+\s*|\s+){1,8}/gu) ?? []) {
        if (signal.aborted) return yield { type: "error", error: { kind: "aborted", message: "stopped" } };
        yield { type: "text", delta };
      }
      const toolCalls = calls.map(({ name, args }, index): ToolCall => ({
        id: asId<CallId>(`call_${request.messages.length}_${index}`),
        name,
        args: JSON.stringify(args),
      }));
      for (const [index, { name, args }] of calls.entries())
        yield { type: "call", index, name, delta: JSON.stringify(args) };
      const message: AssistantMessage = {
        role: "assistant",
        content: text === "" ? [] : [{ type: "text", text }],
        calls: toolCalls,
        stop: toolCalls.length > 0 ? "calls" : "end",
      };
      yield { type: "finish", message, usage: usageOf(request, message) };
    },
  };
}

const cannotJudge = "The offline model follows fixed rules: it cannot summarise, name or judge a text.";

function usageOf({ system, messages, tools }: ModelRequest, answer: AssistantMessage): Usage {
  const input = Math.ceil(JSON.stringify([system, messages, tools]).length / 4);
  const output = Math.ceil(JSON.stringify(answer).length / 4);
  return { input, output, cacheRead: 0, cacheWrite: 0, reasoning: 0, costUsd: 0, estimated: true };
}
