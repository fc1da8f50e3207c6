import type { JsonObject, JsonValue } from "../../base/json.ts";
import { oneLine } from "../../base/text/text.ts";

/** A short summary of a call: its most informative argument, on one line. Untrusted. */
export function mainArgument(args: JsonObject, maxChars: number): string {
  const isText = (value: JsonValue | undefined): value is string => typeof value === "string" && value !== "";
  const named = telling.map((key) => args[key]).find(isText);
  const list = Object.entries(args).find(([, value]) => Array.isArray(value) && value.length > 0);
  const other = Object.keys(args).flatMap((key) => (manners.has(key) ? [] : [args[key]]));
  const verb = vague.map((key) => args[key]).find(isText);
  const text = named ?? (list ? listText(list) : (verb ?? other.find(isText))) ?? "";
  return oneLine(text, maxChars);
}

/** Names of arguments, the most informative first. */
const telling =
  "command query question pattern path url name goal prompt user_prompt text content old_text session_id subagent_id".split(
    " ",
  );

/** Arguments that are less informative than a list argument. */
const vague = ["action", "target"];

/** Arguments that describe how a call works, not what it works on. */
const manners: ReadonlySet<string> = new Set(["mode", "detail", "sort", "format", "role_filter"]);

/** Examples: `3 todos`, `urls: a b`. */
function listText([key, value]: readonly [string, JsonValue]): string {
  const items = Array.isArray(value) ? value : [];
  if (items.every((item) => typeof item === "string")) return `${key}: ${items.join(" ")}`;
  return items.length === 1 ? `1 ${key.replace(/s$/u, "")}` : `${items.length} ${key}`;
}
