import type { Result } from "../../base/result.ts";
import type { ToolDefinition } from "./tool-definition.ts";
import { type ToolIndex } from "./tool-index.ts";
import { type ToolCard } from "./tool-index.ts";
import { type CatalogView } from "./tool-index.ts";
import type { Tool } from "./tool.ts";
import type { Toolset, ToolSelection } from "./toolset.ts";

export type ToolSource =
  | { readonly kind: "builtin" }
  /** A file in the user's own tools folder. */
  | { readonly kind: "user"; readonly file: string; readonly overrides?: readonly string[] }
  /**
   * `tool`: its name in the server's spelling. It distinguishes two tools whose names become equal from a refreshed
   * tool.
   */
  | { readonly kind: "mcp"; readonly server: string; readonly tool?: string }
  /** `overrides`: names the operator allowed this plugin to replace. */
  | { readonly kind: "plugin"; readonly plugin: string; readonly overrides?: readonly string[] };

/** The source of a tool in words. */
export function describeSource(source: ToolSource): string {
  switch (source.kind) {
    case "builtin":
      return "the built-in tools";
    case "user":
      return source.file;
    case "plugin":
      return `plugin ${source.plugin}`;
    case "mcp":
      return `MCP server ${source.server}`;
  }
}

export interface RegisteredTool {
  readonly tool: Tool;
  readonly source: ToolSource;
}

/** A problem while loading that did not affect the rest. */
export interface Diagnostic {
  readonly source: string;
  readonly message: string;
}

export interface Registration extends Disposable {
  readonly name: string;
}

/**
 * Tools of one MCP server that are registered when such a name is first looked up or searched, so that a start with
 * thousands of them costs nothing. Their names begin with `mcp_`, and their owner has checked their schemas.
 */
export interface LateTools {
  readonly toolset: string;
  readonly server: string;
  readonly count: number;
  load(): readonly RegisteredTool[];
  /** Why a tool of the server is not among them. */
  whyNot(name: string): string | undefined;
}

/** All tools and toolsets of this process. Changes never affect a catalog that was already built. */
export interface Registry {
  /**
   * Same name, same toolset and same owner (or the user's own file): replaces the tool. Otherwise refuses it and keeps
   * the first, unless `overrides` of its source names it. If several MCP servers have tools with the same name, all of
   * them are refused until only one is left. Disposing removes the tool and restores the replaced one.
   */
  add(tool: Tool, source: ToolSource): Result<Registration>;
  addLate(late: LateTools): Disposable;
  addToolset(toolset: Toolset): Disposable;
  /** Another name for a toolset (`github` for `mcp-github`). */
  addAlias(alias: string, toolset: string): Disposable;
  list(): readonly RegisteredTool[];
  /** Registered tools, without late tools that were not needed yet. */
  loaded(): readonly RegisteredTool[];
  find(name: string): RegisteredTool | undefined;
  toolsets(): readonly Toolset[];
  /** The tools of a toolset, an alias, a legacy name or `all`, with the resolved name. */
  expand(name: string): { readonly name: string; readonly tools: ReadonlySet<string> } | undefined;
  /** Grows with every change; equal numbers mean equal contents. */
  readonly generation: number;
  /** Calls the listener after every change. */
  onChange(listener: () => void): Disposable;
  /** Tools that were refused or replaced so far, for `doctor`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Frozen for one conversation. */
  catalog(selection: ToolSelection, available: Availability, options: CatalogOptions): Promise<Catalog>;
}

export interface CatalogOptions {
  readonly signal: AbortSignal;
  readonly search: ToolSearchOptions;
  /** Limits of scripts, for the description of `execute_code`. */
  readonly scripts?: { readonly seconds: number; readonly calls: number };
  /** Names of the agents in files that the session can start. */
  readonly agents?: readonly string[];
  /** The user's setting for each part of the selection (`platform_toolsets.telegram`), for messages. */
  readonly settings?: Partial<SettingNames>;
}

export type SettingNames = { readonly [K in Exclude<keyof ToolSelection, "only" | "never">]-?: string };

export interface ToolSearchOptions {
  readonly enabled: boolean;
  /** Tools whose definition is always sent; the others are found by search. */
  readonly direct: readonly string[];
  /** The tools of whole plugins are sent too, while all these definitions together have at most this many bytes. */
  readonly directPluginBytes: number;
  readonly listing: boolean;
  readonly listingMaxTokens: number;
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

export interface Availability {
  /** Why the tool cannot be used here; undefined if it can. Never rejects, never takes longer than its own timeout. */
  missing(tool: Tool): Promise<string | undefined>;
}

export interface Catalog extends CatalogView {
  /** Sent with every request; sorted by name, equal bytes for equal input. */
  readonly definitions: readonly ToolDefinition[];
  /** Selected and available tools that are found by search instead of being sent. */
  readonly deferred: readonly ToolCard[];
  /** Selected tools that cannot be used here. `whyNot` also covers disabled and unselected tools. */
  readonly hidden: readonly { readonly name: string; readonly why: string }[];
  /** Advice on the selection itself: unknown names, presets that were not disabled completely. */
  readonly notices: readonly string[];
  /** The settings that disabled every tool; undefined if there are tools. */
  readonly empty: string | undefined;
  /**
   * The tool as this catalog shows it: direct, deferred, or for scripts only. Deferred tools follow the current
   * registry within the selection.
   */
  find(name: string): Tool | undefined;
  /** Why a tool that exists cannot be called here. */
  whyNot(name: string): string | undefined;
  readonly search: ToolIndex;
}
