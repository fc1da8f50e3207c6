import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import type { McpToolDefinition } from "../../contracts/mcp/definitions.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import type { InputSchema } from "../../contracts/tool/tool.ts";

export interface OutputChecks {
  /** Stores the output schemas of the latest listing. */
  remember(tools: readonly McpToolDefinition[]): void;
  /**
   * Returns a text that completes "the result of x …"; undefined if the result matches its schema or has none. Never
   * rejects.
   */
  fault(tool: string, structured: JsonValue | undefined, promised: JsonObject | undefined): Promise<string | undefined>;
}

/**
 * Compares structured content with the output schemas of a server. The server controls both, so the work is limited:
 * patterns are not evaluated, and a schema that grows too much through its references is refused.
 */
export function createOutputChecks(): OutputChecks {
  let schemas = new Map<string, JsonObject>();
  const compiled = new WeakMap<JsonObject, CompiledSchema>();

  function compile(schema: JsonObject): CompiledSchema {
    const entry = { check: fromJsonSchema(withoutPatterns(schema)), ...growthOf(schema) };
    compiled.set(schema, entry);
    return entry;
  }

  return {
    remember(tools) {
      schemas = new Map(tools.flatMap(({ name, outputSchema }) => (outputSchema ? [[name, outputSchema]] : [])));
    },
    async fault(tool, structured, promised) {
      const schema = schemas.get(tool) ?? promised;
      if (!schema) return undefined;
      if (structured === undefined) return "has no structured content, although its output schema requires it";
      const { check, size, isRecursive } = compiled.get(schema) ?? compile(schema);
      if (size > maxSize || (isRecursive && isDeeper(structured, maxRecursiveDepth)))
        return "cannot be checked, because its output schema is too complex";
      try {
        const verdict = await check["~standard"].validate(structured);
        return verdict.issues && `does not match its output schema: ${verdict.issues[0]?.message ?? ""}`;
      } catch (thrown) {
        return `cannot be checked against its output schema: ${reasonOf(thrown)}`;
      }
    },
  };
}

interface CompiledSchema extends SchemaGrowth {
  readonly check: InputSchema<JsonObject>;
}

interface SchemaGrowth {
  /** The number of schema nodes after replacing every reference by its target. */
  readonly size: number;
  readonly isRecursive: boolean;
}

const maxSize = 20_000;
const maxRecursiveDepth = 12;

function growthOf(schema: JsonObject): SchemaGrowth {
  const sizes = new Map<unknown, number | "open">();
  let isRecursive = false;

  function sizeOf(node: unknown): number {
    if (typeof node !== "object" || node === null) return 1;
    const size = sizes.get(node);
    if (size === "open") isRecursive = true;
    if (size !== undefined) return size === "open" ? 1 : size;
    sizes.set(node, "open");
    const reference = isObject(node) ? (node["$ref"] ?? node["$dynamicRef"] ?? node["$recursiveRef"]) : undefined;
    const target = typeof reference === "string" ? sizeOf(targetOf(schema, reference)) : 0;
    const sum = Object.values(node).reduce<number>((total, child) => total + sizeOf(child), 1 + target);
    sizes.set(node, sum);
    return sum;
  }

  const size = sizeOf(schema);
  return { size, isRecursive };
}

/** Every reference that is not a pointer into the document counts as a reference to the whole document. */
function targetOf(schema: JsonObject, reference: string): unknown {
  if (!reference.startsWith("#/")) return schema;
  const keys = reference.slice(2).split("/");
  return keys.reduce<unknown>((node, key) => {
    const name = decoded(key).replaceAll("~1", "/").replaceAll("~0", "~");
    return typeof node === "object" && node !== null ? Reflect.get(node, name) : undefined;
  }, schema);
}

function decoded(key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    return key;
  }
}

/** The server controls both pattern and text, so that matching could take forever. */
function withoutPatterns(schema: JsonObject): JsonObject {
  // The cast is safe: a copy of JSON is JSON.
  return JSON.parse(JSON.stringify(schema), (_key, node: unknown) => {
    if (!isObject(node)) return node;
    if (typeof node.pattern === "string") delete node.pattern;
    if (isObject(node.patternProperties))
      for (const key of ["patternProperties", "additionalProperties", "unevaluatedProperties"]) delete node[key];
    return node;
  }) as JsonObject;
}

function isDeeper(value: JsonValue, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((child: JsonValue) => isDeeper(child, depth - 1));
}
