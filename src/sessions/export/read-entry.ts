import { asId, type CallId, type EntryId, type TurnId } from "../../base/ids.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ContentPart, Message, ToolCall } from "../../contracts/model/message.ts";
import { type Entry, type EntryBody, ratings } from "../../contracts/session/session.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";

/**
 * Parses an untrusted entry. Undefined if it is invalid, or valid only in its original store (system prompts, the
 * queue, checkpoints).
 */
export function parseSessionEntry(value: unknown): Entry | undefined {
  if (!isObject(value)) return undefined;
  const { id, parent, at: writtenAt } = value;
  const body = bodyOf(value);
  if (
    !body ||
    typeof id !== "string" ||
    typeof writtenAt !== "number" ||
    !Number.isSafeInteger(writtenAt) ||
    writtenAt < 0
  )
    return undefined;
  return {
    ...body,
    id: asId<EntryId>(id),
    at: writtenAt,
    ...(typeof parent === "string" && { parent: asId<EntryId>(parent) }),
  };
}

function bodyOf(value: Record<string, unknown>): EntryBody | undefined {
  switch (value["type"]) {
    case "message": {
      const message = messageOf(value["message"]);
      return message && message.role !== "tool" ? { type: "message", message, ...turnIn(value) } : undefined;
    }
    case "dispatched": {
      const { callId } = value;
      return typeof callId === "string" ? { type: "dispatched", callId: asId<CallId>(callId) } : undefined;
    }
    case "settled":
      return settledOf(value);
    case "usage":
      return usageOf(value);
    case "compacted":
      return compactedOf(value);
    case "head_moved": {
      const { to, why, branch } = value;
      return {
        type: "head_moved",
        why: textOf(why),
        ...(typeof to === "string" && { to: asId<EntryId>(to) }),
        ...(typeof branch === "string" && { branch }),
      };
    }
    case "rated": {
      const rating = ratings.find((each) => each === value["rating"]);
      return rating && { type: "rated", rating, skills: wordsIn(value["skills"]), ...turnIn(value) };
    }
    case "state": {
      const { name, value: state } = value;
      // An imported file must never start queued work.
      return name === "todos" || name === "taint" ? { type: "state", name, value: jsonOf(state) } : undefined;
    }
    case "damaged":
      return { type: "damaged", why: textOf(value["why"]) };
    default:
      return undefined;
  }
}

function settledOf(value: Record<string, unknown>): EntryBody | undefined {
  const { callId, parentCallId, tool, durationMs } = value;
  const result = resultOf(value["result"]);
  if (typeof callId !== "string" || !result) return undefined;
  return {
    type: "settled",
    callId: asId<CallId>(callId),
    ...(typeof parentCallId === "string" && { parentCallId: asId<CallId>(parentCallId) }),
    tool: textOf(tool),
    result,
    durationMs: amount(durationMs),
  };
}

function resultOf(value: unknown): ToolResult | undefined {
  if (!isObject(value)) return undefined;
  if (value["ok"] === true && isObject(value["value"]))
    return { ok: true, value: { content: contentOf(value["value"]["content"]) } };
  const { error } = value;
  if (!isObject(error)) return undefined;
  const content = contentOf(error["content"]);
  return {
    ok: false,
    error: {
      kind: "failed",
      message: textOf(error["message"]),
      effect: error["effect"] === "done" || error["effect"] === "unknown" ? error["effect"] : "none",
      ...(content.length > 0 && { content }),
    },
  };
}

function usageOf(value: Record<string, unknown>): EntryBody | undefined {
  const { usage, provider, model, task } = value;
  if (!isObject(usage)) return undefined;
  const { costUsd } = usage;
  return {
    type: "usage",
    provider: textOf(provider),
    model: textOf(model),
    task: textOf(task) || "chat",
    usage: {
      input: amount(usage["input"]),
      output: amount(usage["output"]),
      cacheRead: amount(usage["cacheRead"]),
      cacheWrite: amount(usage["cacheWrite"]),
      reasoning: amount(usage["reasoning"]),
      ...(costUsd !== undefined && { costUsd: amount(costUsd) }),
    },
    ...turnIn(value),
  };
}

function compactedOf(value: Record<string, unknown>): EntryBody | undefined {
  const { through, messages, tokensBefore, tokensAfter, mechanical } = value;
  if (typeof through !== "string" || !Array.isArray(messages)) return undefined;
  return {
    type: "compacted",
    through: asId<EntryId>(through),
    messages: messages.flatMap((each) => messageOf(each) ?? []),
    tokensBefore: amount(tokensBefore),
    tokensAfter: amount(tokensAfter),
    ...(mechanical === true && { mechanical }),
  };
}

function messageOf(value: unknown): Message | undefined {
  if (!isObject(value)) return undefined;
  const content = contentOf(value["content"]);
  switch (value["role"]) {
    case "user":
      return { role: "user", content };
    case "assistant": {
      const { reasoning, stop } = value;
      return {
        role: "assistant",
        content,
        calls: Array.isArray(value["calls"]) ? value["calls"].flatMap((each) => callOf(each) ?? []) : [],
        stop: stop === "calls" || stop === "length" || stop === "refused" ? stop : "end",
        ...(typeof reasoning === "string" && { reasoning }),
      };
    }
    case "tool": {
      const { callId, name, failed } = value;
      if (typeof callId !== "string") return undefined;
      return { role: "tool", callId: asId<CallId>(callId), name: textOf(name), failed: failed === true, content };
    }
    default:
      return undefined;
  }
}

function callOf(value: unknown): ToolCall | undefined {
  if (!isObject(value)) return undefined;
  const { id, name, args } = value;
  if (typeof id !== "string" || typeof name !== "string") return undefined;
  return { id: asId<CallId>(id), name, args: isObject(args) ? asJsonObject(args) : textOf(args) };
}

function contentOf(value: unknown): readonly ContentPart[] {
  return Array.isArray(value) ? value.flatMap((each) => partOf(each) ?? []) : [];
}

function partOf(value: unknown): ContentPart | undefined {
  if (!isObject(value)) return undefined;
  const { type, text, mimeType, data, path } = value;
  if (type === "text" && typeof text === "string") return { type, text };
  if (
    (type === "image" || type === "audio" || type === "video") &&
    typeof mimeType === "string" &&
    typeof data === "string"
  )
    return { type, mimeType, data };
  if (type === "file" && typeof path === "string") return { type, path };
  return undefined;
}

function turnIn(value: Record<string, unknown>): { readonly turnId?: TurnId } {
  const { turnId } = value;
  return typeof turnId === "string" ? { turnId: asId<TurnId>(turnId) } : {};
}

function wordsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function amount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : 0;
}

/** Safe cast: the value was parsed from JSON. */
function asJsonObject(value: Record<string, unknown>): JsonObject {
  return value as JsonObject;
}

function jsonOf(value: unknown): JsonValue {
  return value === undefined ? null : (value as JsonValue);
}
