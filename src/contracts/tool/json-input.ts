import { once } from "../../base/async/once.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import type { JsonSchema } from "./tool-definition.ts";
import type { InputSchema, SchemaVerdict } from "./tool.ts";

/**
 * The input of a tool whose schema is a JSON Schema document, as from MCP servers and some plugins. A validator, loaded
 * at the first call, enforces the whole schema. `validate` may add a rule and returns the problem, if any.
 */
export function fromJsonSchema(
  schema: JsonSchema,
  validate?: (args: JsonObject) => string | undefined,
): InputSchema<JsonObject> {
  let validator: Promise<Validate> | undefined;
  const isPlainlyValid = once(() => plainCheck(schema));
  const accepted = (value: unknown): SchemaVerdict<JsonObject> => {
    // The value passed an object schema; the kernel passes only objects.
    const args = value as JsonObject;
    const wrong = validate?.(args);
    return wrong === undefined ? { value: args } : { issues: [{ message: wrong }] };
  };
  async function validateFully(value: unknown): Promise<SchemaVerdict<JsonObject>> {
    validator ??= compile(schema);
    const issues = (await validator)(value);
    return issues.length > 0 ? { issues } : accepted(value);
  }
  return {
    "~standard": {
      version: 1,
      vendor: "hermes-json-schema",
      jsonSchema: { input: () => ({ ...schema }) },
      validate: (value) => (isPlainlyValid()?.(value) ? accepted(value) : validateFully(value)),
    },
  };
}

/**
 * A fast check for schemas of plain values, which are most schemas. True means valid; otherwise the validator decides and
 * explains. Undefined: the schema uses more.
 */
function plainCheck({
  type,
  properties,
  required = [],
  ...others
}: JsonSchema): ((value: unknown) => boolean) | undefined {
  if (type !== "object" || !isObject(properties) || !Array.isArray(required)) return undefined;
  if (!Object.keys(others).every((key) => isNote(key))) return undefined;
  const types = new Map<string, unknown>();
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) return undefined;
    const { type: kind, ...more } = property;
    if (!plainTypes.has(kind) || !Object.keys(more).every((key) => isNote(key))) return undefined;
    types.set(name, kind);
  }
  return (value) => {
    if (!isObject(value)) return false;
    for (const name of required) if (typeof name !== "string" || !Object.hasOwn(value, name)) return false;
    for (const name of Object.keys(value)) {
      const kind = types.get(name);
      if (kind === undefined) continue;
      const given = value[name];
      if (kind === "integer" ? !Number.isInteger(given) : typeof given !== kind) return false;
    }
    return true;
  };
}

const plainTypes: ReadonlySet<unknown> = new Set(["string", "number", "integer", "boolean"]);

/** A keyword that forbids nothing. */
function isNote(key: string): boolean {
  return key === "description" || key === "title" || key === "default" || key === "$schema";
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
  // Safe cast: a copy of JSON is JSON.
  return JSON.parse(JSON.stringify(schema), (_key, node: unknown) => {
    if (!isObject(node) || node.nullable !== true || typeof node.type !== "string") return node;
    const type = [node.type, "null"];
    return Array.isArray(node.enum) ? { ...node, type, enum: [...(node.enum as unknown[]), null] } : { ...node, type };
  }) as JsonSchema;
}

function depthOf(location: string): number {
  return location.split("/").length;
}
