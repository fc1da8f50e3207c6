import type { JsonObject, JsonValue } from "../../../../base/json.ts";
import { oneLine } from "../../../../base/text/text.ts";
import { escapeInvisible } from "../../escape-invisible.ts";

/** A short summary of a call: its most informative argument. */
export function mainArgument(args: JsonObject, maxChars: number): string {
  const isText = (value: JsonValue | undefined): value is string => typeof value === "string" && value !== "";
  const named = telling.map((key) => args[key]).find(isText);
  const list = Object.entries(args).find(([, value]) => Array.isArray(value) && value.length > 0);
  const other = Object.keys(args).flatMap((key) => (manners.has(key) ? [] : [args[key]]));
  const text = named ?? (list ? listText(list) : other.find(isText)) ?? "";
  return oneLine(escapeInvisible(text.replaceAll(/\s+/gu, " ")), maxChars);
}

/** From most telling to least. */
const telling = "command query pattern path url name goal prompt text content old_text session_id action target".split(
  " ",
);

/** How something is done says nothing of what is done. */
const manners: ReadonlySet<string> = new Set(["mode", "detail", "sort", "format", "role_filter"]);

/** `3 todos`, `urls: a b`. */
function listText([key, value]: readonly [string, JsonValue]): string {
  const items = Array.isArray(value) ? value : [];
  if (items.every((item) => typeof item === "string")) return `${key}: ${items.join(" ")}`;
  return items.length === 1 ? `1 ${key.replace(/s$/u, "")}` : `${items.length} ${key}`;
}

/** `12 ms`, `3.4 s`, `2 min 5 s`. */
export function elapsedText(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}
