import { isObject, type JsonLimits, type JsonObject } from "../../../base/json.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import type { ToolCall } from "../../../contracts/model/message.ts";
import type { Origin } from "../../../contracts/safety/principal.ts";
import { isBridge } from "../../../contracts/tool/bridge-tools.ts";
import type { Catalog } from "../../../contracts/tool/registry.ts";
import { fail, type ToolFailure } from "../../../contracts/tool/tool-result.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";
import { readArguments } from "./arguments.ts";

/**
 * The tool to run and the original arguments. `call` contains the name of that tool, even if the model called it
 * through `tool_call`.
 */
export interface MatchedCall {
  readonly call: ToolCall;
  readonly tool: Tool;
  readonly args: JsonObject;
}

/** A call that will not run, and the tool name of its result. */
export interface Refusal {
  readonly call: ToolCall;
  readonly failure: ToolFailure;
}

/** Finds the tool of a call in the catalog of its session, including calls through `tool_call`. */
export function findTool(
  call: ToolCall,
  catalog: Catalog,
  origin: Origin,
  limits: JsonLimits,
): Result<MatchedCall, Refusal> {
  const tool = lookUp(call.name, catalog, origin);
  if (!tool.ok) return err({ call, failure: tool.error });
  const args = readArguments(call.args, limits);
  if (!args.ok) return err({ call, failure: args.error });
  if (call.name !== "tool_call") return ok({ call: asNamed(call, tool.value), tool: tool.value, args: args.value });
  return throughBridge(call, args.value, catalog, origin, limits);
}

function lookUp(name: string, catalog: Catalog, origin: Origin): Result<Tool, ToolFailure> {
  const tool = catalog.find(name);
  if (!tool) return unknownTool(name, catalog);
  const { callers } = tool.traits;
  if (origin === "script" && callers === "model") return fail(`${name} cannot be called from a script`, "unavailable");
  if (origin === "model" && callers === "script") {
    return fail(`${name} can be called from a script only`, "unavailable");
  }
  return ok(tool);
}

function unknownTool(name: string, catalog: Catalog): Result<Tool, ToolFailure> {
  const why = catalog.whyNot(name);
  if (why !== undefined) return fail(`Tool ${name} cannot be used here: ${why}`, "unavailable");
  const close = catalog.search.nearest(name);
  const hint = close.length > 0 ? `. Did you mean ${close.join(", ")}?` : "";
  return fail(`Unknown tool: ${name.slice(0, 200)}${hint}`, "unknown_tool", { data: { nearest: close } });
}

function throughBridge(
  bridge: ToolCall,
  { name: named, arguments: inner }: JsonObject,
  catalog: Catalog,
  origin: Origin,
  limits: JsonLimits,
): Result<MatchedCall, Refusal> {
  const refuse = (call: ToolCall, failure: ToolFailure) => err({ call, failure });
  const name = typeof named === "string" ? named.trim() : "";
  if (name === "") {
    return refuse(bridge, fail("tool_call needs `name`: the tool to call", "invalid_args").error);
  }
  if (isBridge(name)) {
    return refuse(bridge, fail(`${name} is called directly, not through tool_call`, "invalid_args").error);
  }
  const given = inner === undefined || inner === null ? {} : inner;
  const call: ToolCall = { id: bridge.id, name, args: isObject(given) ? given : {} };
  const tool = lookUp(name, catalog, origin);
  if (!tool.ok) return refuse(call, tool.error);
  const args = readArguments(given, limits);
  if (!args.ok) return refuse(call, args.error);
  const missing = missingOf(tool.value, args.value);
  if (missing.length > 0) return refuse(call, missingArguments(tool.value, missing));
  return ok({ call: asNamed({ ...call, args: args.value }, tool.value), tool: tool.value, args: args.value });
}

/** Rules and records use the tool's own name, even if the model spells it differently. */
function asNamed(call: ToolCall, { name }: Tool): ToolCall {
  return call.name === name ? call : { ...call, name };
}

function missingOf({ inputSchema: { required } }: Tool, args: JsonObject): string[] {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  return names.filter((name) => !Object.hasOwn(args, name));
}

/** The model may not know the schema of a tool that it discovered by search, so the error contains the schema. */
function missingArguments({ name, inputSchema }: Tool, missing: readonly string[]): ToolFailure {
  return fail(`Missing required arguments for ${name}: ${missing.join(", ")}`, "invalid_args", {
    data: {
      parameters: inputSchema,
      hint: `${name} was not called. Call it again through tool_call with all required arguments in \`arguments\`.`,
    },
  }).error;
}
