import type { ContentPart } from "../../contracts/model/message.ts";
import type { DispatchStep, PendingCall } from "../../contracts/tool/dispatch.ts";
import { fail, type ToolFailure, type ToolResult } from "../../contracts/tool/tool-result.ts";

/** The conversation's own no, before anybody is asked. It is about what the model repeats; code may repeat itself. */
export function guarded({ call, scope }: PendingCall): ToolFailure | undefined {
  const reason = scope.parent ? undefined : scope.guard?.refusal(call);
  return reason === undefined ? undefined : fail(reason, "blocked").error;
}

/** Puts the remark of the conversation behind the result, before it is written down. */
export const remarkStep: DispatchStep = async (pending, next) => {
  const result = await next();
  const remark = await pending.scope.guard?.remark(pending, result, pending.scope.signal);
  return remark === undefined ? result : withRemark(result, remark);
};

function withRemark(result: ToolResult, remark: string): ToolResult {
  const part: ContentPart = { type: "text", text: remark };
  if (result.ok) return { ok: true, value: { ...result.value, content: [...result.value.content, part] } };
  return { ok: false, error: { ...result.error, content: [...(result.error.content ?? []), part] } };
}
