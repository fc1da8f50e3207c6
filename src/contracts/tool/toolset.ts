/** A named bundle of tools that a user enables and disables. */
export interface Toolset {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly includes?: readonly string[];
  /**
   * `preset`: everything that a platform offers. `posture`: a way of working. Disabling either one removes only its
   * tools that are not core tools. `explicit`: never part of `all`, enabled only by name.
   */
  readonly role?: "preset" | "posture" | "explicit";
}

/**
 * Selects the tools of a session in this order: the enabled sets (default: all), minus the disabled sets, plus tools
 * enabled by name, minus tools disabled by name. `only` and `never` come last: they limit the tools of a child agent.
 */
export interface ToolSelection {
  readonly enabled?: readonly string[];
  readonly disabled?: readonly string[];
  readonly enabledTools?: readonly string[];
  readonly disabledTools?: readonly string[];
  /** Allows only these tools. Undefined: no restriction. */
  readonly only?: readonly string[];
  readonly never?: readonly string[];
}
