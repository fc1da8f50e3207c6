import type { JsonObject } from "../../base/json.ts";

/** A JSON Schema document. It may come from an untrusted source, so code must not rely on its structure. */
export type JsonSchema = JsonObject;

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}
