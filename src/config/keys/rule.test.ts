import assert from "node:assert/strict";
import { test } from "node:test";

import * as fc from "fast-check";
import { z } from "zod";

import { anyText } from "../../../test/support/any-text.ts";
import { testSize } from "../../../test/support/test-size.ts";
import { type KeyNode, keyTree, leaves } from "../schema.ts";
import { configSchema } from "../slices/whole.ts";
import { checkValue, type Rule } from "./rule.ts";

/** Every rule of the real slices with its source zod schema: the rules of all keys, and of the names in each family. */
const pairs: readonly { readonly key: string; readonly rule: Rule; readonly schema: z.ZodType }[] = [
  ...leaves(keyTree()).map(({ path, leaf }) => ({ key: path.join("."), rule: leaf.rule, schema: zodAt(path) })),
  ...familyNames(keyTree(), []).map(({ path, names }) => {
    const record = zodAt(path);
    assert.ok(record instanceof z.ZodRecord);
    return { key: `${path.join(".")} (names)`, rule: names, schema: record.keyType as z.ZodType };
  }),
];

test("a rule and the zod schema of its slice agree on every value", () => {
  for (const { key, rule, schema } of pairs) {
    fc.assert(
      fc.property(fc.oneof({ weight: 3, arbitrary: near(rule) }, { weight: 1, arbitrary: anything }), (value) => {
        const expected = schema.safeParse(value);
        const result = checkValue(rule, value);
        const issue = expected.error?.issues[0]?.path ?? [];
        assert.deepEqual(
          result.ok ? { value: result.value } : { path: result.error.path },
          expected.success ? { value: expected.data } : { path: issue },
          key,
        );
      }),
      { numRuns: testSize({ quick: 30, full: 80 }) },
    );
  }
});

test("no slice uses a feature that rules lack: custom checks, transforms, pattern flags, other keywords", () => {
  for (const { key, rule, schema } of pairs.flatMap(withEntries)) {
    assert.ok(plainKinds.has(schema.def.type), `${key}: ${schema.def.type}`);
    for (const check of schema.def.checks ?? []) {
      const { check: kind, pattern } = check._zod.def as { check: string; pattern?: RegExp };
      assert.ok(plainChecks.has(kind), `${key}: ${kind}`);
      if (pattern !== undefined) assert.equal(pattern.flags, "u", key);
    }
    assert.deepEqual(
      Object.keys(rule).filter((keyword) => !keywords.has(keyword)),
      [],
      key,
    );
  }
});

for (const [rule, value, message, path = []] of [
  [{ type: "string", minLength: 1 }, "", "must not be empty"],
  [{ type: "string", minLength: 2 }, "a", "must have at least 2 characters"],
  [{ type: "string", maxLength: 1 }, "ab", "must have at most 1 character"],
  [{ type: "string", pattern: "^a$" }, "b", "must be like ^a$"],
  [{ type: "string", pattern: "^a$", rules: { expected: "an a" } }, "b", "must be an a"],
  [{ type: "number", minimum: 1 }, 0, "must be at least 1"],
  [{ type: "number", exclusiveMinimum: 1 }, 1, "must be more than 1"],
  [{ type: "number", exclusiveMaximum: 1 }, 1, "must be less than 1"],
  [{ type: "integer", maximum: 1 }, 1.5, "must be a whole number"],
  [{ type: "array", maxItems: 1 }, [1, 2], "must have at most 1 entry"],
  [{ type: "array", minItems: 2 }, [1], "must have at least 2 entries"],
  [{ type: "array", items: { type: "boolean" } }, [true, 0], "must be true or false", [1]],
] as const satisfies readonly (readonly [Rule, unknown, string, (readonly number[])?])[]) {
  test(`an invalid value is reported: ${JSON.stringify(value)} ${message}`, () => {
    assert.deepEqual(checkValue(rule, value), { ok: false, error: { path, message } });
  });
}

// Excludes keys such as `length` and `valueOf`, which zod itself mishandles.
const key = fc.constantFrom("a", "0", "__proto__");
const anything = fc.anything({ key, withBigInt: true, withSparseArray: true, withDate: true });

/** Values around the edges of a rule, on both sides. */
function near(rule: Rule): fc.Arbitrary<unknown> {
  if (rule.enum !== undefined)
    return fc.constantFrom(...rule.enum.flatMap((word) => [word, word.toUpperCase(), `${word} `, [word]]));
  switch (rule.type) {
    case "boolean":
      return fc.constantFrom(true, false, 0, 1, "true", "", null);
    case "string":
      return text(rule);
    case undefined:
      return anything;
    case "object":
      return fc.oneof(anything, objectNear(rule));
    case "array": {
      const entry = near(rule.items ?? { type: "string" });
      return fc.oneof(fc.array(entry, { maxLength: 3 }), fc.array(fc.oneof(entry, anything), { maxLength: 3 }), entry);
    }
    default: {
      const edges = [rule.minimum ?? 0, rule.maximum ?? 0].flatMap((edge) => [edge, edge - 1, edge + 1, edge + 1e-9]);
      return fc.oneof(fc.constantFrom(...edges, -0, 2 ** 53, NaN, Infinity), fc.double(), fc.integer());
    }
  }
}

function objectNear({ properties = {}, additionalProperties }: Rule): fc.Arbitrary<unknown> {
  const knownProperties = Object.fromEntries(Object.entries(properties).map(([name, below]) => [name, near(below)]));
  const own = fc.record(knownProperties, { requiredKeys: [] });
  const more = fc.dictionary(fc.constantFrom("x", "y"), additionalProperties ? near(additionalProperties) : anything);
  return fc.tuple(own, more).map(([a, b]) => ({ ...a, ...b }));
}

function text({ minLength = 0, maxLength = 200, pattern }: Rule): fc.Arbitrary<string> {
  const lengths = [0, minLength - 1, minLength, maxLength, maxLength + 1].filter((length) => length >= 0);
  const inPairs = fc.constantFrom(...lengths).map((length) => "\u{1F600}".repeat(length));
  const plain = fc.constantFrom(...lengths).map((length) => "x".repeat(length));
  const matching = pattern === undefined ? [] : [fc.stringMatching(new RegExp(pattern, "u"))];
  const spoiled = fc.constantFrom("a b", "a,b", "a\n", "\ud800", "\u00a0", "a\u2028");
  return fc.oneof(plain, inPairs, spoiled, anyText(), ...matching);
}

/** Returns the pair of rule and schema; for a list also the pair of its entries. */
function withEntries(pair: (typeof pairs)[number]): (typeof pairs)[number][] {
  const { key, rule, schema } = pair;
  if (!(schema instanceof z.ZodArray) || rule.items === undefined) return [pair];
  return [pair, { key: `${key}[]`, rule: rule.items, schema: schema.element as z.ZodType }];
}

/** The schema at a path of the slices, without its default. */
function zodAt(path: readonly string[]): z.ZodType {
  let schema: z.ZodType = configSchema;
  for (const step of path) {
    if (schema instanceof z.ZodObject) schema = (schema.shape[step] ?? schema.def.catchall) as z.ZodType;
    else if (schema instanceof z.ZodRecord) schema = schema.valueType as z.ZodType;
    else assert.fail(`${path.join(".")} does not resolve`);
  }
  return withoutDefault(schema);
}

/** Null is treated as a missing value before a rule is applied. */
function withoutDefault(schema: z.ZodType): z.ZodType {
  const isWrapped = schema instanceof z.ZodDefault || schema instanceof z.ZodNullable;
  return isWrapped ? withoutDefault(schema.def.innerType as z.ZodType) : schema;
}

function familyNames(node: KeyNode, path: readonly string[]): { path: readonly string[]; names: Rule }[] {
  if (node.kind === "leaf") return [];
  if (node.kind === "section") return [...node.keys].flatMap(([name, child]) => familyNames(child, [...path, name]));
  return [{ path, names: node.names }, ...familyNames(node.each, [...path, "*"])];
}

const plainKinds: ReadonlySet<string> = new Set(["boolean", "number", "string", "enum", "array", "object", "unknown"]);
const plainChecks: ReadonlySet<string> = new Set([
  "greater_than",
  "less_than",
  "max_length",
  "min_length",
  "number_format",
  "string_format",
]);
const keywords: ReadonlySet<string> = new Set(
  (
    "type enum items minItems maxItems minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum " +
    "properties required additionalProperties rules default description"
  ).split(" "),
);
