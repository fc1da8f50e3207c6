import type { Catalog } from "../../../contracts/tool/registry.ts";

/**
 * The tool that a model meant by a name that is none: other case, dashes or blanks for underscores, `ReadFile`,
 * `read_file_tool`, `functions.read_file:0`, `read_file<|channel|>`, the name twice. Only a name that fits one tool alone
 * is taken; a spelling that is merely similar is not, since the call would do something else.
 */
export function meantTool(name: string, catalog: Catalog): string | undefined {
  if (catalog.find(name)) return name;
  const spelled = plain(name);
  const once = spelled.replace(/^(.+?)\1+$/u, "$1");
  for (const spelling of new Set([spelled, once])) {
    const matches = catalog.names.filter((each) => plain(each) === spelling);
    if (matches.length > 0) return matches.length === 1 ? matches[0] : undefined;
  }
  return undefined;
}

/** Names of tools are shorter; what a model writes has no bound. */
const longestName = 200;

function plain(name: string): string {
  return name
    .trim()
    .slice(0, longestName)
    .replace(/^(?:functions?|tools?|default_api)[.:/]/iu, "")
    .replace(/<\|.*$|:\d+$/u, "")
    .replaceAll(/([a-z0-9])([A-Z])/gu, "$1_$2")
    .toLowerCase()
    .replaceAll(/[\s.-]+/gu, "_")
    .replace(/^m?(?:mcp_)+/u, "mcp_")
    .replace(/(?:_tool|_function)+$/u, "");
}
