import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { Usage } from "../../../contracts/model/model.ts";
import { createThinkSplitter } from "../../wire/think-tags.ts";
import type { AnswerDecoder, AnswerContext, DecoderState } from "../adapter.ts";
import { createAnswerDraft, readTokenCount } from "../answer-draft.ts";
import { createCallSorter } from "./call-sorter.ts";
import { reasoningFields } from "./request.ts";

/** Parses deltas (`delta`) and whole answers (`message`). */
export function createChatDecoder(context: AnswerContext): AnswerDecoder {
  const draft = createAnswerDraft(context);
  const calls = createCallSorter(draft);
  const think = createThinkSplitter(draft);
  const kept = new Map<string, string>();
  const details: JsonObject[] = [];
  let usage: Usage | undefined;
  let stop: AssistantMessage["stop"] | undefined;
  let state: DecoderState = { is: "open" };

  function take(message: Record<string, unknown>, isWhole: boolean): boolean {
    let hasContent = false;
    const reasoning = reasoningIn(message);
    if (reasoning !== undefined && reasoning.text !== "") {
      hasContent = true;
      draft.reasoning(reasoning.text);
      if (reasoning.field !== undefined) kept.set(reasoning.field, (kept.get(reasoning.field) ?? "") + reasoning.text);
    }
    const seal = message["reasoning_opaque"];
    if (typeof seal === "string" && seal !== "") kept.set("reasoning_opaque", seal);
    if (Array.isArray(message["reasoning_details"])) {
      for (const detail of message["reasoning_details"])
        if (isObject(detail)) hasContent = addDetail(detail) || hasContent;
    }
    const text = textIn(message["content"]);
    if (text.reasoning !== "") draft.reasoning(text.reasoning);
    if (text.text !== "") think.push(text.text);
    if (typeof message["refusal"] === "string" && message["refusal"] !== "") {
      think.push(message["refusal"]);
      stop = "refused";
    }
    const { tool_calls: list, function_call: only } = message;
    if (Array.isArray(list)) for (const entry of list) calls.take(entry, isWhole);
    if (isObject(only)) calls.take({ index: 0, function: only }, isWhole);
    return hasContent || text.text !== "" || text.reasoning !== "" || Array.isArray(list) || isObject(only);
  }

  /** Joins the pieces of one reasoning detail by their index. */
  function addDetail(detail: Record<string, unknown>): boolean {
    const index = details.findIndex((one) => one["index"] === detail["index"] && one["type"] === detail["type"]);
    const existing = detail["index"] === undefined ? undefined : details[index];
    // Safe cast: the value was parsed from JSON.
    const piece = detail as JsonObject;
    if (existing === undefined) details.push(piece);
    else {
      const merged: Record<string, JsonValue> = { ...existing, ...piece };
      for (const field of ["text", "summary", "data"]) {
        if (typeof existing[field] === "string" && typeof piece[field] === "string")
          merged[field] = existing[field] + piece[field];
      }
      for (const [field, value] of Object.entries(existing)) if (merged[field] === null) merged[field] = value;
      details[index] = merged;
    }
    return true;
  }

  function provider(): JsonObject | undefined {
    const extras = draft.calls.map(({ extra }) => extra ?? null);
    if (!kept.has("reasoning_opaque")) kept.delete("reasoning_text");
    // The details repeat the reasoning together with its signatures.
    const data: Record<string, JsonValue> =
      details.length > 0 ? { reasoning_details: details } : Object.fromEntries(kept);
    if (extras.some((extra) => extra !== null)) data["calls"] = extras;
    return Object.keys(data).length === 0 ? undefined : data;
  }

  return {
    json(value, event) {
      // MiniMax reports errors in this field, with status 200.
      const status = isObject(value["base_resp"]) ? readTokenCount(value["base_resp"]["status_code"]) : 0;
      if (event === "error" || value["object"] === "error" || isError(value["error"]) || status > 0) {
        state = { is: "failed", error: value };
        return true;
      }
      const { choices } = value;
      if (isObject(value["usage"])) usage = usageOf(value["usage"]);
      // Groq reports usage in this field.
      const aside = isObject(value["x_groq"]) ? value["x_groq"]["usage"] : undefined;
      if (isObject(aside)) usage ??= usageOf(aside);
      const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
      if (!isObject(choice)) return false;
      if (isError(choice["error"])) {
        state = { is: "failed", error: choice };
        return true;
      }
      if (isObject(choice["usage"])) usage ??= usageOf(choice["usage"]);
      // Some servers send the whole text so far with each delta.
      const isWhole = !isObject(choice["delta"]) && isObject(choice["message"]);
      const message = isWhole ? choice["message"] : choice["delta"];
      const hasContent = isObject(message) && take(message, isWhole);
      const { finish_reason: reason } = choice;
      if (typeof reason === "string" && reason !== "") {
        if (broken.has(reason))
          state = { is: "failed", error: { error: { message: `it stopped: ${reason}`, code: 502 } } };
        else {
          stop ??= stops[reason] ?? "end";
          state = { is: isWhole ? "ended" : "finishing" };
        }
      } else if (isWhole) state = { is: "ended" };
      return hasContent || state.is === "finishing";
    },
    done() {
      // Some servers omit the finish reason but send the end mark.
      if (state.is !== "failed") state = { is: "ended" };
    },
    state: () => state,
    answer() {
      think.end();
      const data = provider();
      return { message: draft.finish({ stop: stop ?? "end", data, misread: think.misread() }), usage };
    },
  };
}

/** Finish reasons of an incomplete answer (Z.AI, DeepSeek, vLLM). */
const broken: ReadonlySet<string> = new Set(["error", "network_error", "insufficient_system_resource", "abort"]);

const stops: Readonly<Record<string, AssistantMessage["stop"]>> = {
  stop: "end",
  eos: "end",
  end_turn: "end",
  tool_calls: "calls",
  function_call: "calls",
  tool_use: "calls",
  length: "length",
  max_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  content_filter: "refused",
  sensitive: "refused",
  safety: "refused",
  refusal: "refused",
};

function isError(value: unknown): boolean {
  return (isObject(value) && Object.keys(value).length > 0) || (typeof value === "string" && value !== "");
}

/** The same reasoning may arrive in two fields; only one is used. */
function reasoningIn(message: Record<string, unknown>): { readonly field?: string; readonly text: string } | undefined {
  for (const field of reasoningFields) {
    const value = message[field];
    if (typeof value === "string" && value !== "" && field !== "reasoning_opaque") return { field, text: value };
  }
  const list = message["reasoning_details"];
  if (!Array.isArray(list)) return undefined;
  const texts = list.map((one: unknown) => (isObject(one) ? (one["text"] ?? one["summary"]) : undefined));
  return { text: texts.filter((text) => typeof text === "string").join("") };
}

/** Text, or a list of parts as Mistral sends it. */
function textIn(content: unknown): { readonly text: string; readonly reasoning: string } {
  if (typeof content === "string") return { text: content, reasoning: "" };
  if (!Array.isArray(content)) return nothing;
  let text = "";
  let reasoning = "";
  for (const part of content) {
    if (!isObject(part)) continue;
    if (typeof part["text"] === "string") text += part["text"];
    else if (part["type"] === "thinking") reasoning += textIn(part["thinking"]).text;
  }
  return { text, reasoning };
}

const nothing = { text: "", reasoning: "" };

function usageOf(usage: Record<string, unknown>): Usage {
  const sent = isObject(usage["prompt_tokens_details"]) ? usage["prompt_tokens_details"] : {};
  const outputDetails = isObject(usage["completion_tokens_details"]) ? usage["completion_tokens_details"] : {};
  const cost = usage["cost"];
  return {
    input: readTokenCount(usage["prompt_tokens"] ?? usage["input_tokens"]),
    output: readTokenCount(usage["completion_tokens"] ?? usage["output_tokens"]),
    // DeepSeek, Moonshot and proxies of Anthropic use other names.
    cacheRead: readTokenCount(
      sent["cached_tokens"] ??
        usage["prompt_cache_hit_tokens"] ??
        usage["cached_tokens"] ??
        usage["cache_read_input_tokens"],
    ),
    cacheWrite: readTokenCount(
      sent["cache_write_tokens"] ?? sent["cache_creation_tokens"] ?? usage["cache_creation_input_tokens"],
    ),
    reasoning: readTokenCount(outputDetails["reasoning_tokens"] ?? usage["reasoning_tokens"]),
    ...(typeof cost === "number" && cost >= 0 ? { costUsd: cost } : {}),
  };
}
