import { isObject, type JsonObject } from "../../../base/json.ts";
import { valueOr } from "../../../base/result.ts";
import type { AnswerDraft, CallDraft } from "../answer-draft.ts";

export interface CallSorter {
  /** One entry of `tool_calls`: a whole call, or a part of one. */
  take(entry: unknown, isWhole: boolean): void;
}

/**
 * Finds the call that a delta belongs to. Servers differ: they number calls, use ids, both or neither, number all calls
 * 0, give all calls the same id, or use a new id for each delta.
 */
export function createCallSorter(draft: AnswerDraft): CallSorter {
  const byIndex = new Map<number, CallDraft>();
  const byId = new Map<string, CallDraft>();

  function find(index: number | undefined, id: string, name: string, args: string): CallDraft | undefined {
    const numbered = index === undefined ? undefined : byIndex.get(index);
    const match = id === "" ? undefined : numbered?.id === id ? numbered : byId.get(id);
    if (match) {
      const isOther = index !== undefined && numbered === undefined;
      return name !== "" && (isOther || beginsAnew(match, args)) ? undefined : match;
    }
    const last = index === undefined ? draft.calls.at(-1) : numbered;
    if (last === undefined) return undefined;
    // A delta without a name continues the last call, whatever its id.
    if (name === "") return last;
    if (id !== "" && last.id !== undefined) return undefined;
    if (index === undefined && id !== "") return undefined;
    // A repeated name starts another call if the previous call is complete and the delta starts new arguments.
    return beginsAnew(last, args) || (index === undefined && isComplete(last.argsSoFar())) ? undefined : last;
  }

  return {
    take(entry, isWhole) {
      if (!isObject(entry)) return;
      const { index, id, type: _type, function: about, ...more } = entry;
      const called = isObject(about) ? about : {};
      const name = typeof called["name"] === "string" ? called["name"] : "";
      const args = argumentsIn(called["arguments"]);
      const number = typeof index === "number" && !isWhole ? index : undefined;
      const named = typeof id === "string" ? id : "";
      const match = isWhole ? undefined : find(number, named, name, args);
      // Some servers send an empty call with every text.
      if (!match && named === "" && name === "" && args === "") return;
      const call = match ?? draft.addCall();
      if (named !== "" && call.id === undefined) call.id = named;
      if (number !== undefined) byIndex.set(number, call);
      if (named !== "") byId.set(named, call);
      // Safe cast: the value was parsed from JSON.
      if (Object.keys(more).length > 0) call.extra = { ...call.extra, ...(more as JsonObject) };
      call.named(name);
      call.argued(args);
    },
  };
}

function argumentsIn(value: unknown): string {
  if (typeof value === "string") return value;
  return isObject(value) ? JSON.stringify(value) : "";
}

function beginsAnew(call: CallDraft, args: string): boolean {
  return args.trimStart().startsWith("{") && isComplete(call.argsSoFar());
}

function isComplete(args: string): boolean {
  return valueOr(() => isObject(JSON.parse(args)), false);
}
