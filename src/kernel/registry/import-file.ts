/** The module at an address that no build knows of. Loaded on demand itself: a bundle cannot hold such an import. */
export function importFile(url: string): Promise<unknown> {
  return import(url);
}
