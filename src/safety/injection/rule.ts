/** The source of a text. Memory and skills are read repeatedly, so stricter rules apply to them. */
export type Surface = "memory" | "context" | "skill" | "tool_result";

/** A pattern that is matched against the visible text. */
export interface InjectionRule {
  readonly rule: string;
  readonly shape: RegExp;
  /** True if the match is a finding even inside quotes in a text about attacks. */
  readonly isNeverMention?: boolean;
  readonly where?: readonly Surface[];
  /** A final check of the match. */
  readonly holds?: (match: RegExpExecArray) => boolean;
}
