import { isObject, type JsonObject, type JsonValue } from "../../../base/json.ts";
import { valueOr } from "../../../base/result.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { Usage } from "../../../contracts/model/model.ts";
import type { AnswerDecoder, AnswerContext, DecoderState } from "../adapter.ts";
import { createAnswerDraft, readTokenCount, type CallDraft } from "../answer-draft.ts";

type Fields = Record<string, unknown>;

/** A content block that has not ended yet. */
interface OpenBlock {
  readonly type: string;
  readonly call?: CallDraft;
  readonly thought?: { thinking: string; signature: string };
  readonly start: Fields;
}

export function createAnthropicDecoder(context: AnswerContext): AnswerDecoder {
  const draft = createAnswerDraft(context);
  const open = new Map<unknown, OpenBlock>();
  /** The thinking blocks to send back. Null marks the position of a text block. */
  const order: JsonValue[] = [];
  const counted: Record<string, number> = {};
  let hasUsage = false;
  let hasStarted = false;
  let stop: AssistantMessage["stop"] = "end";
  let state: DecoderState = { is: "open" };

  function begin(block: Fields, place: unknown): void {
    const type = typeof block["type"] === "string" ? block["type"] : "";
    if (type === "tool_use" || type === "server_tool_use") {
      if (type === "server_tool_use") return void open.set(place, { type, start: block });
      const call = draft.addCall();
      if (typeof block["id"] === "string") call.id = block["id"];
      if (typeof block["name"] === "string") call.named(block["name"]);
      open.set(place, { type, call, start: block });
    } else if (type === "thinking") {
      const thought = { thinking: "", signature: text(block["signature"]) };
      open.set(place, { type, thought, start: block });
      think(thought, text(block["thinking"]));
    } else {
      open.set(place, { type, start: block });
      if (type === "text") draft.text(text(block["text"]));
    }
  }

  function think(thought: { thinking: string }, piece: string): void {
    thought.thinking += piece;
    draft.reasoning(piece);
  }

  function go(delta: Fields, place: unknown): void {
    const block = open.get(place);
    switch (delta["type"]) {
      case "text_delta":
        return draft.text(text(delta["text"]));
      case "thinking_delta":
        return block?.thought ? think(block.thought, text(delta["thinking"])) : undefined;
      case "signature_delta":
        if (block?.thought) block.thought.signature += text(delta["signature"]);
        return;
      case "input_json_delta":
        return block?.call?.argued(text(delta["partial_json"]));
    }
  }

  function end(place: unknown): void {
    const block = open.get(place);
    open.delete(place);
    if (block === undefined) return;
    if (block.type === "text") {
      if (draft.textSoFar() !== "") order.push(null);
      draft.breakText();
    } else if (block.thought && block.thought.signature !== "") order.push({ type: "thinking", ...block.thought });
    // Parsed from JSON.
    else if (block.type === "redacted_thinking") order.push(block.start as JsonObject);
    else if (block.call && block.call.argsSoFar() === "") {
      const { input } = block.start;
      if (isObject(input) && Object.keys(input).length > 0) block.call.argued(JSON.stringify(input));
    }
  }

  function count(usage: unknown): void {
    if (!isObject(usage)) return;
    hasUsage = true;
    // The higher count is kept, because a proxy may send lower counts at the end.
    for (const [name, value] of Object.entries(usage))
      if (typeof value === "number") counted[name] = Math.max(value, counted[name] ?? 0);
  }

  /** The answer counts as complete, unless a call in it is incomplete. */
  function complete(): void {
    const call = [...open.values()].find((block) => block.call && !hasArguments(block));
    if (call && stop !== "length") fail(`the call of ${text(call.start["name"])} is not complete`);
    else state = { is: "ended" };
  }

  function fail(message: string): void {
    state = { is: "failed", error: { type: "error", error: { type: "api_error", message } } };
  }

  function finish(reason: unknown): void {
    if (typeof reason !== "string") return;
    stop = stops[reason] ?? "end";
    if (state.is === "open") state = { is: "finishing" };
  }

  return {
    json(value, name) {
      const type = typeof value["type"] === "string" ? value["type"] : name;
      switch (type) {
        case "message_start":
          if (hasStarted) fail("a second message began inside the answer");
          hasStarted = true;
          if (isObject(value["message"])) count(value["message"]["usage"]);
          return true;
        case "content_block_start":
          if (isObject(value["content_block"])) begin(value["content_block"], value["index"]);
          return true;
        case "content_block_delta":
          if (isObject(value["delta"])) go(value["delta"], value["index"]);
          return true;
        case "content_block_stop":
          end(value["index"]);
          return true;
        case "message_delta":
          count(value["usage"]);
          if (isObject(value["delta"])) finish(value["delta"]["stop_reason"]);
          return true;
        case "message_stop":
          if (state.is !== "failed") complete();
          return true;
        case "message":
          for (const [place, block] of list(value["content"]).entries()) {
            begin(block, place);
            end(place);
          }
          count(value["usage"]);
          finish(value["stop_reason"]);
          state = { is: "ended" };
          return true;
        case "error":
          state = { is: "failed", error: value };
          return true;
        default:
          // A proxy may respond in the format of another protocol.
          if (isObject(value["error"])) state = { is: "failed", error: value };
          return false;
      }
    },
    done() {
      if (state.is === "finishing") complete();
    },
    state: () => state,
    answer() {
      for (const place of open.keys()) end(place);
      const thought = order.some((block) => block !== null);
      const data = thought ? { blocks: order } : undefined;
      return { message: draft.finish({ stop, data }), usage: hasUsage ? usageOf(counted) : undefined };
    },
  };
}

/** Returns whether the arguments of a call form a complete object. */
function hasArguments({ call, start }: OpenBlock): boolean {
  const args = call?.argsSoFar() ?? "";
  if (args === "") return isObject(start["input"]) && Object.keys(start["input"]).length > 0;
  return isObject(valueOr(() => JSON.parse(args) as unknown, undefined));
}

const stops: Readonly<Record<string, AssistantMessage["stop"]>> = {
  end_turn: "end",
  stop_sequence: "end",
  // The model paused and expects another request to continue.
  pause_turn: "length",
  tool_use: "calls",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  refusal: "refused",
};

function list(value: unknown): readonly Fields[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** Anthropic reports cache reads and writes separately from the other input. */
function usageOf(counted: Fields): Usage {
  const cacheRead = readTokenCount(counted["cache_read_input_tokens"]);
  const cacheWrite = readTokenCount(counted["cache_creation_input_tokens"]);
  return {
    input: readTokenCount(counted["input_tokens"]) + cacheRead + cacheWrite,
    output: readTokenCount(counted["output_tokens"]),
    cacheRead,
    cacheWrite,
    reasoning: readTokenCount(counted["thinking_tokens"]),
  };
}
