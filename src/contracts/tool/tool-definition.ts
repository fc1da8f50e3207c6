import type { JsonObject } from "../../base/json.ts";

/** A JSON Schema document. Its own shape is never assumed: it may come from anywhere. */
export type JsonSchema = JsonObject;

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}
