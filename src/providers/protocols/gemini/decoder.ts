import { isObject, type JsonValue } from "../../../base/json.ts";
import type { AssistantMessage } from "../../../contracts/model/message.ts";
import type { Usage } from "../../../contracts/model/model.ts";
import type { AnswerDecoder, AnswerContext, DecoderState } from "../adapter.ts";
import { createAnswerDraft, readTokenCount } from "../answer-draft.ts";

/** Parses a stream, which is a sequence of whole answers. Only the finish reason marks the end. */
export function createGeminiDecoder(context: AnswerContext): AnswerDecoder {
  const draft = createAnswerDraft(context);
  const signatures: (string | null)[] = [];
  let textSignature: string | undefined;
  let usage: Usage | undefined;
  let stop: AssistantMessage["stop"] = "end";
  let state: DecoderState = { is: "open" };

  function take(part: Record<string, unknown>): boolean {
    const { text, thought, thoughtSignature, functionCall } = part;
    if (isObject(functionCall)) {
      const call = draft.addCall();
      const { id, name, args } = functionCall;
      if (typeof id === "string") call.id = id;
      if (typeof name === "string") call.named(name);
      call.argued(typeof args === "string" ? args : JSON.stringify(args ?? {}));
      signatures.push(typeof thoughtSignature === "string" ? thoughtSignature : null);
      return true;
    }
    if (typeof thoughtSignature === "string" && thought !== true) textSignature = thoughtSignature;
    if (typeof text !== "string" || text === "") return false;
    if (thought === true) draft.reasoning(text);
    else draft.text(text);
    return true;
  }

  function finish(reason: string, message: unknown): void {
    const stopReason = stops[reason];
    const empty = draft.textSoFar() === "" && draft.calls.length === 0;
    if (stopReason === undefined && empty && reason !== "STOP")
      state = {
        is: "failed",
        error: { error: { message: `the model stopped: ${reason} ${sentence(message)}`, code: 500 } },
      };
    else {
      stop = stopReason ?? "end";
      state = { is: "finishing" };
    }
  }

  return {
    json(value, event) {
      if (event === "error" || isObject(value["error"])) {
        state = { is: "failed", error: value };
        return true;
      }
      if (isObject(value["usageMetadata"])) usage = usageOf(value["usageMetadata"]);
      const feedback = isObject(value["promptFeedback"]) ? value["promptFeedback"]["blockReason"] : undefined;
      if (typeof feedback === "string") {
        const message = `content_policy: the request was blocked (${feedback})`;
        state = { is: "failed", error: { error: { message } } };
        return true;
      }
      const candidates: unknown = value["candidates"];
      const candidate: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
      if (!isObject(candidate)) return false;
      const parts = isObject(candidate["content"]) ? candidate["content"]["parts"] : undefined;
      let hasContent = false;
      if (Array.isArray(parts)) for (const part of parts) if (isObject(part)) hasContent = take(part) || hasContent;
      const { finishReason } = candidate;
      if (typeof finishReason === "string" && finishReason !== "FINISH_REASON_UNSPECIFIED")
        finish(finishReason, candidate["finishMessage"]);
      return hasContent || state.is !== "open";
    },
    done() {
      // A proxy may omit the finish reason but send the end mark.
      const hasSaid = draft.textSoFar() !== "" || draft.calls.length > 0;
      if (state.is === "finishing" || (state.is === "open" && hasSaid)) state = { is: "ended" };
    },
    state: () => state,
    answer() {
      const data: Record<string, JsonValue> = {};
      if (signatures.some((one) => one !== null)) data["calls"] = signatures;
      if (textSignature !== undefined) data["text"] = textSignature;
      const own = Object.keys(data).length > 0 ? data : undefined;
      return { message: draft.finish({ stop, data: own }), usage };
    },
  };
}

const stops: Readonly<Record<string, AssistantMessage["stop"]>> = {
  STOP: "end",
  MAX_TOKENS: "length",
  SAFETY: "refused",
  RECITATION: "refused",
  BLOCKLIST: "refused",
  PROHIBITED_CONTENT: "refused",
  SPII: "refused",
  LANGUAGE: "refused",
  IMAGE_SAFETY: "refused",
};

function sentence(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function usageOf(usage: Record<string, unknown>): Usage {
  const reasoning = readTokenCount(usage["thoughtsTokenCount"]);
  return {
    input: readTokenCount(usage["promptTokenCount"]) + readTokenCount(usage["toolUsePromptTokenCount"]),
    output: readTokenCount(usage["candidatesTokenCount"]) + reasoning,
    cacheRead: readTokenCount(usage["cachedContentTokenCount"]),
    cacheWrite: 0,
    reasoning,
  };
}
