import { once } from "../../base/async/once.ts";
import { byName } from "../../base/text/order.ts";
import type { LateTools, RegisteredTool } from "../../contracts/tool/registry.ts";
import type { Toolset } from "../../contracts/tool/toolset.ts";
import { legacyToolsets } from "./legacy-names.ts";

/** All tools and toolsets at one version of the registry. */
export interface ToolsetWorld {
  readonly tools: ReadonlyMap<string, RegisteredTool>;
  /** The toolsets, each with the tools that were registered into it. */
  readonly sets: ReadonlyMap<string, Toolset>;
  readonly aliases: ReadonlyMap<string, string>;
  readonly core: ReadonlySet<string>;
  readonly listed: readonly Toolset[];
  /** Every tool name that a description could mention: registered, or named by a toolset. */
  readonly names: ReadonlySet<string>;
  /** Tools that are not loaded yet, by toolset. */
  readonly late: ReadonlyMap<string, LateTools>;
  /** The current names of MCP tools, by an older spelling: `mcp_github_fork` means `mcp__github__fork`. */
  readonly formerNames: (name: string) => readonly string[];
}

export interface WorldParts {
  readonly tools: readonly RegisteredTool[];
  readonly late: readonly LateTools[];
  /** Toolsets with the same name are merged: later ones extend the first, and cannot remove tools from it. */
  readonly sets: Iterable<readonly Toolset[]>;
  readonly aliases: Iterable<readonly [string, string]>;
  readonly core: ReadonlySet<string>;
}

export function createWorld(parts: WorldParts): ToolsetWorld {
  const members = Map.groupBy(parts.tools, ({ tool }) => tool.toolset);
  const sets = new Map<string, Toolset>();
  for (const layers of parts.sets) {
    const [first] = layers;
    if (first) sets.set(first.name, merged(first, layers, members.get(first.name) ?? []));
  }
  for (const [name, registered] of members) {
    if (sets.has(name)) continue;
    const blank = { name, description: dynamicDescription(registered), tools: [] };
    sets.set(name, merged(blank, [blank], registered));
  }
  for (const { toolset: name, server } of parts.late) {
    if (!sets.has(name)) sets.set(name, { name, description: ofServer(server), tools: [] });
  }
  const names = new Set(parts.tools.map(({ tool }) => tool.name));
  for (const { tools } of sets.values()) for (const tool of tools) names.add(tool);
  const listed = once(() => Array.from(sets.values()).toSorted(byName));
  return {
    tools: new Map(parts.tools.map((registered) => [registered.tool.name, registered])),
    sets,
    aliases: new Map(parts.aliases),
    core: parts.core,
    get listed() {
      return listed();
    },
    names,
    late: new Map(parts.late.map((late) => [late.toolset, late])),
    formerNames: formerNames(parts.tools),
  };
}

/** Returns whether a name could belong to tools that are not loaded yet. */
export function mayBeLate(name: string): boolean {
  return name.startsWith("mcp_");
}

function formerNames(tools: readonly RegisteredTool[]): (name: string) => readonly string[] {
  const plain = (name: string) => name.replaceAll(/_+/gu, "_");
  const names = once(() => {
    const ofServers = tools.flatMap(({ tool, source }) => (source.kind === "mcp" ? [tool.name] : []));
    return Map.groupBy(ofServers, plain);
  });
  return (name) => (mayBeLate(name) ? (names().get(plain(name)) ?? []) : []);
}

export interface Expansion {
  readonly tools: ReadonlySet<string>;
  /** Unknown names that the toolset or one of its includes refers to. */
  readonly unknown: readonly string[];
  /** Toolsets whose tools are not loaded yet. */
  readonly late: readonly string[];
}

/** Returns whether the name is `all` or `*`. */
export function isEverything(name: string): boolean {
  return name === "all" || name === "*";
}

/** Returns the toolset with this name or alias. */
export function findToolset(name: string, world: ToolsetWorld): Toolset | undefined {
  return world.sets.get(name) ?? world.sets.get(world.aliases.get(name) ?? "");
}

/**
 * Returns the tools of a toolset and its includes. Handles cycles and repeated includes. Undefined: there is no such
 * toolset.
 */
export function expandToolset(name: string, world: ToolsetWorld): Expansion | undefined {
  if (isEverything(name)) return { tools: everything(world), unknown: [], late: [...world.late.keys()] };
  const set = findToolset(name, world);
  if (set) return collect([set], world, false);
  const legacy = legacyToolsets.get(name);
  return legacy && { tools: new Set(legacy), unknown: [], late: [] };
}

/** Returns every tool except those of `explicit` toolsets, which are enabled only by name. */
function everything(world: ToolsetWorld): ReadonlySet<string> {
  const sets = Array.from(world.sets.values()).filter(({ role }) => role !== "explicit");
  const { tools } = collect(sets, world, true);
  return new Set(
    [...tools].filter((name) => {
      const owner = world.tools.get(name)?.tool.toolset;
      return owner === undefined || world.sets.get(owner)?.role !== "explicit";
    }),
  );
}

function collect(from: readonly Toolset[], world: ToolsetWorld, inEverything: boolean): Expansion {
  const tools = new Set<string>();
  const unknown = new Set<string>();
  const visited = new Set<Toolset>(from);
  // The list grows during the loop: each set is appended once, when it first occurs.
  for (const set of visited) {
    for (const tool of set.tools) tools.add(tool);
    for (const name of set.includes ?? []) {
      const included = findToolset(name, world);
      if (included) {
        if (!inEverything || included.role !== "explicit") visited.add(included);
      } else if (isEverything(name)) {
        if (!inEverything) for (const tool of everything(world)) tools.add(tool);
      } else {
        const named = legacyToolsets.get(name) ?? (world.names.has(name) ? [name] : undefined);
        if (named) for (const tool of named) tools.add(tool);
        else unknown.add(name);
      }
    }
  }
  const late = Array.from(visited, ({ name }) => name).filter((name) => world.late.has(name));
  return { tools, unknown: [...unknown], late };
}

function merged(first: Toolset, layers: readonly Toolset[], registered: readonly RegisteredTool[]): Toolset {
  const tools = new Set(layers.flatMap((layer) => layer.tools));
  for (const { tool } of registered) tools.add(tool.name);
  const includes = new Set(layers.flatMap((layer) => layer.includes ?? []));
  return { ...first, tools: [...tools].toSorted(), ...(includes.size > 0 && { includes: [...includes].toSorted() }) };
}

function dynamicDescription(registered: readonly RegisteredTool[]): string {
  const source = registered[0]?.source;
  switch (source?.kind) {
    case "mcp":
      return ofServer(source.server);
    case "plugin":
      return `Tools of the plugin ${source.plugin}`;
    case "user":
      return "Your own tools";
    default:
      return "Built-in tools";
  }
}

function ofServer(server: string): string {
  return `Tools of the MCP server ${server}`;
}
