import { ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import { type CredentialStatus, keyEnding } from "../../providers/credentials/credential-pool.ts";
import type { EndpointRow } from "../../providers/endpoints/endpoint-row.ts";
import { endpointRows } from "../../providers/endpoints/find-row.ts";
import { routeFromServer, routeFromRow } from "../../providers/endpoints/make-route.ts";
import { offlineId, type Route, routeName } from "../../providers/endpoints/route.ts";
import { missingProgram } from "./missing-program.ts";
import type { Models } from "./models.ts";

/** A key for display. */
export interface KeyView {
  readonly label: string;
  readonly from: CredentialStatus["from"];
  /** The last characters of the key. */
  readonly hint: string;
  readonly id?: string;
  readonly baseUrl: string;
  /** `unrefused`: the provider has not refused the key so far; it may never have been used. */
  readonly status: "unrefused" | "exhausted" | "dead";
  readonly until?: number;
  readonly why?: string;
}

export interface ProviderView {
  readonly id: string;
  readonly title: string;
  /** Other names of the provider. */
  readonly aliases: readonly string[];
  /** The variable that holds its key. */
  readonly keyVariable?: string;
  readonly route?: Route;
  readonly keys: readonly KeyView[];
  readonly isUsable: boolean;
  readonly isActive: boolean;
  readonly defaultModel?: string;
  /** How to get a key or the program, or why it cannot be used. */
  readonly note: string;
  /** Models that its endpoint listed most recently, else those of the public list. */
  readonly models: readonly { readonly name: string; readonly facts: ModelFacts }[];
  readonly listedAt?: number;
}

/** All providers with their keys and models, the user's own providers first. Sends no request. */
export function providerViews(models: Models, config: LoadedConfig): readonly ProviderView[] {
  const { values } = config;
  const allRows = [...endpointRows, ...(models.scene.rows ?? [])];
  const active = models.resolve();
  const activeId = active.ok && active.value !== offlineId ? active.value.providerId : "";

  function view(
    id: string,
    title: string,
    route: Route | undefined,
    note: string,
    defaultModel?: string,
  ): ProviderView {
    const list = route && models.listOf(route);
    const keys = route === undefined ? [] : models.pool.list(route).map(keyView);
    const row = allRows.find((one) => one.id === id);
    const keyVariable = row?.keyVars[0];
    const missing = route?.program && missingProgram(route.program, config);
    return {
      id,
      title,
      aliases: row?.aliases ?? [],
      ...(keyVariable !== undefined && { keyVariable }),
      ...(route && { route }),
      keys,
      isUsable: route !== undefined && missing === undefined && (keys.length > 0 || route.keys.keyless),
      isActive: id === activeId,
      ...(defaultModel !== undefined && { defaultModel }),
      note: missing ?? (route === undefined || keys.length > 0 ? note : adviceOf(route)),
      models:
        route === undefined
          ? []
          : (list?.models ?? []).map(({ id: model }) => ({
              name: routeName({ providerId: route.providerId, model }),
              facts: models.facts({ ...route, model }),
            })),
      ...(list?.at !== undefined && { listedAt: list.at }),
    };
  }

  const servers = values.custom_providers.flatMap((server) => {
    if (!server.name || !server.base_url) return [];
    const id = `custom:${server.name}`;
    const route = routeFromServer(id, server, { model: server.model ?? "", chosen: "listed" }, models.scene);
    return [
      view(id, server.base_url, route.ok ? route.value : undefined, route.ok ? "" : route.error.message, server.model),
    ];
  });
  const own = Object.entries(models.scene.settings.providers).flatMap(([id, settings]) => {
    if (settings.base_url === "" || allRows.some((row) => row.id === id)) return [];
    const route = routeFromServer(id, { ...settings, name: id }, { model: "", chosen: "listed" }, models.scene);
    return [view(id, settings.base_url, route.ok ? route.value : undefined, route.ok ? "" : route.error.message)];
  });
  /** The route with the URL and the keys of the settings. */
  const chosen = active.ok && active.value !== offlineId ? active.value : undefined;
  const rows = allRows
    .filter(({ id }) => id !== "custom")
    .map((row) => {
      if (row.mixture) return mixtureView(row, models, config, row.id === activeId ? chosen : undefined);
      const listed = routeFromRow(row, { model: row.defaultModel ?? "", chosen: "listed" }, models.scene);
      const route = row.id === activeId && chosen ? ok(chosen) : listed;
      return view(
        row.id,
        row.title,
        route.ok ? route.value : undefined,
        route.ok ? "" : route.error.message,
        row.defaultModel,
      );
    });
  const knownNames = [...servers, ...own, ...rows];
  const isKnown = knownNames.some(({ id }) => id === activeId);
  return chosen && !isKnown
    ? [view(chosen.providerId, chosen.baseUrl, chosen, "", chosen.model), ...knownNames]
    : knownNames;
}

/**
 * A mixture provider, whose presets are its models. It is usable if the aggregator of the chosen or the default preset
 * is.
 */
function mixtureView(
  row: EndpointRow,
  models: Models,
  { values: { moa } }: LoadedConfig,
  active: Route | undefined,
): ProviderView {
  const routes = Object.keys(moa.presets).flatMap((name) => {
    const route = routeFromRow(row, { model: name, chosen: "listed" }, models.scene);
    return route.ok ? [route.value] : [];
  });
  const route = active ?? routes.find(({ model }) => model === moa.default_preset);
  const result = route?.mixture && models.resolve(route.mixture.aggregator);
  const single = result?.ok && result.value !== offlineId ? result.value : undefined;
  const hasKey = single !== undefined && (single.keys.keyless || models.pool.list(single).length > 0);
  const note = result?.ok === false ? result.error.message : hasKey || !single ? "" : `${routeName(single)} has no key`;
  return {
    id: row.id,
    title: row.title,
    aliases: [],
    ...(route && { route }),
    keys: [],
    isUsable: hasKey,
    isActive: active !== undefined,
    defaultModel: moa.default_preset,
    note: route ? note : `There is no preset ${moa.default_preset}: see \`hermes moa list\`.`,
    models: routes.map((each) => ({ name: routeName(each), facts: models.facts(each) })),
  };
}

function adviceOf({ program, baseUrl, keys }: Route): string {
  if (program) return `${program.command} signs in by itself: ${program.signIn}`;
  return keys.keyless ? baseUrl : keys.advice;
}

function keyView(status: CredentialStatus): KeyView {
  const { label, from, key, id, baseUrl, state } = status;
  return {
    label,
    from,
    hint: keyEnding(key),
    ...(id !== undefined && { id }),
    baseUrl,
    status: state?.status ?? "unrefused",
    ...(state && { until: state.until, why: state.why }),
  };
}
