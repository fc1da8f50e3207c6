/** The source of a text. Memory and skills are read repeatedly, so they get stricter rules. */
export type Surface = "memory" | "context" | "skill" | "tool_result";

/** A pattern in the visible text. */
export interface InjectionRule {
  readonly rule: string;
  readonly shape: RegExp;
  /** True: it is a finding even in quotes in a text about attacks. */
  readonly isNeverMention?: boolean;
  readonly where?: readonly Surface[];
  /** A final check of the match. */
  readonly holds?: (match: RegExpExecArray) => boolean;
}
