import { err, ok, type Result } from "../../base/result.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import type { MixtureSettings } from "./model-settings.ts";
import type { Route } from "./route.ts";

/** The route to a mixture of agents. Whose models it asks is looked up when it is opened. */
export function routeOfPreset(
  row: EndpointRow,
  { model, chosen }: { readonly model: string; readonly chosen: string },
  settings: MixtureSettings,
): Result<Route, { readonly message: string }> {
  const name = model === "" ? settings.default_preset : model;
  const mixture = Object.hasOwn(settings.presets, name) ? settings.presets[name] : undefined;
  if (!mixture) return err({ message: unknownPreset(name, Object.keys(settings.presets)) });
  const inner = [...mixture.reference_models, mixture.aggregator].find(({ provider }) => isRow(provider, row));
  if (inner)
    return err({
      message: `moa/${name} names moa/${inner.model}: a mixture asks no other mixture. Name a single model.`,
    });
  return ok({
    providerId: row.id,
    model: name,
    protocol: "moa",
    mixture,
    baseUrl: row.baseUrl,
    headers: {},
    quirks: {},
    timeouts: {},
    keys: { given: [], variables: [], home: [], keyless: true, advice: "" },
    local: false,
    subscription: false,
    chosen,
  });
}

function isRow(provider: string, { id }: EndpointRow): boolean {
  return provider.trim().toLowerCase() === id;
}

function unknownPreset(name: string, known: readonly string[]): string {
  return `There is no preset ${name} of moa; there are: ${known.join(", ")}. \`hermes moa configure ${name}\` makes it.`;
}
