import { nearest } from "../../base/text/nearest.ts";
import { lineCheck } from "../../contracts/host/line-check.ts";
import { normaliseSchema } from "./normalise.ts";
import { schemaProviders, type SchemaProvider } from "./provider-rules.ts";

/**
 * Handles one line of `hermes check schemas`: `{id, schema, provider}` in, `{id, schema}` out, with `renames` if a
 * property gets another name. An invalid line gives `{id?, error}`. Never throws.
 */
export const checkSchemaLine = lineCheck("id, schema and provider", ({ schema: given, provider }) => {
  if (!isProvider(provider)) return unknownProvider(provider);
  const { schema, renames } = normaliseSchema(given, provider);
  return { schema, ...(Object.keys(renames).length === 0 ? {} : { renames }) };
});

function isProvider(value: unknown): value is SchemaProvider {
  return schemaProviders.some((provider) => provider === value);
}

function unknownProvider(value: unknown): string {
  const names = schemaProviders.join(", ");
  if (typeof value !== "string") return `provider is missing; use one of ${names}`;
  const [close] = nearest(value, schemaProviders);
  return `unknown provider ${JSON.stringify(value.slice(0, 100))}; ${close === undefined ? "" : `did you mean ${close}? `}Use one of ${names}`;
}
