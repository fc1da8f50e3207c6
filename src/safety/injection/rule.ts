import { blanks } from "./vocabulary.ts";

/** Where a text comes from; memory and skills are read again and again, so they get stricter rules too. */
export type Surface = "memory" | "context" | "skill" | "tool_result";

export interface InjectionRule {
  readonly rule: string;
  /** `words`: prose, as `wordsOf` writes it. `shown`: marks and big letters still there. */
  readonly view: "words" | "shown";
  readonly shape: RegExp;
  /** Only an order to the reader counts: not "attackers ignore …", not "never ignore …". */
  readonly isOrder?: boolean;
  /** Found in quotes in a text about attacks, it counts too. */
  readonly isNeverMention?: boolean;
  readonly where?: readonly Surface[];
  /** A last look at what matched. */
  readonly holds?: (match: RegExpExecArray) => boolean;
}

/** A rule about prose, from pieces in the words of `vocabulary.ts`. */
export function words(rule: string, shapes: readonly string[], more: Partial<InjectionRule> = {}): InjectionRule {
  return {
    rule,
    view: "words",
    shape: new RegExp(shapes.map((shape) => `(?:${blanks(shape)})`).join("|"), "gu"),
    ...more,
  };
}
