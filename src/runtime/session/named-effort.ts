import { reasoningEfforts, type ReasoningEffort } from "../../contracts/model/model.ts";

/** How much to think, as settings and command lines say it; undefined for a word that means nothing here. */
export function effortNamed(word: string): ReasoningEffort | undefined {
  const wanted = word.trim().toLowerCase();
  return others.get(wanted) ?? reasoningEfforts.find((each) => each === wanted);
}

/** Nothing is more than xhigh here. */
const others: ReadonlyMap<string, ReasoningEffort> = new Map([
  ["none", "off"],
  ["max", "xhigh"],
  ["ultra", "xhigh"],
]);
