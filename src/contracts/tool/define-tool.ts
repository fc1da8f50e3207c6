import { once } from "../../base/async/once.ts";
import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { ServiceName } from "./services.ts";
import type { JsonSchema } from "./tool-definition.ts";
import type { CatalogView } from "./tool-index.ts";
import { fail, type ToolFailure } from "./tool-result.ts";
import type {
  ArgsOf,
  InputSchema,
  PreparedCall,
  PreviewContext,
  Refinement,
  SchemaIssue,
  SchemaVerdict,
  Tool,
  ToolContext,
  ToolSpec,
  ToolTraits,
} from "./tool.ts";

/** Defaults for a tool that does not set its traits. */
export const defaultTraits: ToolTraits = {
  readOnly: false,
  parallel: false,
  callers: "model",
  untrusted: false,
};

/**
 * Converts an author's definition to a tool of the registry. Throws immediately if the name is one that models do not
 * accept.
 */
export function defineTool<
  const I extends InputSchema,
  const N extends ServiceName = never,
  const E extends string = never,
>(spec: ToolSpec<I, N, E>): Tool {
  if (!toolNamePattern.test(spec.name)) {
    throw new TypeError(`tool name ${JSON.stringify(spec.name)}: use 1 to 64 letters, digits, "_" or "-"`);
  }
  const { refine, check } = spec;
  const inputSchema = once(() => jsonSchemaOf(spec.input));
  return {
    name: spec.name,
    toolset: spec.toolset,
    description: spec.description,
    // The build has already extracted the schema for built-in tools.
    get inputSchema() {
      return inputSchema();
    },
    needs: spec.needs ?? [],
    requiresEnv: spec.requiresEnv ?? [],
    traits: { ...defaultTraits, ...spec.traits },
    emoji: spec.emoji ?? "⚡",
    ...(spec.effects && { declaresEffects: true }),
    ...(check && { check }),
    ...(refine && { refine: (view: CatalogView) => defineTool(refined(spec, refine(view))) }),
    prepare: (args) => prepare(spec, args),
  };
}

/** The JSON Schema of a tool's input, without the `$schema` line that no model needs. */
function jsonSchemaOf(input: InputSchema): JsonSchema {
  const { $schema: _, ...schema } = input["~standard"].jsonSchema.input({ target: "draft-2020-12" });
  // A JSON Schema document is JSON by definition.
  return withoutEmptyBounds(schema) as JsonSchema;
}

/** Removes bounds that every JSON integer satisfies, because they are useless to a model. */
function withoutEmptyBounds(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withoutEmptyBounds);
  if (!isObject(node)) return node;
  const isEmpty = (key: string, value: unknown) =>
    (key === "maximum" && value === Number.MAX_SAFE_INTEGER) ||
    (key === "minimum" && value === Number.MIN_SAFE_INTEGER);
  const kept = Object.entries(node).filter(([key, value]) => !isEmpty(key, value));
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutEmptyBounds(value)]));
}

/** True for a value that discovery may register. */
export function isTool(value: unknown): value is Tool {
  return (
    isObject(value) &&
    typeof value.name === "string" &&
    typeof value.prepare === "function" &&
    isObject(value.inputSchema)
  );
}

/** Pattern of tool names that every provider accepts. */
export const toolNamePattern = /^[A-Za-z0-9_-]{1,64}$/;

function refined<I extends InputSchema, N extends ServiceName, E extends string>(
  { refine: _, ...spec }: ToolSpec<I, N, E>,
  change: Refinement<I>,
): ToolSpec<I, N, E> {
  return { ...spec, ...change };
}

function prepare<I extends InputSchema, N extends ServiceName, E extends string>(
  spec: ToolSpec<I, N, E>,
  raw: JsonObject,
): Result<PreparedCall, ToolFailure> | Promise<Result<PreparedCall, ToolFailure>> {
  let verdict: SchemaVerdict<unknown> | Promise<SchemaVerdict<unknown>>;
  try {
    verdict = spec.input["~standard"].validate(raw);
  } catch (thrown) {
    return err(invalid(spec.name, reasonOf(thrown)));
  }
  if (verdict instanceof Promise) {
    return verdict.then(
      (settled) => judged(spec, settled),
      (thrown: unknown) => err(invalid(spec.name, reasonOf(thrown))),
    );
  }
  return judged(spec, verdict);
}

function judged<I extends InputSchema, N extends ServiceName, E extends string>(
  spec: ToolSpec<I, N, E>,
  verdict: SchemaVerdict<unknown>,
): Result<PreparedCall, ToolFailure> {
  if (verdict.issues) return err(invalid(spec.name, verdict.issues.map(describeIssue).join("; ")));
  const { preview, refuses } = spec;
  // Safe cast: `validate` implements the schema of ArgsOf, and the arguments come from JSON.
  const args = verdict.value as ArgsOf<I> & JsonObject;
  const prepared: { -readonly [Key in keyof PreparedCall]: PreparedCall[Key] } = {
    args,
    timeoutMs: timeoutOf(spec.traits?.timeoutMs, args),
    effects: (place) => spec.effects?.(args, place) ?? (spec.traits?.readOnly ? [] : [{ kind: "opaque" }]),
    // Before it calls the tool, the dispatcher provides every service in `needs` and every variable in `requiresEnv`.
    run: (ctx) => spec.run(args, ctx as unknown as ToolContext<N, E>),
  };
  if (refuses) prepared.refuses = async (ctx) => refuses(args, ctx as unknown as ToolContext<N, E>);
  if (preview) prepared.preview = (ctx) => preview(args, ctx as PreviewContext<N>);
  return ok(prepared);
}

/**
 * An author's function that throws, or an invalid limit, must not break `prepare`; the default limit applies instead.
 */
function timeoutOf(limit: ToolTraits["timeoutMs"], args: JsonObject): number | undefined {
  try {
    const timeoutMs: unknown = typeof limit === "function" ? limit(args) : limit;
    return typeof timeoutMs === "number" && timeoutMs > 0 ? timeoutMs : undefined;
  } catch {
    return undefined;
  }
}

function invalid(tool: string, why: string): ToolFailure {
  return fail(`Invalid arguments for ${tool}: ${why}`, "invalid_args").error;
}

function describeIssue(issue: SchemaIssue): string {
  const path = (issue.path ?? []).map((step) => String(typeof step === "object" ? step.key : step)).join(".");
  return path ? `${path}: ${issue.message}` : issue.message;
}
