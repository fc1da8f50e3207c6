import { cut } from "../../../base/text/text.ts";
import { javaScriptPattern, wantsCrlf } from "./pattern.ts";
import type { Query } from "./search.ts";

/** What is wrong with a pattern that an engine refused, where, and what to write instead. */
export function explainedPattern({ pattern, ignoreCase, multiline }: Query, said: string): string {
  const own = javaScriptPattern(pattern, { ignoreCase, multiline, crlf: wantsCrlf(pattern) });
  if (own.ok) return `The pattern is refused: ${said.replace(/\.$/u, "")}. ${advice(pattern, said)}`;
  const { at, what } = own.error;
  const chars = Array.from(pattern);
  const near = cut(chars.slice(at, at + 20).join(""), 20);
  const place = at >= chars.length ? "at its end" : `at character ${at + 1}, ${JSON.stringify(near)}`;
  return `The pattern is not a regular expression: ${what} (${place}). ${advice(pattern, what)}`;
}

/** Text that a pattern matches literally. */
function escapedPattern(text: string): string {
  return text.replace(/[\\.+*?()|[\]{}^$]/gu, String.raw`\$&`);
}

function advice(pattern: string, what: string): string {
  if (/look-?(?:ahead|behind|around)|backreference/iu.test(what))
    return "Search for a simpler part and look through the hits, or use grep -P in the terminal.";
  if (/multiline/u.test(what)) return "Set multiline to true.";
  return `To search for this very text write ${JSON.stringify(escapedPattern(cut(pattern, 200)))}.`;
}
