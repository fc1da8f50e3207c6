import { type CallId, newId } from "../../../base/ids.ts";
import { isObject, parsedJson } from "../../../base/json.ts";
import type { AssistantMessage, ToolCall } from "../../../contracts/model/message.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";

/** An answer in the form that the history stores. */
export interface RepairedAnswer {
  readonly message: AssistantMessage;
  /** True if the answer was too long and the arguments of a call are truncated, so that none of its calls can run. */
  readonly isCutOff: boolean;
}

/**
 * Prepares the calls of an answer: unique ids, tool names as in the catalog, repaired arguments, no duplicate calls.
 * The dispatcher reports other faults to the model.
 */
export function repairCalls(
  answer: AssistantMessage,
  catalog: Catalog,
  isTaken: (id: CallId) => boolean,
): RepairedAnswer {
  const used = new Set<CallId>();
  const seen = new Set<string>();
  const calls: ToolCall[] = [];
  const isWhole = answer.stop !== "length";
  for (const call of answer.calls) {
    const args = typeof call.args === "string" ? repairArguments(call.args.trim(), isWhole) : call.args;
    const name = intendedTool(call.name, catalog) ?? call.name;
    const same = `${name} ${typeof args === "string" ? args : JSON.stringify(args)}`;
    if (seen.has(same)) continue;
    seen.add(same);
    const isFree = call.id !== "" && !used.has(call.id) && !isTaken(call.id);
    const id = isFree ? call.id : newId<CallId>("call");
    used.add(id);
    calls.push({ id, name, args: args === "" ? {} : args });
  }
  const { provider: _, ...plain } = answer;
  // The provider's data describes all calls, so it is dropped if calls were removed.
  const kept = calls.length === answer.calls.length ? answer : plain;
  const isCutOff = answer.stop === "length" && calls.some(({ args }) => typeof args === "string" && !isJson(args));
  return { message: { ...kept, calls }, isCutOff };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * The tool that a model meant by a name that does not exist: other case, dashes or spaces instead of underscores,
 * `ReadFile`, `read_file_tool`, `functions.read_file:0`, `read_file<|channel|>`, a doubled name. The name must match
 * exactly one tool; similar spellings do not count, because the call could do something else.
 */
function intendedTool(name: string, catalog: Catalog): string | undefined {
  const tool = catalog.find(name);
  if (tool) return tool.name;
  const spelled = plain(name);
  const once = spelled.replace(/^(.+?)\1+$/u, "$1");
  for (const spelling of new Set([spelled, once])) {
    const matches = catalog.names.filter((each) => plain(each) === spelling);
    if (matches.length > 0) return matches.length === 1 ? matches[0] : undefined;
  }
  return undefined;
}

/** The limit exceeds every tool name; a model's text can have any length. */
const maxNameChars = 200;

function plain(name: string): string {
  return name
    .trim()
    .slice(0, maxNameChars)
    .replace(/^(?:functions?|tools?|default_api)[.:/]/iu, "")
    .replace(/<\|.*$|:\d+$/u, "")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .replaceAll(/[\s.-]+/gu, "_")
    .replace(/^m?(?:mcp_)+/u, "mcp_")
    .replace(/(?:_tool|_function)+$/u, "");
}

/**
 * Repairs arguments if only one correction is possible: a fence around them, an object inside a string, unescaped line
 * breaks, trailing commas, quotes and words in Python syntax, single backslashes, a repeated object, missing or extra
 * brackets at the end. Anything else stays unchanged. `isWhole`: the answer is complete; truncated text is never
 * completed, because the missing part could change the effect.
 */
export function repairArguments(text: string, isWhole: boolean): string {
  const value = parsedJson(text);
  if (isObject(value)) return text;
  if (typeof value === "string") return isObject(parsedJson(value)) ? value : text;
  if (value === null || text === "None") return "{}";
  if (value !== undefined) return text;
  const plain = rewritten(fenced.exec(text.trim())?.[1] ?? text);
  const mended = isObject(parsedJson(plain)) ? plain : balanced(plain, isWhole);
  return isObject(parsedJson(mended)) ? mended : text;
}

const fenced = /^```(?:json)?[^\S\n]*\n([\s\S]*)```$/u;

/** Parses strings and words as in JSON, and removes trailing commas before `}` and `]`. */
function rewritten(text: string): string {
  return text.replaceAll(token, (match: string, quote: string | undefined, end: string | undefined) => {
    if (quote === undefined) return words[match] ?? "";
    if (end === "") return match;
    return escaped(quote === '"' ? match : `"${match.slice(1, -1).replaceAll('"', String.raw`\"`)}"`);
  });
}

/** Consumes an unterminated string completely, so that its end is not searched again from every quote in it. */
const token = /(["'])(?:(?!\1)[^\\]|\\[\s\S])*(\1?)|\b(?:True|False|None)\b|,(?=\s*[}\]])/gu;
const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** `\d` can only mean a literal backslash, unless the text also contains `\n` or similar escapes. */
function escaped(quoted: string): string {
  if (!special.test(quoted)) return quoted;
  const pairs = quoted.match(pair) ?? [];
  const areLiteral = !pairs.some((one) => /^\\[bfnrtu]/u.test(one));
  return (
    quoted
      .replaceAll(pair, (one) => {
        if (one === String.raw`\'`) return "'";
        return areLiteral && !/^\\["\\/]/u.test(one) ? `\\${one}` : one;
      })
      // oxlint-disable-next-line no-control-regex -- these are what is looked for
      .replaceAll(/[\u0000-\u001F]/gu, (character) => JSON.stringify(character).slice(1, -1))
  );
}

// oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
const special = /[\\\u0000-\u001F]/u;
const pair = /\\[\s\S]/gu;

/** One object with balanced brackets. */
function balanced(text: string, isWhole: boolean): string {
  const open: string[] = [];
  for (const { 0: match, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[[\]{}]/gu)) {
    if (match === "{" || match === "[") open.push(match === "{" ? "}" : "]");
    else if (!match.startsWith('"') && open.pop() !== match) return text;
    if (open.length > 0) continue;
    const [first, rest] = [text.slice(0, index + 1), text.slice(index + 1)];
    return /^[\s}\]]*$/u.test(rest) || rest.replaceAll(first, "").trim() === "" ? first : text;
  }
  // A truncated number cannot be recognised; a string, a word or a bracket at the end is complete.
  const hasEnded = /(?:["}\]]|\b(?:true|false|null))\s*$/u.test(text);
  return isWhole && hasEnded ? text + open.toReversed().join("") : text;
}
