/** A list of words that have no spaces in them. */
export function words(text: string): readonly string[] {
  return text.split(/\s+/u).filter(Boolean);
}

/** The rows of a table in which a key may be several names: `"a b"` is a row for each. A later row of a name replaces an earlier one. */
export function rowsByName<T>(table: Readonly<Record<string, T>>): readonly (readonly [name: string, row: T])[] {
  return Object.entries(table).flatMap(([names, row]) => words(names).map((name) => [name, row] as const));
}
