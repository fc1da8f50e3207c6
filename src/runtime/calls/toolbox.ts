import type { Clock } from "../../base/clock.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { ApprovalSurface } from "../../contracts/safety/approval.ts";
import type { Catalog, Diagnostic, ToolSource } from "../../contracts/tool/registry.ts";
import type { ToolMatch } from "../../contracts/tool/tool-index.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { Toolset } from "../../contracts/tool/toolset.ts";
import type { TaskOverrides } from "../environment/open-environment.ts";
import type { ServiceOptions } from "../service-options.ts";

/** The status of a tool for a user. */
export interface ToolStatus {
  readonly tool: Tool;
  readonly source: ToolSource;
  /** `direct`: sent with every request; `searchable`: found by search. */
  readonly state: "direct" | "searchable" | "unavailable" | "not selected";
  readonly why?: string;
  /** Usable only in a session, because it works on session data. */
  readonly needsConversation: boolean;
}

export interface ToolsetStatus {
  readonly name: string;
  readonly description: string;
  readonly role?: NonNullable<Toolset["role"]>;
  readonly includes: readonly string[];
  /** All its tools, with nested toolsets resolved. */
  readonly tools: readonly string[];
  /** The tools that a session would have here. */
  readonly available: readonly string[];
  /** Tools that exist but are unavailable, with the reason. */
  readonly unavailable: readonly { readonly name: string; readonly why: string }[];
  /** Available tools of plugins that registered them into this toolset. */
  readonly fromPlugins: readonly string[];
  /** Tools that this version, its plugins and the user's own tools lack. */
  readonly absent: readonly string[];
}

/** Tools without a session: the list, the selection of a session, and calls by a person. */
export interface Toolbox extends AsyncDisposable {
  readonly clock: Clock;
  /** Tools that failed to load or were rejected. */
  readonly diagnostics: readonly Diagnostic[];
  catalog(signal: AbortSignal): Promise<Catalog>;
  overview(signal: AbortSignal): Promise<readonly ToolStatus[]>;
  toolsets(signal: AbortSignal): Promise<readonly ToolsetStatus[]>;
  toolset(name: string, signal: AbortSignal): Promise<ToolsetStatus | undefined>;
  search(
    query: string,
    limit: number | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly total: number; readonly matches: readonly ToolMatch[] }>;
  /**
   * Shows approval questions on this surface until the result is disposed. Without a surface, calls that need approval
   * are denied.
   */
  attach(surface: ApprovalSurface): Disposable;
  /** Runs a call of a person through the whole dispatch. Never rejects. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
  /** Reports of background processes since the last call. */
  messages(): readonly string[];
}

export interface ToolboxOptions extends ServiceOptions, CallOptions {}

/** Options of a toolbox's calls besides the services. */
interface CallOptions {
  readonly platform?: string;
  /** Overrides the settings for these calls: backend, folder, image, a separate container. */
  readonly task?: TaskOverrides;
  /** Asks for passwords. Undefined: nobody can answer. */
  readonly secretAsker?: SecretAsker;
}
