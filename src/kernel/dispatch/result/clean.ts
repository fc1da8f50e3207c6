import type { PendingCall, Redactor, ShownText } from "../../../contracts/tool/dispatch.ts";
import type { ToolFailure, ToolResult } from "../../../contracts/tool/tool-result.ts";
import { mapStrings, mapText } from "./result-text.ts";
import { stripFraming } from "./sanitize.ts";
import { wrapUntrusted } from "./untrusted.ts";

/**
 * Removes secrets and framing markers from a result, and fences untrusted text. A script gets the text without a fence,
 * as data; the output of the script is fenced instead. `foreign`: the untrusted tools whose results a call received.
 */
export function cleanResult(
  pending: PendingCall,
  raw: ToolResult,
  redactor: Redactor,
  foreign: WeakMap<PendingCall, ReadonlySet<string>>,
): ToolResult {
  const { tool, scope } = pending;
  const redacted = redactResult(raw, redactor, kindOfText(pending.effects));
  const result: ToolResult = redacted.ok ? redacted : { ok: false, error: withoutFraming(redacted.error) };
  const received = foreign.get(pending);
  if (!tool.traits.untrusted && !received) return result;
  const sources = [...(tool.traits.untrusted ? [tool.name] : []), ...(received ?? [])];
  if (sources.length === 0) return result;
  if (!scope.parent || scope.origin === "plugin") return wrapUntrusted(result, sources.join(" "));
  for (const source of sources) scope.parent.foreign.add(source);
  return result;
}

/** Removes secrets from a result. `shown` is the kind of its texts. Default: sentences for people. */
export function redactResult(result: ToolResult, redactor: Redactor, shown?: ShownText): ToolResult {
  const hasData = (result.ok ? result.value.data : result.error.data) !== undefined;
  const redactText = (text: string) => redactor.redact(text, shown);
  const redact = hasData ? remembered(redactText) : redactText;
  const hidden = mapText(result, redact);
  const data = hidden.ok ? hidden.value.data : hidden.error.data;
  if (data === undefined) return hidden;
  const clean = mapStrings(data, redact);
  return hidden.ok
    ? { ok: true, value: { ...hidden.value, data: clean } }
    : { ok: false, error: { ...hidden.error, data: clean } };
}

/** Returns the kind of text that a call with these effects returns. */
export function kindOfText(effects: PendingCall["effects"]): ShownText {
  if (effects.length === 0) return plainOutput;
  const run = effects.find(({ kind }) => kind === "exec");
  if (run?.kind === "exec") return { kind: "output", command: run.command };
  const paths = effects.flatMap((effect) => (effect.kind === "read" || effect.kind === "write" ? [effect.path] : []));
  const [path] = paths;
  if (path === undefined) return plainOutput;
  return paths.every((each) => each === path) ? { kind: "file", path } : { kind: "file" };
}

const plainOutput: ShownText = { kind: "output" };

/** Caches results, because the data of a result often repeats its text. */
function remembered(redact: (text: string) => string): (text: string) => string {
  const cache = new Map<string, string>();
  return (text) => {
    const shown = cache.get(text) ?? redact(text);
    cache.set(text, shown);
    return shown;
  };
}

function withoutFraming(failure: ToolFailure): ToolFailure {
  return { ...failure, message: stripFraming(failure.message) };
}
