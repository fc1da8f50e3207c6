import type { McpPromptDefinition } from "./definitions.ts";
import type { McpServerEntry } from "./server-entry.ts";

/** A server and its current state. */
export interface McpServerStatus {
  readonly name: string;
  readonly state: McpServerState;
  /** A sentence for a person about any state but `connected` and `known`: the reason, and what to do. */
  readonly why?: string;
  /** Undefined: the settings of the server cannot be used. */
  readonly entry?: McpServerEntry;
  /** From the connection or the cache, like `tools`. */
  readonly prompts: readonly McpPromptDefinition[];
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  /** Tools that may be called, by their names in Hermes. */
  readonly tools: readonly string[];
  /** Tools that are off until a person accepts them. */
  readonly waiting: readonly WaitingTool[];
  /** A stdio server that runs with all rights of the user. */
  readonly isUnconfined: boolean;
  /** The end of its log. */
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
  /** `changed`: since it was accepted. `suspicious`: its description looks like orders to the model. */
  readonly reason: "changed" | "suspicious" | "collision";
  /** Details for a person: the difference, or the finding. */
  readonly detail: string;
}
