import { isObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "./tool-definition.ts";
import type { InputSchema, SchemaVerdict } from "./tool.ts";

/**
 * Input of a tool whose schema is a JSON Schema document, as from MCP servers and some plugins. A validator that is
 * loaded at the first call enforces it completely; `validate` may add a rule and returns the problem, if any.
 */
export function fromJsonSchema(
  schema: JsonSchema,
  validate?: (args: JsonObject) => string | undefined,
): InputSchema<JsonObject> {
  let validator: Promise<Validate> | undefined;
  return {
    "~standard": {
      version: 1,
      vendor: "hermes-json-schema",
      jsonSchema: { input: () => ({ ...schema }) },
      async validate(value) {
        validator ??= compile(schema);
        const issues = (await validator)(value);
        if (issues.length > 0) return { issues };
        // The value passed an object schema; the kernel passes only objects.
        const args = value as JsonObject;
        const wrong = validate?.(args);
        return wrong === undefined ? { value: args } : { issues: [{ message: wrong }] };
      },
    },
  };
}

type Issues = Extract<SchemaVerdict<never>, { issues: readonly unknown[] }>["issues"];
type Validate = (value: unknown) => Issues;

async function compile(schema: JsonSchema): Promise<Validate> {
  const { Validator } = await import("@cfworker/json-schema");
  const validator = new Validator(withNull(schema), "2020-12", false);
  return (value) => {
    const { valid, errors } = validator.validate(value);
    if (valid) return [];
    // Returns the deepest error, because the others only repeat that their parents failed.
    const deepest = Math.max(...errors.map((error) => depthOf(error.instanceLocation)));
    return errors
      .filter((error) => depthOf(error.instanceLocation) === deepest)
      .map((error) => ({ message: error.error, path: error.instanceLocation.split("/").slice(1) }));
  };
}

/** Converts `nullable: true` of OpenAPI to JSON Schema. */
function withNull(schema: JsonSchema): JsonSchema {
  // A copy of JSON is JSON.
  return JSON.parse(JSON.stringify(schema), (_key, node: unknown) => {
    if (!isObject(node) || node.nullable !== true || typeof node.type !== "string") return node;
    const type = [node.type, "null"];
    return Array.isArray(node.enum) ? { ...node, type, enum: [...(node.enum as unknown[]), null] } : { ...node, type };
  }) as JsonSchema;
}

function depthOf(location: string): number {
  return location.split("/").length;
}
