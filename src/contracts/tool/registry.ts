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

/** Describes the source of a tool. */
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

/** A problem with one tool or file during loading. Everything else was loaded. */
export interface Diagnostic {
  readonly source: string;
  readonly message: string;
}

export interface Registration extends Disposable {
  readonly name: string;
}

/**
 * The tools of one MCP server. They are registered only when a name with the prefix `mcp_` is looked up or searched, so
 * that thousands of tools do not slow down the start. The server's client has already validated their schemas.
 */
export interface LateTools {
  readonly toolset: string;
  readonly server: string;
  readonly count: number;
  load(): readonly RegisteredTool[];
  /** Returns why a tool of the server is not registered. */
  whyNot(name: string): string | undefined;
}

/** All tools and toolsets of this process. Changes never affect a catalog that was already built. */
export interface Registry {
  /**
   * Registers a tool. If a tool with this name exists, it is replaced if the new tool has the same toolset and owner or
   * comes from the user's own file. Otherwise the new tool is rejected, unless `overrides` of its source lists it. If
   * several MCP servers have tools with the same name, all of them are rejected until only one is left. Disposing the
   * result removes the tool and restores the replaced one.
   */
  add(tool: Tool, source: ToolSource): Result<Registration>;
  addLate(late: LateTools): Disposable;
  addToolset(toolset: Toolset): Disposable;
  /** Registers another name for a toolset (`github` for `mcp-github`). */
  addAlias(alias: string, toolset: string): Disposable;
  list(): readonly RegisteredTool[];
  /** The registered tools, without tools of MCP servers that were not needed yet. */
  loaded(): readonly RegisteredTool[];
  find(name: string): RegisteredTool | undefined;
  toolsets(): readonly Toolset[];
  /** Returns the tools of a toolset, an alias, a legacy name or `all`, with the resolved name. */
  expand(name: string): { readonly name: string; readonly tools: ReadonlySet<string> } | undefined;
  /** The version of the registry. It increases with every change; equal numbers mean equal contents. */
  readonly generation: number;
  /** Calls the listener after every change. */
  onChange(listener: () => void): Disposable;
  /** Tools that were rejected or replaced so far, shown by `doctor`. */
  readonly diagnostics: readonly Diagnostic[];
  /** Builds the tool list of one conversation. It does not change afterwards. */
  catalog(selection: ToolSelection, available: Availability, options: CatalogOptions): Promise<Catalog>;
}

export interface CatalogOptions {
  readonly signal: AbortSignal;
  readonly search: ToolSearchOptions;
  /** The limits of scripts, stated in the description of `execute_code`. */
  readonly scripts?: { readonly seconds: number; readonly calls: number };
  /** The names of the agents that are defined in files and that the session can start. */
  readonly agents?: readonly string[];
  /** The setting that each part of the selection comes from (`platform_toolsets.telegram`), for messages. */
  readonly settings?: Partial<SettingNames>;
}

export type SettingNames = { readonly [K in Exclude<keyof ToolSelection, "only" | "never">]-?: string };

export interface ToolSearchOptions {
  readonly enabled: boolean;
  /** Tools whose definition is always sent to the model. Other tools are available through search. */
  readonly direct: readonly string[];
  /**
   * The tools of whole plugins are sent too, as long as all definitions together do not exceed this number of bytes.
   */
  readonly directPluginBytes: number;
  readonly listing: boolean;
  readonly listingMaxTokens: number;
  readonly defaultLimit: number;
  readonly maxLimit: number;
}

export interface Availability {
  /**
   * Returns why the tool cannot be used here, or undefined if it can. Never rejects, and never takes longer than its
   * own timeout.
   */
  missing(tool: Tool): Promise<string | undefined>;
}

export interface Catalog extends CatalogView {
  /** The definitions that are sent with every request. Sorted by name; equal input produces identical bytes. */
  readonly definitions: readonly ToolDefinition[];
  /** Selected and available tools that the model finds through search, because their definitions are not sent. */
  readonly deferred: readonly ToolCard[];
  /** Selected tools that cannot be used here. `whyNot` also explains disabled and unselected tools. */
  readonly hidden: readonly { readonly name: string; readonly why: string }[];
  /** Advice about the selection itself, such as unknown names or presets that were only partly disabled. */
  readonly notices: readonly string[];
  /** The settings that disabled every tool. Undefined if there are tools. */
  readonly empty: string | undefined;
  /**
   * Returns the tool as this catalog shows it: direct, deferred, or for scripts only. Deferred tools reflect the
   * current registry, limited to the selection.
   */
  find(name: string): Tool | undefined;
  /** Returns why an existing tool cannot be called here. */
  whyNot(name: string): string | undefined;
  readonly search: ToolIndex;
}
