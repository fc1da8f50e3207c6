import type { JsonObject } from "../../base/json.ts";
import type { Route } from "./route.ts";

/** The settings for OpenRouter's choice of a provider. `auto` and empty values are not sent. */
export interface ProviderRouting {
  readonly sort: string;
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  readonly order: readonly string[];
  readonly require_parameters: boolean;
  readonly data_collection: string;
}

/** Applies to OpenRouter only. Fields of `extra_body` take precedence. */
export function withRouting(route: Route, routing: ProviderRouting): Route {
  const wishes = Object.entries(routing).filter(([, wish]) => wish !== "auto" && wish !== false && wish.length !== 0);
  const { body } = route.quirks;
  if (route.providerId !== "openrouter" || wishes.length === 0) return route;
  return { ...route, quirks: { ...route.quirks, body: { provider: Object.fromEntries(wishes), ...body } } };
}

export function withTemperature(route: Route, temperature: number | undefined): Route {
  return temperature === undefined ? route : { ...route, quirks: { ...route.quirks, temperature } };
}

/** Adds fields to every request of a route. */
export function withBody(route: Route, extra: JsonObject): Route {
  if (Object.keys(extra).length === 0) return route;
  return { ...route, quirks: { ...route.quirks, body: { ...route.quirks.body, ...extra } } };
}
