import type { Catalog } from "../../contracts/registry.ts";

/**
 * The tool that a model meant by a name that is none: other case, dashes or blanks for underscores, `ReadFile`,
 * `read_file_tool`, `functions.read_file`. Only a name that fits one tool alone is taken; a spelling that is merely
 * similar is not, since the call would do something else.
 */
export function meantTool(name: string, catalog: Catalog): string | undefined {
  if (catalog.find(name)) return name;
  const wanted = plain(name);
  const meant = catalog.names.filter((each) => plain(each) === wanted);
  return meant.length === 1 ? meant[0] : undefined;
}

function plain(name: string): string {
  return name
    .replace(/^(?:functions?|tools?|default_api)[.:/]/iu, "")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .replaceAll(/[\s.-]+/gu, "_")
    .replace(/(?:_tool|_function)$/u, "");
}
