import { isObject } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";
import type { AssistantMessage } from "../../contracts/model/message.ts";
import type { AttemptEvent, ModelDelta, Usage } from "../../contracts/model/model.ts";
import type { ProgramEndpoint } from "../endpoint.ts";
import { createAnswerDraft, readTokenCount } from "../protocols/answer-draft.ts";
import type { WireTools } from "../protocols/wire-tools.ts";
import { faultInText, stopFault } from "./agent-faults.ts";
import { createToolCallSplitter } from "./calls-in-text.ts";

/** Converts the output of a program for one prompt to an answer of a model. */
export interface AgentAnswer {
  take(update: Readonly<Record<string, unknown>>): void;
  /** Completes the answer when the program has answered the prompt. */
  end(result: Readonly<Record<string, unknown>>, now: number): AttemptEvent;
}

export function createAgentAnswer(
  endpoint: ProgramEndpoint,
  tools: WireTools,
  emit: (delta: ModelDelta) => void,
): AgentAnswer {
  const { program } = endpoint;
  const draft = createAnswerDraft({ endpoint, tools, emit });
  const cutter = createToolCallSplitter({
    text: (delta) => draft.text(delta),
    call(name, args) {
      const call = draft.addCall();
      call.named(name);
      call.argued(args);
    },
  });
  /** A piece of text that may be an error message; `end` decides. */
  let doubtful = "";
  let contextTokens: number | undefined;

  function text(piece: string): void {
    if (program.notices.some((notice) => piece.startsWith(notice))) return;
    cutter.push(doubtful);
    doubtful = piece.startsWith(program.failureMark) ? piece : "";
    if (doubtful === "") cutter.push(piece);
  }

  return {
    take({ sessionUpdate: kind, content, title, used }) {
      const output = isObject(content) && typeof content["text"] === "string" ? content["text"] : "";
      if (kind === "agent_message_chunk") text(output);
      else if (kind === "agent_thought_chunk") draft.reasoning(output);
      else if (kind === "usage_update") contextTokens = readTokenCount(used) || contextTokens;
      // The program's own tool is shown as a note, never as a call.
      else if (kind === "tool_call" && typeof title === "string")
        draft.reasoning(`[the program wants to use its own tool: ${oneLine(title, 200)}]\n`);
    },
    end({ stopReason, usage }, now) {
      // A program that failed reports no usage.
      if (doubtful !== "" && !isObject(usage))
        return { type: "error", error: faultInText(doubtful.slice(program.failureMark.length), program, now) };
      cutter.push(doubtful);
      cutter.end();
      const reason = typeof stopReason === "string" ? stopReason : "end_turn";
      const stop = stops[reason];
      if (stop === undefined) return { type: "error", error: stopFault(program, reason) };
      return { type: "finish", message: draft.finish({ stop }), usage: usageOf(usage, contextTokens) };
    },
  };
}

const stops: Readonly<Record<string, AssistantMessage["stop"] | undefined>> = {
  end_turn: "end",
  max_tokens: "length",
  max_turn_requests: "length",
  refusal: "refused",
};

/**
 * The program may call its model several times for one prompt. It reports the total usage and the last context size.
 */
function usageOf(usage: unknown, contextTokens: number | undefined): Usage | undefined {
  if (!isObject(usage) || readTokenCount(usage["inputTokens"]) === 0) return undefined;
  const input = Math.min(readTokenCount(usage["inputTokens"]), contextTokens ?? Number.POSITIVE_INFINITY);
  return {
    input,
    output: readTokenCount(usage["outputTokens"]),
    cacheRead: Math.min(input, readTokenCount(usage["cachedReadTokens"])),
    cacheWrite: Math.min(input, readTokenCount(usage["cachedWriteTokens"])),
    reasoning: readTokenCount(usage["thoughtTokens"]),
  };
}
