import type { McpPromptDefinition } from "./definitions.ts";
import type { McpServerEntry } from "./server-entry.ts";

/** A server and its current state. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  /** A sentence for a user about every state except `connected` and `known`: the reason, and what to do. */
  readonly why?: string;
  /** The settings of the server. Undefined if they are invalid. */
  readonly entry?: McpServerEntry;
  /** The prompts of the server, from the connection or the cache, like `tools`. */
  readonly prompts: readonly McpPromptDefinition[];
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  /** Tools that may be called, by their names in Hermes. */
  readonly tools: readonly string[];
  /** Tools that cannot be called until a person accepts them. */
  readonly waiting: readonly WaitingTool[];
  /** True for a stdio server that runs outside a sandbox, with all rights of the user. */
  readonly isUnconfined: boolean;
  /** The last lines of the server's log. */
  readonly log: readonly string[];
}

/**
 * - `new`: nothing is known of it yet; `hermes mcp test` and the next chat connect.
 * - `connected`
 * - `known`: its tools are known from the cache; the first call connects.
 * - `connecting`
 * - `retrying`: it failed; the next try is scheduled.
 * - `signed_out`: it needs `hermes mcp login`.
 * - `asking`: a person has to accept its program first.
 * - `disabled`: by the settings or by safe mode.
 * - `broken`: its settings cannot be used.
 */
export type McpServerState =
  | "new"
  | "connected"
  | "known"
  | "connecting"
  | "retrying"
  | "signed_out"
  | "asking"
  | "disabled"
  | "broken";

export interface WaitingTool {
  /** The tool name in the server's own spelling. */
  readonly tool: string;
  /**
   * `changed`: the tool changed after it was accepted. `suspicious`: its description looks like instructions to the
   * model.
   */
  readonly reason: "changed" | "suspicious" | "collision";
  /** Details for a user: the difference to the accepted definition, or the suspicious text. */
  readonly detail: string;
}
