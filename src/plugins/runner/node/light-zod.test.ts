import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";
import { z as zod } from "zod";

import { createDefineTool } from "../../../contracts/plugin/author-tool.ts";
import { createLightZod } from "./light-zod.ts";

type Zod = typeof zod;

function lightZod(): { readonly z: Zod; readonly loads: () => number } {
  let loads = 0;
  const load = () => {
    loads += 1;
    return zod;
  };
  // The cast is safe: the object has the members of zod.
  return { z: createLightZod(load) as Zod, loads: () => loads };
}

type Maker = (z: Zod) => zod.ZodType;

/** Typical schemas of authors. The same function builds each with zod and with the light version. */
const makers: fc.Arbitrary<Maker> = fc.letrec<{ any: Maker; part: Maker }>((tie) => ({
  part: fc.oneof(
    fc.tuple(fc.option(fc.nat(3)), fc.option(fc.integer({ min: 3, max: 6 }))).map(([min, max]): Maker => (z) => {
      const low = min === null ? z.string() : z.string().min(min);
      return max === null ? low : low.max(max);
    }),
    fc.tuple(fc.boolean(), fc.integer()).map(([isInt, limit]): Maker => (z) => {
      const number = z.number().max(limit);
      return isInt ? number.int() : number;
    }),
    fc.constant<Maker>((z) => z.int().min(0)),
    fc.constant<Maker>((z) => z.boolean().describe("on or off")),
    fc.constant<Maker>((z) => z.enum(["a", "b"])),
    fc.constant<Maker>((z) => z.enum({ Red: "red", Blue: "blue" }).default("red")),
    fc.constant<Maker>((z) => z.unknown()),
    fc.constant<Maker>((z) => z.number().default(2).describe("how many")),
    fc.constant<Maker>((z) => z.string().describe("name").optional()),
    // The cast is safe: zod created this schema.
    fc.constant<Maker>((z) => z.literal("x")),
    fc.constant<Maker>((z) => z.string().regex(/^a/u).nullable()),
    fc.constant<Maker>((z) => z.array(z.string()).default(["a"])),
    fc.constant<Maker>((z) => z.string().min(1, "say something").trim()),
    fc.constant<Maker>((z) => z.number().refine((n) => n % 2 === 0, "must be even")),
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie("part"),
    tie("any").map(
      (make): Maker =>
        (z) =>
          z.array(make(z)).max(2),
    ),
    fc.dictionary(fc.constantFrom("a", "b", "c"), tie("any")).map((shape): Maker => (z) => {
      const parts = Object.entries(shape).map(([name, make]) => [name, make(z)] as const);
      return z.object(Object.fromEntries(parts));
    }),
  ),
})).any;

const values = fc.anything({
  key: fc.constantFrom("a", "b", "c", "d"),
  values: [fc.constantFrom("a", "x", "red", "", "long text", 0, 2, 3.5, -1, 1e20, Number.NaN, true, null, undefined)],
  maxDepth: 3,
});

test("light schemas and their validation results equal those of zod", () => {
  fc.assert(
    fc.property(makers, values, (make, value) => {
      const [real, light] = [make(zod)["~standard"], make(lightZod().z)["~standard"]];
      const schemaOf = ({ jsonSchema }: typeof real) => {
        const { $schema: _, ...schema } = jsonSchema.input({ target: "draft-2020-12" });
        return withoutSafeBounds(schema);
      };
      assert.deepEqual(schemaOf(light), schemaOf(real));
      const [expected, actual] = [real.validate(value), light.validate(value)];
      assert.ok(!(expected instanceof Promise) && !(actual instanceof Promise));
      assert.equal(actual.issues === undefined, expected.issues === undefined, JSON.stringify({ expected, actual }));
      if (!expected.issues && !actual.issues) assert.deepEqual(actual.value, expected.value);
    }),
  );
});

/** zod adds bounds to integers, and `defineTool` removes them. */
function withoutSafeBounds(node: unknown): unknown {
  return JSON.parse(JSON.stringify(node), (key, value: unknown) =>
    Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER && key.endsWith("imum") ? undefined : value,
  );
}

test("common schemas do not load zod; all other schemas use zod itself", async () => {
  const { z, loads } = lightZod();
  const common = z.object({ path: z.string().min(1).describe("The file"), lines: z.array(z.int()).optional() });
  const tool = createDefineTool(() => assert.fail())({ name: "x", description: "", input: common, run: () => "" });
  assert.deepEqual(tool.inputSchema["required"], ["path"]);
  assert.ok((await tool.prepare({ path: "a" })).ok);
  assert.equal(loads(), 0);

  assert.deepEqual(common.parse({ path: "a", more: 1 }), { path: "a" });
  assert.ok(common instanceof zod.ZodObject && loads() > 0);
  assert.deepEqual(Object.keys(common.shape), ["path", "lines"]);
  assert.deepEqual(common.extend({ n: z.number() }).safeParse({ path: "a", n: 1 }).data, { path: "a", n: 1 });
  assert.equal(z.union([common, z.string()]).parse("x"), "x");
  assert.equal(
    z
      .string()
      .transform((text) => text.length)
      .parse("abc"),
    3,
  );
  assert.deepEqual(zod.object({ inner: common }).parse({ inner: { path: "a" } }), { inner: { path: "a" } });
  assert.ok("ZodError" in z);
});
