import type { JsonObject } from "../../base/json.ts";

/** Everything that a server offers, as the server sent it: JSON of limited size. Nothing in it is trusted. */
export interface McpListing {
  readonly server: { readonly name: string; readonly version: string; readonly protocolVersion: string };
  readonly instructions?: string;
  readonly tools: readonly McpToolDefinition[];
  readonly prompts: readonly McpPromptDefinition[];
  /** True if the server has resources. */
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  /** Describes to the user which parts were omitted because they exceed a limit or are malformed. */
  readonly problems: readonly string[];
}

export interface McpToolDefinition {
  /** The tool name as the server spells it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: McpAnnotations;
}

/** Hints of the server about the behaviour of a tool. Used only if the settings trust the server. */
export interface McpAnnotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

export interface McpPromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly arguments: readonly McpPromptArgument[];
}

export interface McpPromptArgument {
  readonly name: string;
  readonly description: string;
  readonly isRequired: boolean;
}

export interface McpResource {
  readonly uri: string;
  readonly name: string;
  readonly description: string;
  readonly mimeType?: string;
  readonly size?: number;
  /** True if the address has variables, as in `file:///{path}`. */
  readonly isTemplate: boolean;
}
