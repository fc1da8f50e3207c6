/** Where a text comes from; memory and skills are read again and again, so they get stricter rules too. */
export type Surface = "memory" | "context" | "skill" | "tool_result";

/** A pattern in the visible text. */
export interface InjectionRule {
  readonly rule: string;
  readonly shape: RegExp;
  /** Found in quotes in a text about attacks, it counts too. */
  readonly isNeverMention?: boolean;
  readonly where?: readonly Surface[];
  /** A final check of the match. */
  readonly holds?: (match: RegExpExecArray) => boolean;
}
