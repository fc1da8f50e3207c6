import { type CallId, newId } from "../../base/ids.ts";
import type { AssistantMessage, ToolCall } from "../../contracts/message.ts";
import type { Catalog } from "../../contracts/registry.ts";
import { meantTool } from "./tool-names.ts";

/** An answer as it goes into the history. */
export interface RepairedAnswer {
  readonly message: AssistantMessage;
  /** A call whose arguments are cut off, since the answer was too long: nothing of it can be run. */
  readonly isCutOff: boolean;
}

/**
 * Makes the calls of an answer fit to run: ids that no other call of the conversation has, names as the catalog spells
 * them, the same call only once. What is wrong beyond that is told to the model by the dispatcher.
 */
export function repairCalls(
  answer: AssistantMessage,
  catalog: Catalog,
  isTaken: (id: CallId) => boolean,
): RepairedAnswer {
  const taken = new Set<CallId>();
  const seen = new Set<string>();
  const calls: ToolCall[] = [];
  for (const call of answer.calls) {
    const args = textOf(call);
    const name = meantTool(call.name, catalog) ?? call.name;
    const same = `${name} ${args}`;
    if (seen.has(same)) continue;
    seen.add(same);
    const isFree = call.id !== "" && !taken.has(call.id) && !isTaken(call.id);
    const id = isFree ? call.id : newId<CallId>("call");
    taken.add(id);
    calls.push({ id, name, args: args === "" ? {} : call.args });
  }
  const isCutOff = answer.stop === "length" && calls.some(({ args }) => typeof args === "string" && !isJson(args));
  return { message: { ...answer, calls }, isCutOff };
}

function textOf({ args }: ToolCall): string {
  return typeof args === "string" ? args.trim() : JSON.stringify(args);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
