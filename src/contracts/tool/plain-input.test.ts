import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { registerHooks } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

import fc from "fast-check";

import { isObject, type JsonObject } from "../../base/json.ts";
import type { Tool } from "./tool.ts";

const tools = join(import.meta.dirname, "..", "..", "tools");

/** The same tool twice: with zod, and with the replacement for zod in the build. */
async function bothWays(file: string): Promise<readonly [Tool, Tool]> {
  const plainInput = new URL("plain-input.ts", import.meta.url).href;
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (specifier === "zod" && context.parentURL?.endsWith("?plain")) {
        return { url: new URL("plain-z.ts", plainInput).href, shortCircuit: true, format: "module" };
      }
      return next(specifier, context);
    },
    load(url, context, next) {
      if (!url.endsWith("/plain-z.ts")) return next(url, context);
      return { format: "module", shortCircuit: true, source: `export * as z from ${JSON.stringify(plainInput)};` };
    },
  });
  try {
    const url = pathToFileURL(file).href;
    const [defaults, plain] = await Promise.all([import(url), import(`${url}?plain`)]);
    return [defaults.default, plain.default];
  } finally {
    hooks.deregister();
  }
}

/** Paths of the invalid arguments. */
function pathsIn({ error }: Extract<Awaited<ReturnType<Tool["prepare"]>>, { ok: false }>): readonly string[] {
  const messages = error.message.slice(error.message.indexOf(": ") + 2).split("; ");
  return [...new Set(messages.map((each) => each.slice(0, each.indexOf(":"))))];
}

/** Values that a schema accepts, nearly accepts, or does not accept at all. */
function valuesFor(schema: unknown): fc.Arbitrary<unknown> {
  const { type, enum: names, properties, items, anyOf } = isObject(schema) ? schema : {};
  const odd = fc.constantFrom<unknown>(
    undefined,
    null,
    "",
    "x",
    0,
    -1,
    1,
    1.5,
    21,
    1e6,
    2 ** 60,
    true,
    [],
    {},
    ["", 1],
    "y".repeat(5000),
  );
  if (Array.isArray(names)) return fc.oneof(fc.constantFrom<unknown>(...names), odd);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map(valuesFor), odd);
  if (type === "object" && isObject(properties)) {
    const shape = Object.fromEntries(Object.entries(properties).map(([key, each]) => [key, valuesFor(each)]));
    return fc.record(shape, { requiredKeys: [] });
  }
  if (type === "array") return fc.oneof(fc.array(valuesFor(items), { maxLength: 4 }), odd);
  if (type === "boolean") return fc.oneof(fc.boolean(), odd);
  if (type === "integer" || type === "number") return fc.oneof(fc.integer({ min: -2, max: 6000 }), fc.double(), odd);
  return fc.oneof(fc.string({ maxLength: 5 }), odd);
}

for (const name of readdirSync(tools, { recursive: true, encoding: "utf8" }).filter((each) =>
  each.endsWith(".tool.ts"),
)) {
  test(`the bundle parses arguments of ${name} exactly like zod`, async () => {
    const [defaults, plain] = await bothWays(join(tools, name));
    await fc.assert(
      fc.asyncProperty(valuesFor(defaults.inputSchema), async (values) => {
        const args = JSON.parse(JSON.stringify(values)) as JsonObject;
        const [theirs, ours] = await Promise.all([defaults.prepare(args), plain.prepare(args)]);
        assert.deepEqual(ours.ok ? ours.value.args : pathsIn(ours), theirs.ok ? theirs.value.args : pathsIn(theirs));
      }),
      { numRuns: 300 },
    );
  });
}
