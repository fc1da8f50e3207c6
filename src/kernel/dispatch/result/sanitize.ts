import { cut } from "../../../base/text/text.ts";
import type { Redactor } from "../../../contracts/tool/dispatch.ts";

/** The message of an exception for the model: one marked line, without tags that could imitate another speaker. */
export function crashMessage(thrown: unknown, redactor: Redactor): string {
  return `[TOOL_ERROR] ${cap(stripFraming(redactor.redact(`Tool execution failed: ${describe(thrown)}`)))}`;
}

/** Removes tags that look like roles or calls, code fences and CDATA blocks, at any nesting. */
export function stripFraming(text: string): string {
  let stripped = text;
  for (let pass = 0; pass < maxPasses; pass++) {
    const before = stripped;
    stripped = withoutCdata(before).replace(roleTag, "").replace(fence, "");
    if (stripped.length === before.length) return stripped;
  }
  // Removal is repeated for nested tags; no legitimate text looks like this.
  return stripped.replaceAll("<", "").replaceAll("```", "");
}

const maxChars = 2000;
const maxPasses = 8;
const roleTag =
  /<\s*\/?\s*(?:tool_call|function_call|result|response|output|input|system|assistant|user)(?:[\s/:][^<>]*)?>/giu;
const fence = /`{3,}[\w+-]*/gu;

function withoutCdata(text: string): string {
  let kept = "";
  let from = 0;
  for (let start = text.indexOf("<![CDATA["); start >= 0; start = text.indexOf("<![CDATA[", from)) {
    const end = text.indexOf("]]>", start);
    kept += text.slice(from, start);
    from = end < 0 ? text.length : end + 3;
  }
  return kept + text.slice(from);
}

function cap(text: string): string {
  return text.length <= maxChars ? text : `${cut(text, maxChars - 3)}...`;
}

/** Returns the type and message of an error. Both may be invalid, or may throw when they are read. */
function describe(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return `${thrown.name}: ${thrown.message}`;
    const type = thrown === null ? "null" : typeof thrown;
    return `${type}: ${String(thrown)}`;
  } catch {
    return "an error that cannot be shown";
  }
}
