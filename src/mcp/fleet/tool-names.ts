import { sha256 } from "../../base/digest.ts";
import { byText } from "../../base/text/order.ts";

/** `mcp__server__tool`: every other character becomes `_`; a name that is too long ends with a short hash. */
export function toolNameOf(server: string, tool: string): string {
  const name = `${toolPrefix(server)}${plain(tool)}`;
  if (name.length <= maxNameChars) return name;
  const mark = sha256(`${server}\n${tool}`).slice(0, 8);
  return `${name.slice(0, maxNameChars - mark.length - 1)}_${mark}`;
}

/** The beginning of all tool names of a server. */
export function toolPrefix(server: string): string {
  return `mcp__${plain(server)}__`;
}

/** The servers whose prefix begins with that of another server, and those others. */
export function withNestedPrefixes(servers: readonly string[]): readonly string[] {
  const sorted = servers
    .map((name) => ({ name, prefix: toolPrefix(name) }))
    .toSorted((a, b) => byText(a.prefix, b.prefix));
  const nested = new Set<string>();
  let [outer] = sorted;
  // Everything with the same prefix follows directly.
  for (const each of sorted.slice(1)) {
    if (outer && each.prefix.startsWith(outer.prefix)) nested.add(outer.name).add(each.name);
    else outer = each;
  }
  return [...nested];
}

export function toolsetOf(server: string): string {
  return `mcp-${server}`;
}

/** Providers do not accept longer names. */
const maxNameChars = 64;

function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/gu, "_");
}
