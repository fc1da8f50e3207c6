import { checkJson, isObject, isReservedName, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import { defaultTraits, toolNamePattern } from "../../contracts/tool/define-tool.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { toolAs } from "./tool-as.ts";

/**
 * A copy of the tool that its author can no longer change, or the reason why no catalog can contain it: its shape, name
 * or schema would break a request. Never throws. `isOwn`: the host created the tool from parts that it has checked and
 * copied before.
 */
export function admitTool(tool: Tool, isOwn = false): Result<Tool, string> {
  try {
    if (!isObject(tool) || typeof tool.prepare !== "function") return err("not a tool; write it with defineTool");
    if (isOwn) {
      const fault = faultOf(tool);
      return fault === undefined ? ok(Object.freeze({ ...tool })) : err(fault);
    }
    const copy = toolAs(tool, {});
    const fault = faultOf(copy);
    if (fault !== undefined) return err(fault);
    const inputSchema = copySchema(copy.inputSchema);
    if (!inputSchema.ok) return inputSchema;
    const header = {
      inputSchema: inputSchema.value,
      description: copy.description.toWellFormed(),
      needs: Object.freeze([...copy.needs]),
      requiresEnv: Object.freeze([...copy.requiresEnv]),
      traits: Object.freeze({ ...defaultTraits, ...defined(copy.traits) }),
      emoji: typeof copy.emoji === "string" ? copy.emoji : "⚡",
    };
    return ok(Object.freeze(toolAs(copy, header)));
  } catch (thrown) {
    return err(`its fields cannot be read: ${reasonOf(thrown)}`);
  }
}

const schemaLimits = { maxChars: 1_000_000, maxDepth: 100 };

/** Tools may come from third-party code that ignores the types. */
function faultOf(tool: { readonly [K in keyof Tool]: unknown }): string | undefined {
  if (typeof tool.name !== "string" || !toolNamePattern.test(tool.name)) {
    return 'the name must be 1 to 64 letters, digits, "_" or "-"';
  }
  if (isReservedName(tool.name)) return "the name is a reserved word of JavaScript; choose another";
  if (typeof tool.toolset === "string" && isReservedName(tool.toolset))
    return `toolset ${tool.toolset} is a reserved word of JavaScript; choose another name`;
  if (typeof tool.toolset !== "string" || tool.toolset.trim() === "") return "toolset must be a name";
  if (typeof tool.description !== "string") return "description must be text";
  if (!isTextList(tool.needs)) return "needs must be a list of service names";
  if (!isTextList(tool.requiresEnv)) return "requiresEnv must be a list of environment names";
  return isObject(tool.traits) ? faultOfTraits(tool.traits) : "traits must be an object";
}

/** A missing trait gets its default. */
function faultOfTraits(traits: Record<string, unknown>): string | undefined {
  for (const name of ["readOnly", "parallel", "untrusted"]) {
    const flag = traits[name];
    if (flag !== undefined && typeof flag !== "boolean") return `traits.${name} must be true or false`;
  }
  const { callers } = traits;
  if (callers !== undefined && callers !== "model" && callers !== "script" && callers !== "both") {
    return 'traits.callers must be "model", "script" or "both"';
  }
  for (const name of ["maxResultChars", "timeoutMs"]) {
    const limit = traits[name];
    if (limit === undefined || (name === "timeoutMs" && typeof limit === "function")) continue;
    if (typeof limit !== "number" || !(limit > 0)) return `traits.${name} must be a number above 0`;
  }
  return undefined;
}

function defined<T extends object>(fields: T): Partial<T> {
  // Safe cast: the copy has a subset of the same fields.
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function copySchema(schema: unknown): Result<JsonSchema, string> {
  if (!isObject(schema)) return err("inputSchema must be a JSON Schema object");
  const admitted = checkJson(schema, schemaLimits);
  if (!admitted.ok) return err(`inputSchema: ${admitted.error}`);
  // Safe cast: a copied object is still an object.
  return ok(deepFreeze(admitted.value as JsonObject));
}

function isTextList(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Only for values that `admit` copied, which have no cycles and respect its depth limit. */
function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
