/**
 * Imports a module by a URL that the build does not know. In a separate file, because a bundle cannot contain such an
 * import.
 */
export function importFile(url: string): Promise<unknown> {
  return import(url);
}
