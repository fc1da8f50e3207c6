import { nearest } from "../../base/text/nearest.ts";
import type { EndpointRow } from "./endpoint-row.ts";
import { cloudRows } from "./rows-clouds.ts";
import { hostRows } from "./rows-hosts.ts";
import { labRows } from "./rows-labs.ts";
import { localRows } from "./rows-local.ts";

/** The order in which an existing key selects a provider: providers with the most models come first. */
export const endpointRows: readonly EndpointRow[] = [...hostRows, ...labRows, ...cloudRows, ...localRows];

/** Finds a row by id or alias, ignoring case. `more`: rows of plugins, which come after the built-in ones. */
export function findRow(name: string, more: readonly EndpointRow[] = []): EndpointRow | undefined {
  const lowerName = name.trim().toLowerCase();
  const inRows = (rows: readonly EndpointRow[]) =>
    rows.find(({ id }) => id === lowerName) ?? rows.find(({ aliases }) => aliases?.includes(lowerName) === true);
  return inRows(endpointRows) ?? inRows(more);
}

/** The provider id for a name or alias; unknown names are returned unchanged. */
export function providerIdOf(name: string, more: readonly EndpointRow[] = []): string {
  return findRow(name, more)?.id ?? name;
}

/** Returns the ids of the rows with a similar id or alias. */
export function similarRows(name: string, more: readonly EndpointRow[] = []): readonly string[] {
  const names = [...endpointRows, ...more].flatMap(({ id, aliases = [] }) => [id, ...aliases]);
  return [...new Set(nearest(name, names).map((each) => providerIdOf(each, more)))];
}
