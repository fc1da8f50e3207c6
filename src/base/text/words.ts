/** A list of words without spaces. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter(Boolean);
}

/**
 * Expands a table whose keys may contain several names: `"a b"` becomes a row for each name. A later row with the
 * same name wins.
 */
export function rowsByName<T>(table: Readonly<Record<string, T>>): readonly (readonly [name: string, row: T])[] {
  return Object.entries(table).flatMap(([names, row]) => words(names).map((name) => [name, row] as const));
}
