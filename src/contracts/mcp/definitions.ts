import type { JsonObject } from "../../base/json.ts";

/** Everything that a server offers, in its own words. Bounded JSON; nothing in it is trusted. */
export interface McpListing {
  readonly server: { readonly name: string; readonly version: string; readonly protocolVersion: string };
  readonly instructions?: string;
  readonly tools: readonly McpToolDefinition[];
  readonly prompts: readonly McpPromptDefinition[];
  /** It has resources. */
  readonly hasResources: boolean;
  readonly hasCompletions: boolean;
  /** Parts that were left out because of a limit or because they are malformed, for a person. */
  readonly problems: readonly string[];
}

export interface McpToolDefinition {
  /** As the server spells it. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: McpAnnotations;
}

/** Claims of a server about a tool. Believed only if the settings trust the server. */
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
  /** The address has variables, as in `file:///{path}`. */
  readonly isTemplate: boolean;
}
