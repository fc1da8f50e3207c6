import { isObject } from "../../base/json.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";

/** The parameters of a tool as rows of name, type and description. A star marks required ones. */
export function schemaLines(schema: JsonSchema): readonly (readonly [string, string, string])[] {
  const { properties, required } = schema;
  if (!isObject(properties)) return [];
  const needed = Array.isArray(required) ? required : [];
  return Object.entries(properties).map(([name, property]) => [
    needed.includes(name) ? `${name}*` : name,
    typeOf(property),
    isObject(property) && typeof property.description === "string" ? property.description : "",
  ]);
}

function typeOf(property: unknown): string {
  if (!isObject(property)) return "any";
  if (Array.isArray(property.enum)) return property.enum.map((value) => JSON.stringify(value)).join(" | ");
  const branches = property.anyOf ?? property.oneOf;
  if (Array.isArray(branches)) return branches.map(typeOf).join(" | ");
  if (property.type === "array") return `${typeOf(property.items)}[]`;
  if (Array.isArray(property.type)) return property.type.join(" | ");
  return typeof property.type === "string" ? property.type : "any";
}
