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

/** Anthropic messages. */
export const anthropicDialect: Dialect = {
  wantsStream: ({ json }) => json["stream"] === true,
  stream(turn, { json }, number) {
    const events: StreamedEvent[] = [];
    const send = (type: string, more: JsonObject, end = false): void => {
      events.push({ event: type, data: { type, ...more }, ...(end ? { end } : {}) });
    };
    const usage = usageOf(turn);
    const message = {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: json["model"] ?? "m",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      ...(usage ? { usage: { ...inputUsage(turn), output_tokens: 1 } } : {}),
    };
    send("message_start", { message });
    send("ping", {});
    let index = 0;
    const block = (start: JsonObject, deltas: readonly JsonObject[]): void => {
      send("content_block_start", { index, content_block: start });
      for (const delta of deltas) send("content_block_delta", { index, delta });
      send("content_block_stop", { index });
      index += 1;
    };
    const reasoning = piecesOf(turn.reasoning);
    if (reasoning.length > 0)
      block({ type: "thinking", thinking: "", signature: "" }, [
        ...reasoning.map((thinking) => ({ type: "thinking_delta", thinking })),
        { type: "signature_delta", signature: `signed-${number}` },
      ]);
    const text = piecesOf(turn.text);
    if (text.length > 0)
      block(
        { type: "text", text: "" },
        text.map((piece) => ({ type: "text_delta", text: piece })),
      );
    for (const [index, call] of (turn.calls ?? []).entries())
      block(
        { type: "tool_use", id: callId(call, number, index), name: call.name, input: {} },
        argumentPieces(call).map((partial_json) => ({ type: "input_json_delta", partial_json })),
      );
    for (const data of turn.events ?? [])
      events.push({ ...(typeof data["type"] === "string" ? { event: data["type"] } : {}), data });
    if (turn.errorInStream) {
      events.push({ event: "error", data: anthropicDialect.error(turn.errorInStream) });
      return events;
    }
    send(
      "message_delta",
      {
        delta: { stop_reason: stopReason(turn), stop_sequence: null },
        ...(usage ? { usage: { output_tokens: usage.output } } : {}),
      },
      true,
    );
    send("message_stop", {}, true);
    return events;
  },
  whole(turn, { json }, number) {
    const usage = usageOf(turn);
    const reasoning = piecesOf(turn.reasoning).join("");
    const text = piecesOf(turn.text).join("");
    return {
      id: `msg_${number}`,
      type: "message",
      role: "assistant",
      model: json["model"] ?? "m",
      content: [
        ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature: `signed-${number}` }]),
        ...(text === "" ? [] : [{ type: "text", text }]),
        ...(turn.calls ?? []).map((call, index) => ({
          type: "tool_use",
          id: callId(call, number, index),
          name: call.name,
          input: inputOf(argumentPieces(call).join("")),
        })),
      ],
      stop_reason: stopReason(turn),
      stop_sequence: null,
      ...(usage ? { usage: { ...inputUsage(turn), output_tokens: usage.output } } : {}),
    };
  },
  error: ({ message, type = "invalid_request_error" }) => ({ type: "error", error: { type, message } }),
};

function inputOf(text: string): JsonObject {
  // An object that the test wrote.
  return text === "" ? {} : (JSON.parse(text) as JsonObject);
}

/** Anthropic counts tokens read from and written to the cache separately. */
function inputUsage(turn: ScriptedTurn): JsonObject {
  const usage = usageOf(turn);
  if (!usage) return {};
  return {
    input_tokens: usage.input - usage.cacheRead - usage.cacheWrite,
    cache_read_input_tokens: usage.cacheRead,
    cache_creation_input_tokens: usage.cacheWrite,
  };
}

function stopReason(turn: ScriptedTurn): string {
  return { end: "end_turn", calls: "tool_use", length: "max_tokens", refused: "refusal" }[stopOf(turn)];
}
