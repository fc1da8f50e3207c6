import type { Result } from "../base/result.ts";
import type { Tool, ToolDefinition, ToolHeader } from "./tool.ts";
import type { Toolset, ToolSelection } from "./toolset.ts";

export type ToolSource =
  | { readonly kind: "builtin" }
  /** A file in the user's own tools folder. */
  | { readonly kind: "user"; readonly file: string; readonly overrides?: readonly string[] }
  | { readonly kind: "mcp"; readonly server: string }
  /** `overrides`: names the operator allowed this plugin to replace. */
  | { readonly kind: "plugin"; readonly plugin: string; readonly overrides?: readonly string[] };

export interface RegisteredTool {
  readonly tool: Tool;
  readonly source: ToolSource;
}

/** Something that went wrong while loading and that the rest survived. */
export interface Diagnostic {
  readonly source: string;
  readonly message: string;
}

export interface Registration extends Disposable {
  /** The name it is known by: its own, or a distinct one where two MCP names became equal. */
  readonly name: string;
}

/** Every tool and toolset this process knows. Changes here never reach a catalog that was already built. */
export interface Registry {
  /**
   * Same name and same toolset: replaces. Another toolset: refused and the first kept, unless `overrides` of its source
   * names it. Disposing takes the tool back; what it replaced returns.
   */
  add(tool: Tool, source: ToolSource): Result<Registration, { readonly message: string }>;
  addToolset(toolset: Toolset): Disposable;
  /** Another name for a toolset (`github` for `mcp-github`). */
  addAlias(alias: string, toolset: string): Disposable;
  list(): readonly RegisteredTool[];
  find(name: string): RegisteredTool | undefined;
  toolsets(): readonly Toolset[];
  /** Grows with every change; equal numbers mean equal contents. */
  readonly generation: number;
  /** What was refused or renamed so far, for `doctor`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Frozen for one conversation. */
  catalog(selection: ToolSelection, available: Availability, options: CatalogOptions): Promise<Catalog>;
}

export interface CatalogOptions {
  readonly signal: AbortSignal;
  readonly search: ToolSearchOptions;
}

export interface ToolSearchOptions {
  readonly enabled: boolean;
  /** Tools whose definition is always sent; the rest is found by search. */
  readonly direct: readonly string[];
  readonly listing: boolean;
  readonly listingMaxTokens: number;
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

export interface Availability {
  /** Why the tool cannot be used here, or undefined when it can. Never rejects, never takes longer than its own bound. */
  missing(tool: Tool): Promise<string | undefined>;
}

/** What a tool may know of the catalog it appears in. */
export interface CatalogView {
  /** Is this tool one the model can call here, directly or through search? */
  has(name: string): boolean;
  readonly names: readonly string[];
}

export interface Catalog extends CatalogView {
  /** Sent with every request; sorted by name, equal bytes for equal input. */
  readonly definitions: readonly ToolDefinition[];
  /** Selected and available, found by search instead of being sent. */
  readonly deferred: readonly ToolCard[];
  readonly hidden: readonly { readonly name: string; readonly why: string }[];
  /** Advice on the selection itself: unknown names, presets that were not taken away whole. */
  readonly notices: readonly string[];
  /** The settings that left no tool at all; undefined while there is one. */
  readonly empty: string | undefined;
  /** The tool as this catalog shows it, direct or deferred. Deferred ones follow the live registry within the selection. */
  find(name: string): Tool | undefined;
  /** Why a tool that exists cannot be called here. */
  whyNot(name: string): string | undefined;
  readonly search: ToolIndex;
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

/** What `tool_search` and `tool_describe` ask. */
export interface ToolIndex {
  search(query: string, limit?: number): { readonly total: number; readonly matches: readonly ToolMatch[] };
  /** Names of the servers, plugins and toolsets that deferred tools come from. */
  sources(): readonly { readonly name: string; readonly tools: number }[];
  describe(name: string): ToolHeader | undefined;
  nearest(name: string): readonly string[];
}
