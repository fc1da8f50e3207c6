import { isObject, type JsonObject } from "../../../base/json.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { Usage } from "../../../contracts/model/model.ts";
import type { AnswerDecoder, AnswerContext, DecoderState } from "../adapter.ts";
import { createAnswerDraft, readTokenCount, type CallDraft } from "../answer-draft.ts";

/** Parses the events of a stream, or a whole response. */
export function createResponsesDecoder(context: AnswerContext): AnswerDecoder {
  const draft = createAnswerDraft(context);
  /** The output items by index, to be sent back in later requests. */
  const items: JsonObject[] = [];
  const calls = new Map<string, CallDraft>();
  /** The indexes of outputs whose content was streamed. The final item repeats that content. */
  const streamed = new Set<string>();
  let usage: Usage | undefined;
  let refused = false;
  let stop: AssistantMessage["stop"] = "end";
  let state: DecoderState = { is: "open" };

  function isNothingRead(): boolean {
    return items.length === 0 && streamed.size === 0;
  }

  function callAt(place: string): CallDraft {
    const call = calls.get(place) ?? draft.addCall();
    calls.set(place, call);
    return call;
  }

  function finishItem(item: Record<string, unknown>, place: string): void {
    switch (item["type"]) {
      case "message": {
        if (!streamed.has(place)) for (const part of list(item["content"])) sayPart(part);
        if (list(item["content"]).some((part) => part["type"] === "refusal")) refused = true;
        if (draft.textSoFar() === "") return;
        draft.breakText();
        items.push({ type: "message", ...(typeof item["phase"] === "string" ? { phase: item["phase"] } : {}) });
        return;
      }
      case "reasoning": {
        const parts = [...list(item["summary"]), ...list(item["content"])];
        if (!streamed.has(place)) draft.reasoning(parts.map(textIn).join("\n\n"));
        // Only encrypted reasoning can be sent back, because the provider stores nothing.
        if (typeof item["encrypted_content"] === "string") {
          // Safe cast: the value was parsed from JSON.
          const { id: _id, status: _status, content: _content, ...sealed } = item as JsonObject;
          items.push(sealed);
        }
        return;
      }
      case "function_call": {
        const call = callAt(place);
        if (typeof item["call_id"] === "string") call.id = item["call_id"];
        if (typeof item["name"] === "string") call.named(item["name"]);
        if (!streamed.has(place) && typeof item["arguments"] === "string") call.argued(item["arguments"]);
        items.push({ type: "function_call" });
      }
    }
  }

  function sayPart(part: Record<string, unknown>): void {
    if (part["type"] === "refusal") refused = true;
    draft.text(textIn(part));
  }

  function finishResponse(response: Record<string, unknown>, isWhole: boolean, event = ""): void {
    if (isWhole) for (const [index, item] of list(response["output"]).entries()) finishItem(item, String(index));
    if (isObject(response["usage"])) usage = usageOf(response["usage"]);
    const details = isObject(response["incomplete_details"]) ? response["incomplete_details"] : {};
    const is = (status: string) => response["status"] === status || event === `response.${status}`;
    if (is("failed") || isObject(response["error"])) state = { is: "failed", error: response };
    else {
      if (details["reason"] === "content_filter") refused = true;
      else if (is("incomplete")) stop = "length";
      state = { is: "ended" };
    }
  }

  function event(type: string, value: Record<string, unknown>): boolean {
    const delta = typeof value["delta"] === "string" ? value["delta"] : "";
    const item = isObject(value["item"]) ? value["item"] : {};
    const place = placeIn([value["output_index"], value["item_id"], item["id"], item["call_id"]]);
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        if (type === "response.refusal.delta") refused = true;
        streamed.add(place);
        draft.text(delta);
        return true;
      case "response.reasoning_summary_part.added":
        if (streamed.has(place)) draft.reasoning("\n\n");
        return true;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        streamed.add(place);
        draft.reasoning(delta);
        return true;
      case "response.output_item.added":
        if (item["type"] === "function_call") {
          const call = callAt(place);
          if (typeof item["call_id"] === "string") call.id = item["call_id"];
          if (typeof item["name"] === "string") call.named(item["name"]);
        }
        return true;
      case "response.function_call_arguments.delta":
        streamed.add(place);
        callAt(place).argued(delta);
        return true;
      case "response.output_text.done":
        if (!streamed.has(place)) draft.text(textIn(value));
        streamed.add(place);
        return true;
      case "response.function_call_arguments.done":
        if (!streamed.has(place) && typeof value["arguments"] === "string") callAt(place).argued(value["arguments"]);
        streamed.add(place);
        return true;
      case "response.output_item.done":
        finishItem(item, place);
        return true;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
      case "response.done":
        if (isObject(value["response"])) finishResponse(value["response"], isNothingRead(), type);
        return true;
      case "error":
        state = { is: "failed", error: value };
        return true;
      default:
        return type !== "keepalive" && type !== "ping";
    }
  }

  return {
    json(value, name) {
      const type = typeof value["type"] === "string" ? value["type"] : name;
      const isResponse = value["object"] === "response" || (type === undefined && Array.isArray(value["output"]));
      if (isResponse && (type === undefined || type === "response")) {
        finishResponse(value, isNothingRead());
        return true;
      }
      if (isResponse && !isObject(value["response"])) return event(type ?? "", { response: value });
      if (isObject(value["error"]) && (type === undefined || type === "error")) {
        state = { is: "failed", error: value };
        return true;
      }
      return type !== undefined && event(type, value);
    },
    done() {
      if (state.is === "open" && (items.length > 0 || streamed.size > 0)) state = { is: "ended" };
    },
    state: () => state,
    answer() {
      const sealed = items.some((item) => item["type"] === "reasoning" || item["phase"] !== undefined);
      const data = sealed ? { items } : undefined;
      return { message: draft.finish({ stop: refused ? "refused" : stop, data }), usage };
    },
  };
}

function placeIn(names: readonly unknown[]): string {
  return String(names.find((name) => typeof name === "number" || typeof name === "string"));
}

function list(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function textIn(part: Record<string, unknown>): string {
  const text = part["text"] ?? part["refusal"];
  return typeof text === "string" ? text : "";
}

function usageOf(usage: Record<string, unknown>): Usage {
  const sent = isObject(usage["input_tokens_details"]) ? usage["input_tokens_details"] : {};
  const outputDetails = isObject(usage["output_tokens_details"]) ? usage["output_tokens_details"] : {};
  return {
    input: readTokenCount(usage["input_tokens"]),
    output: readTokenCount(usage["output_tokens"]),
    cacheRead: readTokenCount(sent["cached_tokens"]),
    cacheWrite: readTokenCount(sent["cache_write_tokens"]),
    reasoning: readTokenCount(outputDetails["reasoning_tokens"]),
  };
}
