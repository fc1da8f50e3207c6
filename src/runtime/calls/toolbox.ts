import { once } from "../../base/async/once.ts";
import { type Clock, systemClock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import type { SecretAsker } from "../../contracts/host/ports.ts";
import type { ToolCall } from "../../contracts/model/message.ts";
import type { ApprovalSurface, Audience } from "../../contracts/safety/approval.ts";
import type { Policy } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { Catalog, Diagnostic, ToolSource } from "../../contracts/tool/registry.ts";
import type { ToolMatch } from "../../contracts/tool/tool-index.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { Toolset } from "../../contracts/tool/toolset.ts";
import { createAvailability } from "../../kernel/registry/availability.ts";
import type { TaskOverrides } from "../environment/open-environment.ts";
import type { OpenedPolicy } from "../policy/open-policy.ts";
import { openServices, type RuntimeServices, type ServiceOptions } from "../services.ts";
import type { Calls } from "./open-calls.ts";
import { searchOptions, selectionFor } from "./selection.ts";
import { belongsToSession, offeredServices } from "./tool-services.ts";

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

/** A toolbox on the services of a program. Default: services of its own, which close with it. */
export async function openToolbox(
  config: LoadedConfig,
  options: ToolboxOptions,
  services?: RuntimeServices,
): Promise<Toolbox> {
  if (services) return createToolbox(config, services, options);
  const own = openServices(config, options);
  const toolbox = await createToolbox(config, own, options);
  return {
    ...toolbox,
    get diagnostics() {
      return toolbox.diagnostics;
    },
    async [Symbol.asyncDispose]() {
      await toolbox[Symbol.asyncDispose]();
      await own[Symbol.asyncDispose]();
    },
  };
}

async function createToolbox(
  config: LoadedConfig,
  services: RuntimeServices,
  options: ToolboxOptions,
): Promise<Toolbox> {
  const { values, secrets } = config;
  const { cwd, principal, task, secretAsker, say = () => {}, clock = systemClock } = options;
  const { log, redactor, hooks, tools: opened } = await services.open("log", "redactor", "hooks", "tools");
  const { registry } = opened;
  const availability = createAvailability({
    clock,
    log,
    services: offeredServices(values),
    env: secrets.get,
    checkTimeoutMs: values.tools.check_timeout_s * 1000,
  });
  const { policy, desk, ledger } = lazyPolicy(config, { say, open: () => services.get("policy") });
  let called: Calls | undefined;
  const calls = once(async () => {
    const { openCalls } = await import("./open-calls.ts");
    const deps = { cwd, principal, task, secretAsker, services, say, hooks, policy, ledger, redactor, clock, log };
    return (called = openCalls(config, deps));
  });
  const { selection, settings } = selectionFor(values, options.platform ?? "cli");
  const search = searchOptions(values.tools.tool_search);

  const catalog = (signal: AbortSignal) => registry.catalog(selection, availability, { signal, search, settings });

  /** `tools` is what the name comes down to; a legacy name has no toolset behind it. */
  function statusOf(name: string, tools: ReadonlySet<string>, built: Catalog): ToolsetStatus {
    const set = registry.toolsets().find((each) => each.name === name);
    const sorted = [...tools].toSorted();
    const there = sorted.filter((tool) => registry.find(tool));
    return {
      name,
      description: set?.description ?? "",
      ...(set?.role && { role: set.role }),
      includes: set?.includes ?? [],
      tools: sorted,
      available: there.filter((tool) => built.has(tool)),
      unavailable: there
        .filter((tool) => !built.has(tool))
        .map((tool) => ({ name: tool, why: built.whyNot(tool) ?? "not selected" })),
      absent: sorted.filter((tool) => !registry.find(tool)),
    };
  }

  return {
    clock,
    get diagnostics() {
      return opened.diagnostics;
    },
    catalog,
    async overview(signal) {
      const built = await catalog(signal);
      return registry.list().map(({ tool, source }) => ({
        tool,
        source,
        ...stateOf(tool, built),
        needsConversation: needsConversation(tool),
      }));
    },
    async toolsets(signal) {
      const built = await catalog(signal);
      return registry.toolsets().map(({ name }) => statusOf(name, registry.expand(name)?.tools ?? new Set(), built));
    },
    async toolset(name, signal) {
      const expanded = registry.expand(name);
      return expanded && statusOf(expanded.name, expanded.tools, await catalog(signal));
    },
    async search(query, limit, signal) {
      return (await catalog(signal)).search.search(query, limit);
    },
    attach: (surface) => desk.attach(surface, { principal: options.principal }),
    call: async (call, signal) => (await calls()).call(call, await catalog(signal), signal),
    messages: () => called?.messages() ?? [],
    async [Symbol.asyncDispose]() {
      await called?.[Symbol.asyncDispose]();
    },
  };
}

function stateOf(tool: Tool, catalog: Catalog): Pick<ToolStatus, "state" | "why"> {
  if (catalog.definitions.some(({ name }) => name === tool.name)) return { state: "direct" };
  if (catalog.has(tool.name)) return { state: "searchable" };
  const hidden = catalog.hidden.find(({ name }) => name === tool.name);
  if (hidden) return { state: "unavailable", why: hidden.why };
  return { state: "not selected", why: catalog.whyNot(tool.name) ?? "not in the selected toolsets" };
}

function needsConversation(tool: Tool): boolean {
  return tool.needs.some(belongsToSession);
}

/** The decision point, its code loaded by the first call that is judged. */
interface LazyPolicy {
  readonly policy: Policy;
  readonly desk: { attach(surface: ApprovalSurface, audience: Audience): Disposable };
  readonly ledger: Ledger;
}

/** `say`: what the person should know before anything runs, a sentence each. */
function lazyPolicy(
  config: LoadedConfig,
  { say, open: openPolicy }: { readonly say: (sentence: string) => void; open(): Promise<OpenedPolicy> },
): LazyPolicy {
  const { mode } = config.values.approvals;
  for (const weakness of weakSettings(config.values)) say(weakness);
  /** The attached surfaces, each with its audience and, once the desk is open, its attachment there. */
  const surfaces = new Map<ApprovalSurface, { readonly audience: Audience; attached?: Disposable }>();
  const opened = once(async () => {
    const open = await openPolicy();
    if (mode === "smart") say("approvals.mode is smart, and no model can review here: a person is asked");
    for (const notice of open.notices()) say(notice);
    for (const [surface, one] of surfaces) one.attached = open.desk.attach(surface, one.audience);
    return open;
  });
  let isOpening = false;
  const open = () => {
    isOpening = true;
    return opened();
  };
  async function attachTo(surface: ApprovalSurface): Promise<void> {
    // The call that needs the policy reports why it cannot be opened.
    const open = await opened().catch(() => undefined);
    const one = surfaces.get(surface);
    if (open && one) one.attached = open.desk.attach(surface, one.audience);
  }
  return {
    policy: { decide: async (request, signal) => (await open()).policy.decide(request, signal) },
    desk: {
      attach(surface, audience) {
        surfaces.set(surface, { audience });
        if (isOpening) void attachTo(surface);
        return {
          [Symbol.dispose]() {
            surfaces.get(surface)?.attached?.[Symbol.dispose]();
            surfaces.delete(surface);
          },
        };
      },
    },
    ledger: {
      planned: async (call) => (await open()).ledger.planned(call),
      dispatched: async (callId) => (await open()).ledger.dispatched(callId),
      settled: async (callId, result, durationMs) => (await open()).ledger.settled(callId, result, durationMs),
    },
  };
}
