import { admit, isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { JsonSchema, Tool } from "../../contracts/tool.ts";
import { toolAs } from "./tool-as.ts";

/**
 * The tool as a copy that its author cannot change any more, or why no catalog can carry it: its shape, name or schema
 * would break a request. Never throws, whatever it is given.
 */
export function admitTool(tool: Tool): Result<Tool, string> {
  try {
    if (!isObject(tool) || typeof tool.prepare !== "function") return err("not a tool; write it with defineTool");
    const copy = toolAs(tool, {});
    const fault = faultOf(copy);
    if (fault !== undefined) return err(fault);
    const inputSchema = copySchema(copy.inputSchema);
    return inputSchema.ok ? ok(Object.freeze(toolAs(copy, { inputSchema: inputSchema.value }))) : inputSchema;
  } catch (thrown) {
    return err(`its fields cannot be read: ${reasonOf(thrown)}`);
  }
}

const schemaLimits = { maxChars: 1_000_000, maxDepth: 100 };
const namePattern = /^[A-Za-z0-9_-]{1,64}$/;

/** Tools come from foreign code as well, where the types hold nobody back. */
function faultOf(tool: { readonly [K in keyof Tool]: unknown }): string | undefined {
  if (typeof tool.name !== "string" || !namePattern.test(tool.name)) {
    return 'the name must be 1 to 64 letters, digits, "_" or "-"';
  }
  if (typeof tool.toolset !== "string" || tool.toolset.trim() === "") return "toolset must be a name";
  if (typeof tool.description !== "string") return "description must be text";
  if (!isTextList(tool.needs)) return "needs must be a list of service names";
  if (!isTextList(tool.requiresEnv)) return "requiresEnv must be a list of environment names";
  if (!isObject(tool.traits)) return "traits must be an object";
  return undefined;
}

function copySchema(schema: unknown): Result<JsonSchema, string> {
  if (!isObject(schema)) return err("inputSchema must be a JSON Schema object");
  const admitted = admit(schema, schemaLimits);
  if (!admitted.ok) return err(`inputSchema: ${admitted.error}`);
  // An object that was admitted is an object still.
  return ok(deepFreeze(admitted.value as JsonObject));
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Only for what `admit` copied: no cycles, no depth beyond its limit. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
