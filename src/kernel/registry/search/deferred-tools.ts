import { isObject } from "../../../base/json.ts";
import { nearest } from "../../../base/text/nearest.ts";
import { byName } from "../../../base/text/order.ts";
import type { RegisteredTool, ToolSearchOptions } from "../../../contracts/tool/registry.ts";
import type { JsonSchema } from "../../../contracts/tool/tool-definition.ts";
import type { ToolCard, ToolIndex } from "../../../contracts/tool/tool-index.ts";
import type { Tool } from "../../../contracts/tool/tool.ts";
import { sourcesOf } from "./listing.ts";
import { createSearchIndex, type Searchable, type SearchIndex } from "./tool-search.ts";

/** The deferred tools of one catalog at one version of the registry. */
export interface DeferredTools {
  readonly cards: readonly ToolCard[];
  readonly tools: ReadonlyMap<string, Tool>;
  /** All tools that search covers: the deferred ones and the direct ones. */
  readonly searched: readonly Searchable[];
  /** The search index, created on first use. */
  readonly index: () => SearchIndex;
}

export function createDeferred(deferred: readonly RegisteredTool[], direct: readonly RegisteredTool[]): DeferredTools {
  const sorted = deferred.toSorted((a, b) => byName(a.tool, b.tool));
  const searchableTools = sorted.map(searchable);
  const searched = [...searchableTools, ...direct.map(searchable)];
  let index: SearchIndex | undefined;
  return {
    cards: Object.freeze(searchableTools.map(({ card }) => card)),
    tools: new Map(sorted.map(({ tool }) => [tool.name, tool])),
    searched,
    index: () => (index ??= createSearchIndex(searched)),
  };
}

export interface ToolIndexDeps {
  readonly live: () => DeferredTools;
  readonly find: (name: string) => Tool | undefined;
  readonly names: () => readonly string[];
  readonly options: ToolSearchOptions;
  readonly forScripts: ToolIndex["forScripts"];
}

export function createToolIndex({ live, find, names, options, forScripts }: ToolIndexDeps): ToolIndex {
  return {
    search(query, limit = options.defaultLimit) {
      const { searched, index } = live();
      const maxMatches = Math.min(Math.max(1, Math.floor(limit) || 1), options.maxLimit);
      return { total: searched.length, matches: index().search(query, maxMatches) };
    },
    sources: () => sourcesOf(live().searched.map(({ card }) => card)),
    describe: find,
    nearest: (name) => nearest(name, names()),
    forScripts,
  };
}

function searchable({ tool, source }: RegisteredTool): Searchable {
  const { name } = tool;
  const { description, parameters } = tool.card ?? {
    description: tool.description,
    parameters: parametersOf(tool.inputSchema),
  };
  const card = Object.freeze({ name, description, source: source.kind, sourceName: sourceNameOf(tool, source) });
  return { card, parameters };
}

function parametersOf({ properties }: JsonSchema): readonly string[] {
  return isObject(properties) ? Object.keys(properties) : [];
}

function sourceNameOf(tool: Tool, source: RegisteredTool["source"]): string {
  switch (source.kind) {
    case "mcp":
      return source.server;
    case "plugin":
      return source.plugin;
    case "builtin":
    case "user":
      return tool.toolset;
  }
}
