import { nearest } from "../../base/text/nearest.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { cloudRows } from "./rows-clouds.ts";
import { hostRows } from "./rows-hosts.ts";
import { labRows } from "./rows-labs.ts";
import { localRows } from "./rows-local.ts";

/** In the order in which an existing key selects a provider: those with the most models first. */
export const endpointRows: readonly EndpointRow[] = [...hostRows, ...labRows, ...cloudRows, ...localRows];

/** Finds a row by id or alias, ignoring case. */
export function findRow(name: string): EndpointRow | undefined {
  const lowerName = name.trim().toLowerCase();
  return (
    endpointRows.find(({ id }) => id === lowerName) ??
    endpointRows.find(({ aliases }) => aliases?.includes(lowerName) === true)
  );
}

/** The provider id for a name or alias; unknown names are returned unchanged. */
export function providerIdOf(name: string): string {
  return findRow(name)?.id ?? name;
}

/** Ids of the rows with a similar id or alias. */
export function similarRows(name: string): readonly string[] {
  const names = endpointRows.flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  return [...new Set(nearest(name, names).map(providerIdOf))];
}
