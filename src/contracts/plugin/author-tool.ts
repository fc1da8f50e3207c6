import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { defineTool } from "../tool/define-tool.ts";
import type { ServiceName, Services } from "../tool/services.ts";
import type { JsonSchema } from "../tool/tool-definition.ts";
import { json, text, type ToolResult } from "../tool/tool-result.ts";
import type { ArgsOf, CallContext, InputSchema, Tool, ToolSpec } from "../tool/tool.ts";

/** A tool as a plugin author defines it. */
export interface AuthorToolSpec<Args, I, N extends ServiceName, E extends string> extends Omit<
  ToolSpec<InputSchema, N, E>,
  "toolset" | "input" | "effects" | "run" | "preview" | "refine" | "refuses"
> {
  /** The toolset of the tool. Default: the plugin's name. */
  readonly toolset?: string;
  /** The input schema: `z.object({…})`, or a JSON Schema document. */
  readonly input: I;
  /** The effects of a call. They must be covered by the plugin's permissions. */
  readonly effects?: (args: Args, place: { readonly cwd: string }) => ReturnType<NonNullable<AnySpec["effects"]>>;
  /**
   * Returns text, data, or `text(…)`, `json(…)`, `fail(…)`. A thrown error becomes a failure that names file and line.
   */
  readonly run: (args: Args, ctx: AuthorToolContext<N, E>) => AuthorResult | Promise<AuthorResult>;
}

type AnySpec = ToolSpec<InputSchema, never, never>;
export type AuthorResult = ToolResult | JsonValue | undefined | void;

/** The second parameter of `run`. Inside a plugin process, `needs` may contain only `call`. */
export type AuthorToolContext<N extends ServiceName, E extends string> = Pick<
  CallContext,
  "sessionId" | "callId" | "signal" | "log" | "progress"
> &
  Pick<Services, N> & { readonly secrets: Readonly<Record<E, string>> };

export interface DefineTool {
  <const I extends InputSchema, const N extends ServiceName = never, const E extends string = never>(
    spec: AuthorToolSpec<ArgsOf<I>, I, N, E>,
  ): Tool;
  <const N extends ServiceName = never, const E extends string = never>(
    spec: AuthorToolSpec<JsonObject, JsonSchema, N, E>,
  ): Tool;
}

/**
 * Implements `defineTool` for plugin authors. `fromJsonSchema` is the function that validates against a JSON Schema
 * document.
 */
export function createDefineTool(fromJsonSchema: (schema: JsonSchema) => InputSchema<JsonObject>): DefineTool {
  return <I extends InputSchema, N extends ServiceName, E extends string>(
    spec: AuthorToolSpec<ArgsOf<I>, I, N, E> | AuthorToolSpec<JsonObject, JsonSchema, N, E>,
  ): Tool => {
    if (!isObject(spec.input)) {
      throw new TypeError(`tool ${spec.name}: input must be z.object({…}) or a JSON Schema object`);
    }
    if (typeof spec.run !== "function") throw new TypeError(`tool ${spec.name}: run must be a function`);
    const input: InputSchema = isInputSchema(spec.input) ? spec.input : fromJsonSchema(spec.input);
    // The overloads infer the type of the arguments from the schema.
    const { toolset = "", run, ...rest } = spec as AuthorToolSpec<unknown, InputSchema, N, E>;
    return defineTool<InputSchema, N, E>({
      ...rest,
      toolset,
      input,
      run: async (args, ctx) => toolResult(await run(args, ctx)),
    });
  };
}

/** Converts an author's value to a result: text stays text, data becomes JSON. */
function toolResult(value: AuthorResult): ToolResult {
  if (value === undefined) return text("done");
  if (typeof value === "string") return text(value);
  return isToolResult(value) ? value : json(value);
}

function isToolResult(value: unknown): value is ToolResult {
  if (!isObject(value)) return false;
  return value["ok"] === true
    ? isObject(value["value"]) && Array.isArray(value["value"]["content"])
    : value["ok"] === false && isObject(value["error"]) && typeof value["error"]["message"] === "string";
}

function isInputSchema(input: InputSchema | JsonSchema): input is InputSchema {
  return "~standard" in input;
}
