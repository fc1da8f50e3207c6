/** On whose behalf a call happens. Sessions, memory, search and grants are keyed by `id`. */
export interface Principal {
  /** Stable and unique across hosts: `local:anna`, `telegram:4711`, `api:build-bot`. */
  readonly id: string;
  readonly name?: string;
  /**
   * The principal that it works for and that may answer its questions: an MCP client works for the user who serves it.
   */
  readonly owner?: string;
}

/** The caller: `script` is execute_code, `client` an MCP or API client. */
export type Origin = "model" | "script" | "user" | "client" | "schedule" | "plugin";
