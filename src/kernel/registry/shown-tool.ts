import { isObject, type JsonValue, type JsonObject } from "../../base/json.ts";
import { reasonOf, type Result, err, ok } from "../../base/result.ts";
import type { ToolDefinition, JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { CatalogView } from "../../contracts/tool/tool-index.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { admitTool } from "./tool-admission.ts";
import { toolAs } from "./tool-as.ts";

/** A tool as one catalog shows it. */
export interface ShownTool {
  readonly tool: Tool;
  /** The reason why the result of the tool's refine function was not used. */
  readonly notice?: string;
}

/**
 * Returns the tool, adapted by its own `refine` to this view, under its registered name and without references to tools
 * that `isGone`. Never throws: if `refine` fails, the tool stays unchanged.
 */
export function showTool(tool: Tool, view: CatalogView, isGone: (name: string) => boolean): ShownTool {
  // Fast path: the tool has nothing to refine, so its description need not be read.
  if (tool.card) return { tool };
  const refined = refine(tool, view);
  const base = refined.ok ? refined.value : tool;
  const { name } = tool;
  const description = withoutMentions(base.description, isGone);
  const inputSchema = schemaWithoutMentions(base.inputSchema, isGone);
  const isSame = name === base.name && description === base.description && inputSchema === base.inputSchema;
  const shown = isSame ? base : toolAs(base, { name, description, inputSchema });
  return refined.ok ? { tool: shown } : { tool: shown, notice: `${tool.name}: ${refined.error}` };
}

export function definitionOf({ name, description, inputSchema }: Tool): ToolDefinition {
  return Object.freeze({ name, description, inputSchema: leanSchema(inputSchema) });
}

function refine(tool: Tool, view: CatalogView): Result<Tool, string> {
  if (!tool.refine) return ok(tool);
  try {
    const refined = admitTool(tool.refine(view));
    return refined.ok ? refined : err(`its refinement is not used: ${refined.error}`);
  } catch (thrown) {
    return err(`its refinement failed and is not used: ${reasonOf(thrown)}`);
  }
}

/**
 * Removes sentences of a description that refer to a tool that the model cannot call. Recognises only names that are
 * not plain words (`web_search`, not `terminal`); a tool that mentions such names must handle it in its `refine`.
 */
export function withoutMentions(text: string, isGone: (name: string) => boolean): string {
  if (!text.includes("_")) return text;
  const mentionsGone = (part: string) => part.match(compoundName)?.some(isGone) ?? false;
  if (!mentionsGone(text)) return text;
  const kept = text
    .split(sentenceEnd)
    .filter((part) => !mentionsGone(part))
    .join("")
    .trim();
  return kept || text.replace(compoundName, (name) => (isGone(name) ? "another tool" : name));
}

/** Removes such sentences from every description inside a schema. */
export function schemaWithoutMentions(schema: JsonSchema, isGone: (name: string) => boolean): JsonSchema {
  const text = JSON.stringify(schema);
  if (!text.includes("_") || !text.match(compoundName)?.some(isGone)) return schema;
  // Safe cast: an object is mapped to an object.
  return visit(schema, isGone) as JsonSchema;
}

const compoundName = /(?<![\w-])[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)+(?![\w-])/g;
const sentenceEnd = /(?<=(?<!\be\.g|\bi\.e)[.!?]\s|\n)/u;
/** Keywords whose values are data, in which a key called "description" is not a description. */
const valueKeys: ReadonlySet<string> = new Set(["default", "enum", "const", "examples"]);

function visit(node: JsonValue, isGone: (name: string) => boolean): JsonValue {
  if (Array.isArray(node)) return Object.freeze(node.map((item) => visit(item, isGone)));
  if (!isObject(node)) return node;
  const entries = Object.entries(node).map(([key, value]) => {
    if (valueKeys.has(key)) return [key, value];
    return [
      key,
      key === "description" && typeof value === "string" ? withoutMentions(value, isGone) : visit(value, isGone),
    ];
  });
  return Object.freeze(Object.fromEntries(entries));
}

/**
 * Removes schema keywords that do not help a model: bounds of every integer, "not negative", "not empty", sizes that
 * ordinary calls never reach, and defaults that mean off, zero or empty. The full schema is still enforced, and the
 * error for a violation explains it.
 */
export function leanSchema(schema: JsonObject): JsonObject {
  const lean: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(schema)) {
    if (!isNoise(key, value)) lean[key] = leanValue(key, value);
  }
  return Object.freeze(lean);
}

function isNoise(key: string, value: JsonValue): boolean {
  switch (key) {
    case "maximum":
      return value === Number.MAX_SAFE_INTEGER;
    case "minimum":
      return value === Number.MIN_SAFE_INTEGER || value === 0;
    case "exclusiveMinimum":
      return value === 0;
    case "minLength":
      return value === 1;
    case "maxLength":
      return typeof value === "number" && value >= 500;
    case "maxItems":
      return typeof value === "number" && value >= 50;
    case "default":
      return value === false || value === 0 || ["[]", "{}"].includes(JSON.stringify(value));
    case "propertyNames":
      return isSchema(value) && Object.keys(value).length === 1 && value["type"] === "string";
    case "additionalProperties":
      return isSchema(value) && Object.keys(value).length === 0;
    default:
      return false;
  }
}

/** The keys below `properties` and similar keywords are names that the author chose, not keywords of JSON Schema. */
function leanValue(key: string, value: JsonValue): JsonValue {
  if (named.has(key) && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, isSchema(each) ? leanSchema(each) : each]),
    );
  }
  if (listed.has(key) && Array.isArray(value)) return value.map((each) => (isSchema(each) ? leanSchema(each) : each));
  return single.has(key) && isSchema(value) ? leanSchema(value) : value;
}

const named: ReadonlySet<string> = new Set(["properties", "$defs", "definitions", "patternProperties"]);
const listed: ReadonlySet<string> = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const single: ReadonlySet<string> = new Set(["items", "additionalProperties", "not", "contains"]);

function isSchema(value: JsonValue): value is JsonObject {
  return isObject(value);
}
