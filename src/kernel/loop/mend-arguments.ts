import { isObject } from "../../base/json.ts";

/**
 * Arguments as text, mended where a model slipped and only one thing can be meant: a fence around them, an object inside
 * a string, line breaks that are not escaped, a comma before a bracket that closes. Anything else stays as it is, and
 * nothing that was cut off is completed: what is missing could change what is done.
 */
export function mendedArguments(text: string): string {
  const value = parsed(text);
  if (isObject(value)) return text;
  if (typeof value === "string") return isObject(parsed(value)) ? value : text;
  if (value !== undefined) return text;
  const mended = rewritten(fenced.exec(text)?.[1] ?? text);
  return isObject(parsed(mended)) ? mended : text;
}

const fenced = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?\s*```\s*$/u;

/** Control characters within strings are escaped; commas before `}` and `]` are left out. */
function rewritten(text: string): string {
  return text.replaceAll(stringOrComma, (found) => (found.startsWith('"') ? escaped(found) : ""));
}

const stringOrComma = /"(?:[^"\\]|\\[\s\S])*"|,(?=\s*[}\]])/gu;

function escaped(quoted: string): string {
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  return quoted.replaceAll(/[\u0000-\u001F]/gu, (character) => JSON.stringify(character).slice(1, -1));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
