import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { testSize } from "../../../test/support/test-size.ts";
import { isObject, type JsonObject, type JsonValue } from "../../base/json.ts";
import { fromJsonSchema } from "../../contracts/tool/json-input.ts";
import { normaliseSchema } from "./normalise.ts";
import { schemaProviders, type SchemaProvider } from "./provider-rules.ts";

/** Schemas that a provider's validator rejects, each with its error message or documentation. */
type Refusal = readonly [message: string, refuses: (node: JsonObject, isRoot: boolean) => boolean];

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const keysOf = (value: unknown): readonly string[] => (isObject(value) ? Object.keys(value) : []);
const without = (node: JsonObject, ...allowed: string[]): boolean =>
  Object.keys(node).some((key) => !allowed.includes(key));
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const everyone: readonly Refusal[] = [
  ["schema must be a JSON Schema of 'type: \"object\"'", (node, isRoot) => isRoot && node["type"] !== "object"],
  [
    "does not support oneOf, allOf, anyOf, enum or not at the top level",
    (node, isRoot) => isRoot && ["oneOf", "anyOf", "allOf", "enum", "not"].some((key) => key in node),
  ],
  [
    "property keys should match ^[a-zA-Z0-9_.-]{1,64}$",
    (node) => keysOf(node["properties"]).some((key) => !/^[a-zA-Z0-9_.-]{1,64}$/.test(key)),
  ],
  ["array schema missing items", (node) => node["type"] === "array" && !isObject(node["items"])],
  ["object schema missing properties", (node) => node["type"] === "object" && !isObject(node["properties"])],
  [
    "required names an unknown property",
    (node) =>
      "required" in node && listOf(node["required"]).some((name) => !keysOf(node["properties"]).includes(textOf(name))),
  ],
  [
    "required must be unique strings",
    (node) => "required" in node && new Set(listOf(node["required"])).size !== listOf(node["required"]).length,
  ],
  ["type must be one name", (node) => "type" in node && !types.has(textOf(node["type"]))],
  ["enum must not be empty", (node) => "enum" in node && listOf(node["enum"]).length === 0],
  ["anyOf needs two branches or more", (node) => "anyOf" in node && listOf(node["anyOf"]).length < 2],
  ["default is not allowed beside $ref", (node) => "$ref" in node && "default" in node],
  [
    "draft 4 keywords",
    (node) =>
      ["definitions", "id", "additionalItems", "const", "oneOf", "allOf", "prefixItems"].some((key) => key in node) ||
      typeof node["exclusiveMinimum"] === "boolean",
  ],
];
const geminiKeys = [
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "maxItems",
  "minItems",
  "properties",
  "required",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "pattern",
  "example",
  "anyOf",
  "propertyOrdering",
  "default",
  "items",
  "minimum",
  "maximum",
];
const mfjsKeys: Readonly<Record<string, readonly string[]>> = {
  object: ["properties", "required", "additionalProperties"],
  array: ["items", "minItems", "maxItems"],
  string: ["minLength", "maxLength", "enum"],
  number: ["minimum", "maximum", "enum"],
  integer: ["minimum", "maximum", "enum"],
};
const refusals: Readonly<Record<SchemaProvider, readonly Refusal[]>> = {
  openai: everyone,
  anthropic: everyone,
  gemini: [
    ...everyone,
    ["Unknown name: Cannot find field", (node) => without(node, ...geminiKeys)],
    ["enum: only allowed for STRING type", (node) => "enum" in node && node["type"] !== "string"],
    [
      "enum: cannot be empty",
      (node) => listOf(node["enum"]).some((value) => typeof value !== "string" || value === ""),
    ],
    ["didn't specify the schema type field", (node) => !("type" in node) && !("anyOf" in node)],
    ["when using any_of, it must be the only field set", (node) => "anyOf" in node && without(node, "anyOf")],
    [
      "properties: only allowed for OBJECT type",
      (node) => ("properties" in node || "required" in node) && node["type"] !== "object",
    ],
    ["items: only allowed for ARRAY type", (node) => "items" in node && node["type"] !== "array"],
    [
      "format: only 'enum' and 'date-time' are supported for STRING type",
      (node) =>
        node["type"] === "string" && "format" in node && !["enum", "date-time"].includes(textOf(node["format"])),
    ],
    ["no null type", (node) => node["type"] === "null"],
  ],
  xai: [
    ...everyone,
    ["Invalid arguments passed to the model: pattern, format", (node) => "pattern" in node || "format" in node],
    [
      "Invalid arguments passed to the model: / in enum",
      (node) => listOf(node["enum"]).some((value) => textOf(value).includes("/")),
    ],
    ["circular references", (node) => "$ref" in node],
  ],
  moonshot: [
    ...everyone,
    [
      "when using anyOf, type should be defined in anyOf items instead of the parent schema",
      (node) => "anyOf" in node && without(node, "anyOf", "description", "title"),
    ],
    ["type is not defined", (node) => !("type" in node) && !("anyOf" in node)],
    [
      "invalid keywords",
      (node) =>
        "type" in node &&
        without(node, "type", "description", "title", "default", ...(mfjsKeys[textOf(node["type"])] ?? [])),
    ],
    [
      "null branch in anyOf",
      (node) => listOf(node["anyOf"]).some((branch) => isObject(branch) && branch["type"] === "null"),
    ],
    [
      "enum value does not match the type",
      (node) =>
        listOf(node["enum"]).some(
          (value) =>
            value === null || value === "" || typeof value !== (node["type"] === "string" ? "string" : "number"),
        ),
    ],
    ["object without required", (node) => node["type"] === "object" && !Array.isArray(node["required"])],
    [
      "reserved property name",
      (node) =>
        keysOf(node["properties"]).some((key) =>
          ["$defs", "$ref", "anyOf", "required", "additionalProperties"].includes(key),
        ),
    ],
  ],
  llamacpp: [
    ...everyone,
    ["Pattern must start with '^' and end with '$'", (node) => "pattern" in node],
    [
      "failed to parse grammar: repetition",
      (node) => ["minLength", "maxLength", "minItems", "maxItems"].some((key) => Number(node[key] ?? 0) >= 2000),
    ],
    ["Unrecognized schema", (node) => !("type" in node) && !("anyOf" in node) && !("$ref" in node)],
    ["Unsupported ref", (node) => "$ref" in node && !/^#\/\$defs\/[A-Za-z0-9_.-]+$/.test(textOf(node["$ref"]))],
  ],
};

/** Returns every problem that the provider's validator would report. */
function complaints(schema: JsonObject, provider: SchemaProvider): string[] {
  const matches: string[] = [];
  const visit = (node: JsonValue | undefined, path: string): void => {
    if (node === undefined) return;
    if (!isObject(node)) {
      matches.push(`${path}: a schema must be an object`);
      return;
    }
    for (const [message, refuses] of refusals[provider])
      if (refuses(node, path === "#")) matches.push(`${path}: ${message}`);
    if ("$ref" in node && !keysOf(schema["$defs"]).includes(textOf(node["$ref"]).slice("#/$defs/".length)))
      matches.push(`${path}: dangling`);
    for (const key of ["properties", "$defs"]) {
      const group = node[key];
      if (isObject(group)) for (const name of Object.keys(group)) visit(group[name], `${path}/${key}/${name}`);
    }
    visit(node["items"], `${path}/items`);
    if (isObject(node["additionalProperties"])) visit(node["additionalProperties"], `${path}/additionalProperties`);
    for (const [index, branch] of listOf(node["anyOf"]).entries()) visit(branch as JsonValue, `${path}/anyOf/${index}`);
  };
  visit(schema, "#");
  return matches;
}

const provider = fc.constantFrom(...schemaProviders);
const name = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.constantFrom(
      "a",
      "b",
      "type",
      "properties",
      "required",
      "$ref",
      "anyOf",
      "a b",
      "a_b",
      "__proto__",
      "é",
    ),
  },
  fc.string({ maxLength: 80 }),
);
const scalar = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.integer({ min: -3, max: 3 }),
  fc.double({ noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("a/b", ""),
);
const typeName = fc.constantFrom("string", "number", "integer", "boolean", "object", "array", "null");
const reference = fc.constantFrom(
  "#",
  "#/$defs/A",
  "#/$defs/B",
  "#/definitions/A",
  "#/properties/a",
  "#/nowhere",
  "https://example.com/x",
  "#/$defs/x~1y%20z",
);
const count = fc.oneof(fc.nat(5), fc.constantFrom(-1, 1.5, 5000, 1e300, "3" as never));

const { schema: wild } = fc.letrec((tie) => {
  const inner = tie("schema");
  const some = fc.array(inner, { maxLength: 3 });
  const named = fc.dictionary(name, inner, { maxKeys: 4 });
  const keywords: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
    type: fc.oneof(typeName, fc.array(typeName, { maxLength: 3 }), scalar),
    title: scalar,
    description: scalar,
    default: fc.jsonValue({ maxDepth: 2 }),
    nullable: fc.boolean(),
    enum: fc.array(scalar, { maxLength: 4 }),
    const: scalar,
    $ref: reference,
    properties: fc.oneof({ weight: 5, arbitrary: named }, { weight: 1, arbitrary: scalar }),
    required: fc.oneof(fc.array(name, { maxLength: 3 }), fc.boolean()),
    additionalProperties: inner,
    patternProperties: named,
    minProperties: count,
    items: fc.oneof(inner, some),
    prefixItems: some,
    maxItems: count,
    uniqueItems: fc.boolean(),
    minLength: count,
    maxLength: count,
    pattern: fc.constantFrom("^a$", "\\d", "(", "(?!x)"),
    format: fc.constantFrom("uri", "date-time", "int32", "", 1),
    minimum: fc.double(),
    maximum: fc.double(),
    exclusiveMinimum: fc.oneof(fc.double(), fc.boolean()),
    anyOf: some,
    oneOf: some,
    allOf: some,
    not: inner,
    if: inner,
    $defs: named,
    "x-vendor": fc.anything({ maxDepth: 1 }),
  };
  const keyword = fc.constantFrom(...Object.keys(keywords)).chain((key) => fc.tuple(fc.constant(key), keywords[key]!));
  const leaf = fc.oneof(
    fc.record({ type: typeName }),
    fc.record({ enum: fc.array(scalar, { maxLength: 4 }) }),
    fc.record({ $ref: reference }),
    fc.constantFrom<unknown>(true, false, null, "string", "nonsense", 7, {}, []),
  );
  const node = fc.array(keyword, { maxLength: 5 }).map((entries): unknown => Object.fromEntries(entries));
  return { schema: fc.oneof({ maxDepth: 4, depthSize: "small" }, leaf, node) };
});
/** Schemas with references to definitions that contain more references. */
const hostile = fc.tuple(wild, wild, wild, wild).map(([root, a, b, p]) =>
  isObject(root)
    ? {
        ...root,
        $defs: { A: a, B: b, "x/y z": a },
        properties: { ...(isObject(root["properties"]) ? root["properties"] : {}), a: p },
      }
    : root,
);

test("the provider accepts the normalised form of any schema", () => {
  fc.assert(
    fc.property(hostile, provider, (schema, to) => {
      assert.deepEqual(complaints(normaliseSchema(schema, to).schema, to), []);
    }),
    { numRuns: testSize({ quick: 120, full: 3000 }) },
  );
});

test("normalising a normalised schema again changes nothing", () => {
  fc.assert(
    fc.property(hostile, provider, (schema, to) => {
      const once = JSON.stringify(normaliseSchema(schema, to).schema);
      assert.equal(JSON.stringify(normaliseSchema(schema, to).schema), once);
      assert.equal(JSON.stringify(normaliseSchema(JSON.parse(once), to).schema), once);
    }),
    { numRuns: testSize({ quick: 150, full: 1500 }) },
  );
});

test("every property is kept, and a required property stays required", () => {
  const properties = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,6}$/),
    wild.filter((part) => part !== false),
    { minKeys: 1, maxKeys: 5 },
  );
  fc.assert(
    fc.property(properties, provider, (given, to) => {
      const names = Object.keys(given).filter((key) => !isObject(given[key]) || !("not" in given[key]));
      const { schema } = normaliseSchema({ type: "object", properties: given, required: names }, to);
      for (const key of names) {
        if (isObject(given[key]) && ["allOf", "$ref", "anyOf", "oneOf"].some((word) => word in (given[key] as object)))
          continue;
        assert.ok(keysOf(schema["properties"]).includes(key) && listOf(schema["required"]).includes(key), key);
      }
    }),
    { numRuns: testSize({ quick: 300, full: 500 }) },
  );
});

// Unambiguous schemas, with values that may satisfy them.
const value = fc.oneof(
  fc.constantFrom("a", "b", "ab", 0, 1, 1.5, true),
  fc.array(fc.constantFrom("a", 1), { maxLength: 3 }),
  fc.record({ a: fc.constantFrom("a", 1), b: fc.constantFrom("b", 2) }, { requiredKeys: [] }),
);
const { plain } = fc.letrec((tie) => {
  const inner = tie("plain");
  const bounds = { minimum: fc.integer({ min: -1, max: 2 }), exclusiveMaximum: fc.integer({ min: 0, max: 3 }) };
  const object = {
    properties: fc.record({ a: inner, b: inner }, { requiredKeys: [] }),
    required: fc.subarray(["a", "b"]),
    additionalProperties: fc.boolean(),
  };
  return {
    plain: fc.oneof(
      { maxDepth: 4 },
      fc.record(
        { type: fc.constant("string"), minLength: fc.nat(2), pattern: fc.constant("^a") },
        { requiredKeys: ["type"] },
      ),
      fc.record({ type: fc.constantFrom("number", "integer"), ...bounds }, { requiredKeys: ["type"] }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom("a", "b", "a/b", 1, 1.5, true), { minLength: 1 }) }),
      fc.record({ const: fc.constantFrom("a", 1, true) }),
      fc.record({ type: fc.constant(["string", "integer", "boolean"]) }),
      fc.record({ type: fc.constant("array"), items: inner, maxItems: fc.nat(3) }, { requiredKeys: ["type"] }),
      fc.record({ type: fc.constant("object"), ...object }, { requiredKeys: ["type"] }),
      fc.record({ anyOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      fc.record({ oneOf: fc.array(inner, { minLength: 1, maxLength: 3 }) }),
      fc.record({ allOf: fc.array(inner, { minLength: 1, maxLength: 2 }) }),
      fc.record(
        { type: fc.constant("object"), ...object, anyOf: fc.array(inner, { minLength: 1, maxLength: 2 }) },
        { requiredKeys: ["type", "anyOf"] },
      ),
      fc.record({ $ref: fc.constantFrom("#/$defs/A", "#/$defs/B") }),
    ),
  };
});

test("arguments that the tool accepts are valid for the normalised schema", async () => {
  const accepts = async (schema: unknown, args: JsonObject): Promise<boolean> =>
    (await fromJsonSchema(schema as JsonObject)["~standard"].validate(args)).issues === undefined;
  const definition = plain.filter((part) => !isObject(part) || !JSON.stringify(part).includes("$ref"));
  await fc.assert(
    fc.asyncProperty(plain, definition, definition, value, provider, async (part, a, b, given, to) => {
      const schema = {
        type: "object",
        properties: { x: part, y: { $ref: "#/$defs/B" } },
        required: ["x"],
        $defs: { A: a, B: b },
      };
      const args = { x: given } as JsonObject;
      if (!(await accepts(schema, args))) return;
      const sent = normaliseSchema(schema, to).schema;
      assert.ok(await accepts(sent, args), JSON.stringify({ schema, sent, args }));
    }),
    { numRuns: testSize({ quick: 300, full: 2500 }) },
  );
});
