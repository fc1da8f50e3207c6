import type { TypeName } from "./shape.ts";

export const schemaProviders = ["openai", "anthropic", "gemini", "xai", "moonshot", "llamacpp"] as const;
export type SchemaProvider = (typeof schemaProviders)[number];

/** The rules of one provider for tool parameters. The evidence is in docs/decisions/004-schema-normaliser.md. */
export interface ProviderRules {
  /** How references are sent: as `$ref` into `$defs` at the root, or inlined. */
  readonly references: boolean;
  /** True if a node without a type is allowed and means any value. */
  readonly untyped: boolean;
  readonly nullable: boolean;
  /** How null is sent: `{"type": "null"}`, or another form. */
  readonly nullType: boolean;
  readonly keywords: ReadonlySet<string>;
  /** The allowed formats by type. Undefined: all formats. */
  readonly formats?: Readonly<Partial<Record<TypeName, readonly string[]>>>;
  readonly enumTypes: ReadonlySet<TypeName>;
  readonly enumEmptyText: boolean;
  readonly enumSlash: boolean;
  readonly enumMax: number;
  /** Keywords allowed next to `anyOf`. */
  readonly besideUnion: ReadonlySet<string>;
  /** True if objects allow additional properties by default. */
  readonly openByDefault: boolean;
  readonly emptyRequired: boolean;
  /** Property names that the provider mistakes for keywords. */
  readonly reservedNames: ReadonlySet<string>;
  /** The highest value of `maxItems`, `maxLength` and similar limits that is sent. */
  readonly maxRepeat: number;
  /** True if limits must be written in plain decimal digits, and integers must fit 53 bits. */
  readonly plainBounds: boolean;
  /** The types for which `default` and `examples` are sent. */
  readonly literals: "any" | "scalar" | "not null";
  /** The maximum depth of properties and items below the root. */
  readonly maxDepth: number;
}

const annotations = ["title", "description", "default"];
const bounds = ["minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems"];
const whole = [
  ...annotations,
  ...bounds,
  "examples",
  "deprecated",
  "readOnly",
  "writeOnly",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "pattern",
  "format",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "additionalProperties",
];

const standard: ProviderRules = {
  references: true,
  untyped: true,
  nullable: true,
  nullType: true,
  keywords: new Set(whole),
  enumTypes: new Set(["string", "number", "integer", "boolean", "object", "array"]),
  enumEmptyText: true,
  enumSlash: true,
  enumMax: 1000,
  besideUnion: new Set([...annotations, "examples", "deprecated", "readOnly", "writeOnly", "nullable"]),
  openByDefault: true,
  emptyRequired: false,
  reservedNames: new Set(),
  maxRepeat: Number.MAX_SAFE_INTEGER,
  plainBounds: false,
  literals: "any",
  maxDepth: 24,
};

/** The rules of the two providers that compile tools into a grammar: an unsupported keyword fails the whole request. */
const grammar: ProviderRules = {
  ...standard,
  untyped: false,
  keywords: new Set([...annotations, ...bounds, "additionalProperties", "exclusiveMinimum", "exclusiveMaximum"]),
  enumTypes: new Set(["string", "number", "integer", "boolean"]),
  openByDefault: false,
  maxRepeat: 1000,
  plainBounds: true,
  literals: "scalar",
  maxDepth: 16,
};

export const providerRules: Readonly<Record<SchemaProvider, ProviderRules>> = {
  openai: standard,
  anthropic: standard,
  gemini: {
    ...standard,
    references: false,
    untyped: false,
    nullType: false,
    keywords: new Set([...annotations, ...bounds, "pattern", "format", "minProperties", "maxProperties"]),
    formats: { string: ["date-time", "enum"], number: ["float", "double"], integer: ["int32", "int64"] },
    enumTypes: new Set(["string"]),
    enumEmptyText: false,
    besideUnion: new Set(),
    literals: "not null",
    maxDepth: 16,
  },
  xai: { ...grammar, references: false, enumSlash: false },
  moonshot: {
    ...standard,
    references: false,
    untyped: false,
    nullable: false,
    keywords: new Set([...annotations, ...bounds, "additionalProperties"]),
    enumTypes: new Set(["string", "number", "integer"]),
    enumEmptyText: false,
    enumMax: 250,
    besideUnion: new Set(["title", "description"]),
    emptyRequired: true,
    reservedNames: new Set(["anyOf", "required", "additionalProperties"]),
    plainBounds: true,
    literals: "not null",
    maxDepth: 10,
  },
  llamacpp: grammar,
};
