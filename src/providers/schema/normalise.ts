import { isObject } from "../../base/json.ts";
import { cut } from "../../base/text/text.ts";
import type { JsonSchema } from "../../contracts/tool/tool-definition.ts";
import { providerRules, type ProviderRules, type SchemaProvider } from "./provider-rules.ts";
import { createSchemaReader } from "./read-schema.ts";
import { createPropertyNames, type PropertyRenames } from "./renames.ts";
import { openDocument } from "./schema-document.ts";
import { writeSchema, type WriteLimits, type WrittenSchema } from "./write-schema.ts";

export interface NormalisedSchema {
  readonly schema: JsonSchema;
  readonly renames: PropertyRenames;
  /** Parts that this provider cannot express, for debugging. */
  readonly notes: readonly string[];
}

/**
 * Converts tool parameters to the rules of a provider. Relaxes constraints that the provider cannot express, so that
 * arguments that are valid for the tool stay valid. Never throws; limits time and size; equal input produces identical
 * output; idempotent.
 */
export function normaliseSchema(schema: unknown, provider: SchemaProvider): NormalisedSchema {
  const rules = providerRules[provider];
  try {
    const first = normalise(schema, rules);
    return { ...first, schema: settled(first.schema, rules) };
  } catch {
    // If a getter or a proxy throws, the schema cannot be read.
    return { ...normalise({}, rules), notes: ["the schema cannot be read"] };
  }
}

/** Repeats until nothing changes: one pass can enable more merges, for example of lists whose limits are not sent. */
function settled(schema: JsonSchema, rules: ProviderRules, passes = 5): JsonSchema {
  const next = normalise(schema, rules).schema;
  return passes === 0 || JSON.stringify(next) === JSON.stringify(schema) ? schema : settled(next, rules, passes - 1);
}

function normalise(schema: unknown, rules: ProviderRules): NormalisedSchema {
  const notes = new Set<string>();
  const remark = (text: string): void => {
    if (notes.size < 50) notes.add(text);
  };
  const document = openDocument(schema);
  let deepest = Number.POSITIVE_INFINITY;
  const attempt = (root: unknown, limits: WriteLimits): WrittenSchema | undefined => {
    const names = createPropertyNames(document.propertyNames, rules.reservedNames);
    const reader = createSchemaReader(document, remark);
    const written = writeSchema(root, limits, { rules, names, reader });
    // Reading took too long, so only a much smaller depth can help.
    if (reader.exhausted()) deepest = 1;
    return written;
  };
  for (const limits of attempts(rules)) {
    if (limits.depth > deepest) continue;
    const written = attempt(schema, limits);
    if (written !== undefined) return { ...written, notes: [...notes] };
    remark("the schema is too large and is sent without its innermost parts");
  }
  const outlined = attempt(outline(schema), { references: false, recursion: 0, depth: 1, budget: Number.MAX_VALUE });
  return { schema: { type: "object" }, renames: {}, ...outlined, notes: [...notes] };
}

/** Approximate size limit of a schema in characters. */
const budget = 120_000;

/** Levels of detail, from complete to minimal. The first one that fits is used. */
function attempts({ references, maxDepth }: ProviderRules): readonly WriteLimits[] {
  const whole = references ? [{ references, recursion: 0, depth: maxDepth, budget }] : [];
  const inlined = [2, 1].map((recursion) => ({ references: false, recursion, depth: maxDepth, budget }));
  const shallower = [8, 5, 3, 2, 1, 0].map((depth) => ({ references: false, recursion: 1, depth, budget }));
  return [...whole, ...inlined, ...shallower];
}

/** Returns an outline of a huge schema: its first properties with type and shortened description. */
function outline(schema: unknown): unknown {
  if (!isObject(schema) || !isObject(schema["properties"])) return {};
  const { required } = schema;
  const must = new Set<unknown>(Array.isArray(required) ? required : []);
  const entries = Object.entries(schema["properties"]);
  const first = [...entries.filter(([name]) => must.has(name)), ...entries.filter(([name]) => !must.has(name))].slice(
    0,
    500,
  );
  const properties = Object.fromEntries(first.map(([name, part]) => [name, isObject(part) ? sketch(part, 200) : {}]));
  return { type: "object", ...sketch(schema, 1000), properties, required };
}

function sketch({ type, description }: Record<string, unknown>, maxChars: number): Record<string, unknown> {
  const text = typeof description === "string" ? { description: cut(description, maxChars) } : {};
  return typeof type === "string" ? { type: type.slice(0, 20), ...text } : text;
}
