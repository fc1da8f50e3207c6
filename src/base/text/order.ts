/** Compares by code units, so that the order is the same on every machine. */
export function byText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return byText(a.name, b.name);
}
