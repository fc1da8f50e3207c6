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

/** One tool as a user asks about it. */
export interface ToolStatus {
  readonly tool: Tool;
  readonly source: ToolSource;
  /** `direct`: sent with every request; `searchable`: found by search. */
  readonly state: "direct" | "searchable" | "unavailable" | "not selected";
  readonly why?: string;
  /** Usable in a conversation only: it works on something that belongs to one. */
  readonly needsConversation: boolean;
}

export interface ToolsetStatus {
  readonly name: string;
  readonly description: string;
  readonly role?: NonNullable<Toolset["role"]>;
  readonly includes: readonly string[];
  /** Everything it comes down to. */
  readonly tools: readonly string[];
  /** Those of them that a conversation would have here. */
  readonly available: readonly string[];
  /** Those that are there and cannot be used, with the reason. */
  readonly unavailable: readonly { readonly name: string; readonly why: string }[];
  /** Those that this version, its plugins and your own tools do not have. */
  readonly absent: readonly string[];
}

/** Tools without a conversation: what there is, what a conversation would have, and calls that a person makes. */
export interface Toolbox extends AsyncDisposable {
  readonly clock: Clock;
  /** What could not be loaded or was refused; the rest is there. */
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
  /** Questions about calls are shown there, until it is disposed. Nobody attached: what needs approval is denied. */
  attach(surface: ApprovalSurface): Disposable;
  /** Through the whole dispatch path, as asked by a person. Never rejects. */
  call(call: ToolCall, signal: AbortSignal): Promise<ToolResult>;
  /** What background processes have told since somebody last asked. */
  messages(): readonly string[];
}

export interface ToolboxOptions extends ServiceOptions, CallOptions {}

/** What calls of a toolbox have beside the services. */
interface CallOptions {
  readonly platform?: string;
  /** Overrides the settings for these calls: backend, folder, image, a container of its own. */
  readonly task?: TaskOverrides;
  /** Absent: nobody can be asked for a password. */
  readonly secretAsker?: SecretAsker;
}
