import type { Route } from "./route.ts";

/** Who of those behind OpenRouter answers, as the settings have it: what is `auto` or empty is not said. */
export interface ProviderRouting {
  readonly sort: string;
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  readonly order: readonly string[];
  readonly require_parameters: boolean;
  readonly data_collection: string;
}

/** Only OpenRouter is told. Fields that `extra_body` has stay. */
export function withRouting(route: Route, routing: ProviderRouting): Route {
  const wishes = Object.entries(routing).filter(([, wish]) => wish !== "auto" && wish !== false && wish.length !== 0);
  const { body } = route.quirks;
  if (route.providerId !== "openrouter" || wishes.length === 0) return route;
  return { ...route, quirks: { ...route.quirks, body: { provider: Object.fromEntries(wishes), ...body } } };
}
