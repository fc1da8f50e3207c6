/** Where a text comes from; memory and skills are read again and again, so they get stricter rules too. */
export type Surface = "memory" | "context" | "skill" | "tool_result";

/** Something that is known by its shape, in the text as a person reads it. */
export interface InjectionRule {
  readonly rule: string;
  readonly shape: RegExp;
  /** Found in quotes in a text about attacks, it counts too. */
  readonly isNeverMention?: boolean;
  readonly where?: readonly Surface[];
  /** A last look at what matched. */
  readonly holds?: (match: RegExpExecArray) => boolean;
}
