import { nearest } from "../../base/text/nearest.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { clouds } from "./rows-clouds.ts";
import { hosts } from "./rows-hosts.ts";
import { labs } from "./rows-labs.ts";
import { localServers } from "./rows-local.ts";

/** In the order in which a present key chooses a provider: those with the most models first. */
export const endpointRows: readonly EndpointRow[] = [...hosts, ...labs, ...clouds, ...localServers];

/** By id or alias, without regard to case. */
export function findRow(name: string): EndpointRow | undefined {
  const wanted = name.trim().toLowerCase();
  return (
    endpointRows.find(({ id }) => id === wanted) ??
    endpointRows.find(({ aliases }) => aliases?.includes(wanted) === true)
  );
}

/** The id of the provider that goes by this name; a name that is unknown stays as it is. */
export function providerIdOf(name: string): string {
  return findRow(name)?.id ?? name;
}

/** Ids of the rows whose id or alias is spelled like this. */
export function nearestRows(name: string): readonly string[] {
  const names = endpointRows.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  return [...new Set(nearest(name, names).map(providerIdOf))];
}
