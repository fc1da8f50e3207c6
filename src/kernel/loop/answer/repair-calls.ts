import { type CallId, newId } from "../../../base/ids.ts";
import { isObject, parsedJson } from "../../../base/json.ts";
import type { AssistantMessage, ToolCall } from "../../../contracts/model/message.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";

/** An answer as it goes into the history. */
export interface RepairedAnswer {
  readonly message: AssistantMessage;
  /** A call whose arguments are cut off, since the answer was too long: nothing of it can be run. */
  readonly isCutOff: boolean;
}

/**
 * Makes the calls of an answer fit to run: ids that no other call of the conversation has, names as the catalog spells
 * them, arguments mended where a model slipped, the same call only once. The dispatcher reports other faults to the model.
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
  // The data of the provider counts the calls: it does not fit fewer.
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
 * The tool that a model intended by a name that does not exist: other case, dashes or blanks for underscores, `ReadFile`,
 * `read_file_tool`, `functions.read_file:0`, `read_file<|channel|>`, the name twice. Only a name that fits one tool
 * counts; a similar spelling does not, since the call would do something else.
 */
function intendedTool(name: string, catalog: Catalog): string | undefined {
  if (catalog.find(name)) return name;
  const spelled = plain(name);
  const once = spelled.replace(/^(.+?)\1+$/u, "$1");
  for (const spelling of new Set([spelled, once])) {
    const matches = catalog.names.filter((each) => plain(each) === spelling);
    if (matches.length > 0) return matches.length === 1 ? matches[0] : undefined;
  }
  return undefined;
}

/** Names of tools are shorter; the text of a model has no bound. */
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
 * Arguments as text, mended where a model slipped and only one thing can be meant: a fence around them, an object inside
 * a string, line breaks that are not escaped, a comma before a bracket that closes, quotes and words as Python writes
 * them, backslashes that are not doubled, the same object twice, brackets at the end that are missing or too many.
 * Anything else stays as it is. `isWhole`: the answer came to its end; nothing that was cut off is completed, since what
 * is missing could change what is done.
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

/** Strings and words as in JSON; trailing commas before `}` and `]` are removed. */
function rewritten(text: string): string {
  return text.replaceAll(token, (match: string, quote: string | undefined, end: string | undefined) => {
    if (quote === undefined) return words[match] ?? "";
    if (end === "") return match;
    return escaped(quote === '"' ? match : `"${match.slice(1, -1).replaceAll('"', String.raw`\"`)}"`);
  });
}

/** An unterminated string is consumed completely, so that its end is not searched again from every quote in it. */
const token = /(["'])(?:(?!\1)[^\\]|\\[\s\S])*(\1?)|\b(?:True|False|None)\b|,(?=\s*[}\]])/gu;
const words: Readonly<Record<string, string>> = { True: "true", False: "false", None: "null" };

/** `\d` can only mean a backslash, unless it stands beside `\n` and the like: there both may. */
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

// oxlint-disable-next-line no-control-regex -- these are what is looked for
const special = /[\\\u0000-\u001F]/u;
const pair = /\\[\s\S]/gu;

/** One object, with all of its brackets and no more. */
function balanced(text: string, isWhole: boolean): string {
  const open: string[] = [];
  for (const { 0: match, index } of text.matchAll(/"(?:[^"\\]|\\[\s\S])*"?|[[\]{}]/gu)) {
    if (match === "{" || match === "[") open.push(match === "{" ? "}" : "]");
    else if (!match.startsWith('"') && open.pop() !== match) return text;
    if (open.length > 0) continue;
    const [first, rest] = [text.slice(0, index + 1), text.slice(index + 1)];
    return /^[\s}\]]*$/u.test(rest) || rest.replaceAll(first, "").trim() === "" ? first : text;
  }
  // A number may have been cut; a string, a word and a bracket are complete.
  const hasEnded = /(?:["}\]]|\b(?:true|false|null))\s*$/u.test(text);
  return isWhole && hasEnded ? text + open.toReversed().join("") : text;
}
