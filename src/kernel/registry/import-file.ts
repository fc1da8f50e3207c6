/**
 * Imports a module by a URL that is known only at run time. It is in a separate file, because a bundle cannot contain
 * such an import.
 */
export function importFile(url: string): Promise<unknown> {
  return import(url);
}
