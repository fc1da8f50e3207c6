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

/** OpenAI responses. */
export const responsesDialect: Dialect = {
  wantsStream: ({ json }) => json["stream"] === true,
  stream(turn, request, number) {
    const events: StreamedEvent[] = [];
    let sequence = 0;
    const send = (type: string, more: JsonObject, end = false): void => {
      events.push({ event: type, data: { type, sequence_number: sequence++, ...more }, ...(end ? { end } : {}) });
    };
    const started = { id: `resp_${number}`, object: "response", status: "in_progress", output: [] };
    send("response.created", { response: started });
    send("response.in_progress", { response: started });
    for (const [output_index, item] of items(turn, number).entries()) {
      const item_id = item["id"] ?? "";
      const place = { item_id, output_index };
      send("response.output_item.added", { output_index, item: { ...item, ...emptied(item) } });
      if (item["type"] === "reasoning") {
        send("response.reasoning_summary_part.added", {
          ...place,
          summary_index: 0,
          part: { type: "summary_text", text: "" },
        });
        for (const delta of piecesOf(turn.reasoning))
          send("response.reasoning_summary_text.delta", { ...place, summary_index: 0, delta });
      } else if (item["type"] === "message") {
        send("response.content_part.added", { ...place, content_index: 0, part: { type: "output_text", text: "" } });
        for (const delta of piecesOf(turn.text))
          send("response.output_text.delta", { ...place, content_index: 0, delta });
        send("response.output_text.done", { ...place, content_index: 0, text: piecesOf(turn.text).join("") });
      } else {
        const call = turn.calls?.find((one, index) => callId(one, number, index) === item["call_id"]);
        for (const delta of call ? argumentPieces(call) : [])
          send("response.function_call_arguments.delta", { ...place, delta });
        send("response.function_call_arguments.done", { ...place, arguments: item["arguments"] ?? "" });
      }
      send("response.output_item.done", { output_index, item });
    }
    for (const data of turn.events ?? []) events.push({ data });
    if (turn.errorInStream) {
      const { message, code = "server_error" } = turn.errorInStream;
      send("response.failed", { response: { ...started, status: "failed", error: { code, message } } });
      return events;
    }
    const whole = responsesDialect.whole(turn, request, number);
    send(stopOf(turn) === "length" ? "response.incomplete" : "response.completed", { response: whole }, true);
    return events;
  },
  whole(turn, { json }, number) {
    const usage = usageOf(turn);
    const stop = stopOf(turn);
    return {
      id: `resp_${number}`,
      object: "response",
      status: stop === "length" ? "incomplete" : "completed",
      incomplete_details: stop === "length" ? { reason: "max_output_tokens" } : null,
      model: json["model"] ?? "m",
      output: items(turn, number),
      ...(usage
        ? {
            usage: {
              input_tokens: usage.input,
              input_tokens_details: { cached_tokens: usage.cacheRead },
              output_tokens: usage.output,
              output_tokens_details: { reasoning_tokens: usage.reasoning },
              total_tokens: usage.input + usage.output,
            },
          }
        : {}),
    };
  },
  error: ({ message, type = "invalid_request_error", code }) => ({
    error: { message, type, param: null, code: code ?? null },
  }),
};

function items(turn: ScriptedTurn, number: number): readonly JsonObject[] {
  const matches: JsonObject[] = [];
  const reasoning = piecesOf(turn.reasoning).join("");
  if (reasoning !== "")
    matches.push({
      type: "reasoning",
      id: `rs_${number}`,
      summary: [{ type: "summary_text", text: reasoning }],
      encrypted_content: `sealed-${number}`,
    });
  const text = piecesOf(turn.text).join("");
  if (text !== "") {
    const part =
      stopOf(turn) === "refused"
        ? { type: "refusal", refusal: text }
        : { type: "output_text", text, annotations: [], logprobs: [] };
    matches.push({ type: "message", id: `msg_${number}`, role: "assistant", status: "completed", content: [part] });
  }
  for (const [index, call] of (turn.calls ?? []).entries())
    matches.push({
      type: "function_call",
      id: `fc_${number}_${index}`,
      call_id: callId(call, number, index),
      name: call.name,
      ...(call.namespace === undefined ? {} : { namespace: call.namespace }),
      arguments: argumentPieces(call).join(""),
      status: "completed",
    });
  return matches;
}

/** An item as it looks when it begins. */
function emptied(item: JsonObject): JsonObject {
  if (item["type"] === "reasoning") return { summary: [], encrypted_content: null };
  return item["type"] === "message" ? { content: [], status: "in_progress" } : { arguments: "", status: "in_progress" };
}
