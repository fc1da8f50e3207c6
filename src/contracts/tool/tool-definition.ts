import type { JsonObject } from "../../base/json.ts";

/** A JSON Schema document. Its shape is never assumed, because it may come from anywhere. */
export type JsonSchema = JsonObject;

/** A tool as the model sees it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
}
