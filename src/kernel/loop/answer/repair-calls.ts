import { type CallId, newId } from "../../../base/ids.ts";
import type { AssistantMessage, ToolCall } from "../../../contracts/model/message.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";
import { mendedArguments } from "./mend-arguments.ts";

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
    const args = typeof call.args === "string" ? mendedArguments(call.args.trim(), isWhole) : call.args;
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
