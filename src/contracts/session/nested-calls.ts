import type { CallId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { Entry } from "./session.ts";

/** A call that a script or a tool made, in the format of exports. Such calls are never part of the model's context. */
export interface SandboxToolCall {
  readonly type: "sandbox_tool_call";
  readonly tool: string;
  readonly args: JsonObject;
  /** Seconds. */
  readonly duration: number;
  readonly failed: boolean;
  readonly call: CallId;
  /** The call that made this nested call. */
  readonly parent: CallId;
}

/** Collects the nested calls from entries that are passed in stored order. */
export function nestedCallReader(): (entry: Entry) => SandboxToolCall | undefined {
  const started = new Map<CallId, JsonObject>();
  return (entry) => {
    if (entry.type === "planned" && entry.call.parentCallId !== undefined)
      started.set(entry.call.callId, entry.call.args);
    if (entry.type !== "settled" || entry.parentCallId === undefined) return undefined;
    const args = started.get(entry.callId) ?? {};
    started.delete(entry.callId);
    return {
      type: "sandbox_tool_call",
      tool: entry.tool,
      args,
      duration: Math.round(entry.durationMs) / 1_000,
      failed: !entry.result.ok,
      call: entry.callId,
      parent: entry.parentCallId,
    };
  };
}
