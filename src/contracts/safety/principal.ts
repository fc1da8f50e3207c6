/** The identity on whose behalf a call happens. Sessions, memory, search and grants are stored per `id`. */
export interface Principal {
  /** Stable and unique across hosts: `local:anna`, `telegram:4711`, `api:build-bot`. */
  readonly id: string;
  readonly name?: string;
  /**
   * The principal that owns this one and may answer its questions. Example: an MCP client works for the user who runs
   * the server.
   */
  readonly owner?: string;
}

/** The kind of caller: `script` is execute_code, `client` is an MCP or API client. */
export type Origin = "model" | "script" | "user" | "client" | "schedule" | "plugin";
