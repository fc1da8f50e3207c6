import type { JsonObject, JsonValue } from "../../../base/json.ts";
import { oneLine } from "../../../base/text.ts";
import { visible } from "../ask-approval.ts";

/** What a call is about, in a few words: the argument that says most. */
export function mainArgument(args: JsonObject, maxChars: number): string {
  const named = telling.map((key) => args[key]).find((value) => typeof value === "string" && value !== "");
  const value = named ?? Object.values(args).find((each) => typeof each === "string" && each !== "");
  return oneLine(visible(textOf(value ?? args).replaceAll(/\s+/gu, " ")), maxChars);
}

/** From most telling to least. */
const telling = ["command", "path", "query", "pattern", "url", "name", "goal", "prompt", "text", "action"];

function textOf(value: JsonValue): string {
  if (typeof value === "string") return value;
  const text = JSON.stringify(value);
  return text === "{}" ? "" : text;
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
