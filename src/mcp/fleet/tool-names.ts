import { sha256 } from "../../base/digest.ts";
import { byText } from "../../base/text/order.ts";

/**
 * The name `mcp__server__tool`: every character that is not allowed becomes `_`, and a name that is too long ends
 * with a short hash.
 */
export function toolNameOf(server: string, tool: string): string {
  const name = `${toolPrefix(server)}${plain(tool)}`;
  if (name.length <= maxNameChars) return name;
  const mark = sha256(`${server}\n${tool}`).slice(0, 8);
  return `${name.slice(0, maxNameChars - mark.length - 1)}_${mark}`;
}

/** The prefix of all tool names of a server. */
export function toolPrefix(server: string): string {
  return `mcp__${plain(server)}__`;
}

/** Groups servers if the prefix of one begins with the prefix of another. */
export function withNestedPrefixes(servers: readonly string[]): readonly string[] {
  const sorted = servers
    .map((name) => ({ name, prefix: toolPrefix(name) }))
    .toSorted((a, b) => byText(a.prefix, b.prefix));
  const nested = new Set<string>();
  let [outer] = sorted;
  // After sorting, all names with the same prefix are adjacent.
  for (const each of sorted.slice(1)) {
    if (outer && each.prefix.startsWith(outer.prefix)) nested.add(outer.name).add(each.name);
    else outer = each;
  }
  return [...nested];
}

export function toolsetOf(server: string): string {
  return `mcp-${server}`;
}

/** The maximum length of a tool name that all providers accept. */
const maxNameChars = 64;

function plain(text: string): string {
  return text.replaceAll(/[^A-Za-z0-9_]/gu, "_");
}
