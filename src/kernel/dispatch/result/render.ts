import { isObject } from "../../../base/json.ts";
import type { ToolCall, ToolMessage } from "../../../contracts/model/message.ts";
import type { ToolResult } from "../../../contracts/tool/tool-result.ts";

/**
 * The message that the model reads: the content of the result, or a failure as JSON text followed by the output so far.
 */
export function toolMessage(call: ToolCall, result: ToolResult): ToolMessage {
  const about = { role: "tool", callId: call.id, name: call.name, failed: !result.ok } as const;
  if (result.ok) return { ...about, content: result.value.content };
  const { message, data, content = [] } = result.error;
  const facts = isObject(data) ? data : data === undefined ? {} : { data };
  const text = JSON.stringify(Object.assign({ error: message }, facts, { error: message }));
  return { ...about, content: [{ type: "text", text }, ...content] };
}
