import type { ScriptTool } from "../code/code-run.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The part of the catalog that a tool may read. */
export interface CatalogView {
  /** Returns whether the model can call this tool here, directly or through search. */
  has(name: string): boolean;
  readonly names: readonly string[];
  /** The names of the agents that are defined in files and that the session can start. */
  readonly agents?: readonly string[];
}

export interface ToolCard {
  readonly name: string;
  readonly description: string;
  readonly source: "builtin" | "user" | "mcp" | "plugin";
  readonly sourceName: string;
}

export interface ToolMatch extends ToolCard {
  readonly score: number;
}

/** Queries of `tool_search` and `tool_describe`. */
export interface ToolIndex {
  /** Searches all tools that the model can call, except the bridge tools. `total`: the number of searched tools. */
  search(query: string, limit?: number): { readonly total: number; readonly matches: readonly ToolMatch[] };
  /** Names of the servers, plugins and toolsets of the searched tools. */
  sources(): readonly { readonly name: string; readonly tools: number }[];
  describe(name: string): ToolDefinition | undefined;
  nearest(name: string): readonly string[];
  /** The tools that scripts can call, sorted by name. */
  forScripts(): readonly ScriptTool[];
}
