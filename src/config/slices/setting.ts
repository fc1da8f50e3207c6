import type { z } from "zod";

/**
 * How a project file may change a key. Default: not at all.
 * - `allow`: set it.
 * - `true`, `false`: set only this value, the stricter one.
 * - `lower`: set a smaller number.
 * - `grow`: add to the list. `shrink`: remove from the list.
 * - `within`: select a subset of the current values, including the default.
 * - a list: values from strictest to loosest; set a stricter one.
 */
export type ProjectRule =
  | "never"
  | "allow"
  | "true"
  | "false"
  | "lower"
  | "grow"
  | "shrink"
  | "within"
  | readonly string[];

export interface SettingRules {
  /** The environment variable that sets this key. */
  readonly env?: string;
  readonly project?: ProjectRule;
  /**
   * Hermes does not start with an invalid value of this key, or with an unknown key or invalid value in this section.
   */
  readonly safety?: boolean;
  /** On a section: a plain value sets this key. */
  readonly shorthand?: string;
  /** On a string with a pattern: a description of valid values. */
  readonly expected?: string;
  /** On a record with user-defined names: names that always exist. */
  readonly always?: readonly string[];
  /** The values that `true` and `false` mean, for a key with string values. */
  readonly words?: { readonly true?: string; readonly false?: string };
}

/** A key or section with its description for the reference and its rules. */
export function setting<S extends z.ZodType>(schema: S, description: string, rules: SettingRules = {}): S {
  return schema.meta({ description, rules });
}
