/** A named bundle of tools: what a user switches on and off. */
export interface Toolset {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly includes?: readonly string[];
  /**
   * `preset`: everything a platform offers; `posture`: a way of working. Disabling one takes away only what it adds to
   * the core tools. `explicit`: never part of `all`, only switched on by name.
   */
  readonly role?: "preset" | "posture" | "explicit";
}

/**
 * Which tools a conversation has, in this order: the enabled sets (all when left out), minus the disabled sets, plus
 * tools enabled by name, minus tools disabled by name.
 */
export interface ToolSelection {
  readonly enabled?: readonly string[];
  readonly disabled?: readonly string[];
  readonly enabledTools?: readonly string[];
  readonly disabledTools?: readonly string[];
}
