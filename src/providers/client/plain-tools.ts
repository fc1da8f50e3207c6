import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import type { ToolDefinition } from "../../contracts/tool/tool.ts";

/** Tools without what servers stumble over in schemas, and without the keywords that the refusal names. */
export function plainTools(tools: readonly ToolDefinition[], refusal: string): readonly ToolDefinition[] {
  const named = [...refusal.matchAll(/['"`$]([a-zA-Z]{3,40})['"`]/gu)].map(([, word = ""]) => word);
  const dropped = new Set([...fragile, ...named.filter((word) => !essential.has(word))]);
  return tools.map((tool) => ({ ...tool, inputSchema: plain(tool.inputSchema, dropped) as JsonObject }));
}

/** Below `properties` are names of the tool's own, which are never keywords. */
function plain(node: JsonValue, dropped: ReadonlySet<string>, areNames = false): JsonValue {
  if (Array.isArray(node)) return node.map((item: JsonValue) => plain(item, dropped));
  if (!isObject(node)) return node;
  const kept = Object.entries(node).filter(([key, value]) => {
    if (areNames) return true;
    if (key === "enum")
      return !(Array.isArray(value) && value.some((word) => typeof word === "string" && /[/\\]/u.test(word)));
    return !dropped.has(key);
  });
  return Object.fromEntries(
    kept.map(([key, value]) => [key, plain(value, dropped, !areNames && key === "properties")]),
  );
}

const fragile: readonly string[] = [
  "pattern",
  "format",
  "default",
  "examples",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "multipleOf",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "propertyNames",
  "patternProperties",
  "contentEncoding",
  "contentMediaType",
  "title",
];

/** Without these a schema says nothing any more. */
const essential: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "items",
  "enum",
  "description",
  "object",
]);
