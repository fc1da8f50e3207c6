import { admit, isObject, type JsonValue } from "../../base/json.ts";
import { reasonOf } from "../../base/result.ts";
import { nearest } from "../../base/text/nearest.ts";
import type { LineAnswer } from "../../contracts/host/line-check.ts";
import { normaliseSchema } from "./normalise.ts";
import { schemaProviders, type SchemaProvider } from "./provider-rules.ts";

/**
 * One line of `hermes check schemas`: `{id, schema, provider}` in, `{id, schema}` out, with `renames` when a property gets
 * another name. An invalid line gives `{id?, error}`. Never throws.
 */
export function checkSchemaLine(line: string): LineAnswer {
  let given: unknown;
  try {
    given = JSON.parse(line);
  } catch (thrown) {
    return refused({ error: `not JSON: ${reasonOf(thrown)}` });
  }
  if (!isObject(given)) return refused({ error: "each line must be an object with id, schema and provider" });
  const id = idOf(given["id"]);
  const { provider } = given;
  if (!isProvider(provider)) return refused({ ...id, error: unknownProvider(provider) });
  const { schema, renames } = normaliseSchema(given["schema"], provider);
  const answer = { ...id, schema, ...(Object.keys(renames).length === 0 ? {} : { renames }) };
  return { ok: true, line: JSON.stringify(answer) };
}

function refused(answer: { readonly id?: JsonValue; readonly error: string }): LineAnswer {
  return { ok: false, line: JSON.stringify(answer) };
}

function idOf(id: unknown): { readonly id?: JsonValue } {
  const admitted = admit(id, { maxChars: 10_000, maxDepth: 20 });
  return admitted.ok ? { id: admitted.value } : {};
}

function isProvider(value: unknown): value is SchemaProvider {
  return schemaProviders.some((provider) => provider === value);
}

function unknownProvider(value: unknown): string {
  const names = schemaProviders.join(", ");
  if (typeof value !== "string") return `provider is missing; use one of ${names}`;
  const [close] = nearest(value, schemaProviders);
  return `unknown provider ${JSON.stringify(value.slice(0, 100))}; ${close === undefined ? "" : `did you mean ${close}? `}Use one of ${names}`;
}
