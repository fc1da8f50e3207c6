import type { z } from "zod";

/**
 * What a project file may do with a key. Left out: nothing.
 * - `allow`: set it.
 * - `true`, `false`: only this value is the stricter one.
 * - `lower`: only a smaller number.
 * - `grow`: add to the list. `shrink`: take from the list.
 * - `within`: choose among what is chosen already, the default included.
 * - a list: the values from strictest to loosest; only a stricter one.
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
  /** The environment name that sets this key. */
  readonly env?: string;
  readonly project?: ProjectRule;
  /** On a section: an unknown key or bad value stops the start. On a key: a bad value does. */
  readonly safety?: boolean;
  /** On a section: a plain value in its place means this key of it. */
  readonly shorthand?: string;
  /** On a text with a pattern: what it must be, in words. */
  readonly expected?: string;
  /** On names that the user makes up: these are there from the beginning. */
  readonly always?: readonly string[];
  /** What `true` and `false` mean for a key whose values are words. */
  readonly words?: { readonly true?: string; readonly false?: string };
}

/** A key or section with its text for the reference and its rules. */
export function setting<S extends z.ZodType>(schema: S, description: string, rules: SettingRules = {}): S {
  return schema.meta({ description, rules });
}
