import type { DispatchStep, Redactor } from "../../contracts/dispatch.ts";
import type { ToolFailure, ToolResult } from "../../contracts/tool.ts";
import { mapStrings, mapText } from "./result-text.ts";
import { stripFraming } from "./sanitize.ts";
import { wrapUntrusted } from "./untrusted.ts";

/** Takes out secrets, then framing that an error could smuggle in, and marks what strangers wrote. */
export function cleanStep(redactor: Redactor): DispatchStep {
  return async ({ tool }, next) => {
    const redacted = redactResult(await next(), redactor);
    const result: ToolResult = redacted.ok ? redacted : { ok: false, error: withoutFraming(redacted.error) };
    return tool.traits.untrusted ? wrapUntrusted(result, tool.name) : result;
  };
}

export function redactResult(result: ToolResult, redactor: Redactor): ToolResult {
  const redact = (text: string) => redactor.redact(text);
  const shown = mapText(result, redact);
  const data = shown.ok ? shown.value.data : shown.error.data;
  if (data === undefined) return shown;
  const clean = mapStrings(data, redact);
  return shown.ok
    ? { ok: true, value: { ...shown.value, data: clean } }
    : { ok: false, error: { ...shown.error, data: clean } };
}

function withoutFraming(failure: ToolFailure): ToolFailure {
  return { ...failure, message: stripFraming(failure.message) };
}
