import type { JsonObject } from "../../../src/base/json.ts";
import {
  argumentPieces,
  callId,
  piecesOf,
  stopOf,
  usageOf,
  type Dialect,
  type ScriptedTurn,
  type StreamedEvent,
} from "./turn.ts";

/** OpenAI chat completions. */
export const chatDialect: Dialect = {
  wantsStream: ({ json }) => json["stream"] === true,
  stream(turn, { json }, number) {
    const head = { id: `chatcmpl-${number}`, object: "chat.completion.chunk", created: 1, model: json["model"] ?? "m" };
    const chunk = (delta: JsonObject, finish: string | null = null): JsonObject => ({
      ...head,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
    const events: StreamedEvent[] = [{ data: chunk({ role: "assistant", content: "" }) }];
    for (const piece of piecesOf(turn.reasoning)) events.push({ data: chunk({ reasoning_content: piece }) });
    for (const piece of piecesOf(turn.text)) events.push({ data: chunk({ content: piece }) });
    for (const [index, call] of (turn.calls ?? []).entries()) {
      const start = {
        index,
        id: callId(call, number, index),
        type: "function",
        function: { name: call.name, arguments: "" },
      };
      events.push({ data: chunk({ tool_calls: [start] }) });
      for (const piece of argumentPieces(call))
        events.push({ data: chunk({ tool_calls: [{ index, function: { arguments: piece } }] }) });
    }
    for (const data of turn.events ?? []) events.push({ data });
    if (turn.errorInStream) return [...events, { data: { ...head, ...chatDialect.error(turn.errorInStream) } }];
    events.push({ data: chunk({}, finishReason(turn)), end: true });
    const usage = wireUsage(turn);
    if (usage) events.push({ data: { ...head, choices: [], usage } });
    events.push({ data: "[DONE]", end: true });
    return events;
  },
  whole(turn, { json }, number) {
    const text = piecesOf(turn.text).join("");
    const reasoning = piecesOf(turn.reasoning).join("");
    const calls = (turn.calls ?? []).map((call, index) => ({
      id: callId(call, number, index),
      type: "function",
      function: { name: call.name, arguments: argumentPieces(call).join("") },
    }));
    const message: JsonObject = {
      role: "assistant",
      content: text === "" && calls.length > 0 ? null : text,
      ...(reasoning === "" ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
    };
    const usage = wireUsage(turn);
    return {
      id: `chatcmpl-${number}`,
      object: "chat.completion",
      created: 1,
      model: json["model"] ?? "m",
      choices: [{ index: 0, message, finish_reason: finishReason(turn) }],
      ...(usage ? { usage } : {}),
    };
  },
  error: ({ message, type = "invalid_request_error", code }) => ({
    error: { message, type, param: null, code: code ?? null },
  }),
};

function finishReason(turn: ScriptedTurn): string {
  return { end: "stop", calls: "tool_calls", length: "length", refused: "content_filter" }[stopOf(turn)];
}

function wireUsage(turn: ScriptedTurn): JsonObject | undefined {
  const usage = usageOf(turn);
  return (
    usage && {
      prompt_tokens: usage.input,
      completion_tokens: usage.output,
      total_tokens: usage.input + usage.output,
      prompt_tokens_details: { cached_tokens: usage.cacheRead },
      completion_tokens_details: { reasoning_tokens: usage.reasoning },
    }
  );
}
