import { nearest } from "../../base/text/nearest.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { cloudRows } from "./rows-clouds.ts";
import { hostRows } from "./rows-hosts.ts";
import { labRows } from "./rows-labs.ts";
import { localRows } from "./rows-local.ts";

/** In the order in which a present key chooses a provider: those with the most models first. */
export const endpointRows: readonly EndpointRow[] = [...hostRows, ...labRows, ...cloudRows, ...localRows];

/** By id or alias, without regard to case. */
export function findRow(name: string): EndpointRow | undefined {
  const lowerName = name.trim().toLowerCase();
  return (
    endpointRows.find(({ id }) => id === lowerName) ??
    endpointRows.find(({ aliases }) => aliases?.includes(lowerName) === true)
  );
}

/** The id of the provider that goes by this name; a name that is unknown stays as it is. */
export function providerIdOf(name: string): string {
  return findRow(name)?.id ?? name;
}

/** Ids of the rows whose id or alias is spelled like this. */
export function similarRows(name: string): readonly string[] {
  const names = endpointRows.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  return [...new Set(nearest(name, names).map(providerIdOf))];
}
