import type { CallId } from "../../base/ids.ts";
import { type JsonObject, parsedObject } from "../../base/json.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { Entry } from "../../contracts/session/session.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";

/** A call of a session with its result, as recorded in the entries. */
export interface RecordedCall {
  readonly callId: CallId;
  readonly tool: string;
  readonly args: JsonObject;
  readonly result: ToolResult;
  readonly durationMs: number;
}

/** The arguments of all calls, including those that were denied or have not ended. */
export function callArguments(entries: readonly Entry[]): ReadonlyMap<CallId, JsonObject> {
  const args = new Map<CallId, JsonObject>();
  for (const entry of entries) {
    if (entry.type === "message" && entry.message.role === "assistant")
      for (const call of entry.message.calls) args.set(call.id, argsOf(call));
    if (entry.type === "planned") args.set(entry.call.callId, entry.call.args);
  }
  return args;
}

/** The calls of the model that have ended, in the order of their results. */
export function recordedCalls(entries: readonly Entry[]): readonly RecordedCall[] {
  return callsOf(entries, undefined);
}

/** The calls that a call made and that have ended. */
export function nestedCalls(entries: readonly Entry[], parent: CallId): readonly RecordedCall[] {
  return callsOf(entries, parent);
}

function callsOf(entries: readonly Entry[], parent: CallId | undefined): readonly RecordedCall[] {
  const args = callArguments(entries);
  const calls = new Map<CallId, RecordedCall>();
  for (const entry of entries) {
    if (entry.type !== "settled" || entry.parentCallId !== parent) continue;
    const { callId, tool, result, durationMs } = entry;
    // A later result of the same call replaces the first.
    calls.set(callId, { callId, tool, args: args.get(callId) ?? {}, result, durationMs });
  }
  return [...calls.values()];
}

function argsOf({ args }: ToolCall): JsonObject {
  // The cast is safe: a parsed text is JSON.
  return typeof args === "string" ? (parsedObject(args) as JsonObject) : args;
}
