import { isObject, type JsonValue } from "../../../base/json.ts";
import type { JsonSchema } from "../../../contracts/tool/tool-definition.ts";

/**
 * A description without the sentences that send the model to a tool it cannot call. Only names that are not plain words
 * are recognised (`web_search`, not `terminal`); a tool that mentions others says so in its `refine`.
 */
export function withoutMentions(text: string, isGone: (name: string) => boolean): string {
  const mentionsGone = (part: string) => part.match(compoundName)?.some(isGone) ?? false;
  if (!mentionsGone(text)) return text;
  const kept = text
    .split(sentenceEnd)
    .filter((part) => !mentionsGone(part))
    .join("")
    .trim();
  return kept || text.replace(compoundName, (name) => (isGone(name) ? "another tool" : name));
}

/** The same for every description inside a schema. */
export function schemaWithoutMentions(schema: JsonSchema, isGone: (name: string) => boolean): JsonSchema {
  if (!JSON.stringify(schema).match(compoundName)?.some(isGone)) return schema;
  // An object maps to an object.
  return visit(schema, isGone) as JsonSchema;
}

const compoundName = /(?<![\w-])[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)+(?![\w-])/g;
const sentenceEnd = /(?<=(?<!\be\.g|\bi\.e)[.!?]\s|\n)/u;
/** Values, in which a key called "description" describes nothing. */
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
