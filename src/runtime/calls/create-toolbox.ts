import { once } from "../../base/async/once.ts";
import { systemClock } from "../../base/clock.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { weakSettings } from "../../config/weak-settings.ts";
import type { ApprovalSurface, Audience } from "../../contracts/safety/approval.ts";
import { oneShotSource } from "../../contracts/session/session.ts";
import { isBridge } from "../../contracts/tool/bridge-tools.ts";
import type { Policy } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { Catalog } from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import { createAvailability } from "../../kernel/registry/availability.ts";
import type { OpenedPolicy } from "../policy/open-policy.ts";
import type { RuntimeServices } from "../services.ts";
import type { Calls } from "./open-calls.ts";
import { scriptLimits, searchOptions, selectionFor } from "./selection.ts";
import { belongsToSession, offeredServices } from "./tool-services.ts";
import type { Toolbox, ToolboxOptions, ToolsetStatus, ToolStatus } from "./toolbox.ts";

/** Creates a toolbox that uses the services of a program. */
export async function createToolbox(
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
  const { selection, settings } = await selectionFor(config, options.platform ?? "cli", cwd);
  const search = searchOptions(values);
  const scripts = scriptLimits(values);

  const builtCatalog = (signal: AbortSignal) =>
    registry.catalog(selection, availability, { signal, search, settings, scripts });

  /** Includes the tools of MCP servers that no program has contacted yet. */
  async function catalog(signal: AbortSignal): Promise<Catalog> {
    if (services.isOpen("mcp")) await (await services.get("mcp")).prepare(oneShotSource, signal);
    return builtCatalog(signal);
  }

  /** `tools`: all tools of that name. A legacy name has no toolset. */
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
      fromPlugins: there.filter((tool) => {
        const registered = registry.find(tool);
        return registered?.source.kind === "plugin" && registered.tool.toolset === name && built.has(tool);
      }),
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
    async call(call, signal) {
      // Loads tools of MCP servers only for a call by name or a search.
      const isOfServer = call.name.startsWith("mcp_") || isBridge(call.name);
      return (await calls()).call(call, await (isOfServer ? catalog : builtCatalog)(signal), signal);
    },
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

/** The policy decision point. Its code is loaded with the first call that needs a decision. */
interface LazyPolicy {
  readonly policy: Policy;
  readonly desk: { attach(surface: ApprovalSurface, audience: Audience): Disposable };
  readonly ledger: Ledger;
}

/** `say`: shows a notice to the user before anything runs. */
function lazyPolicy(
  config: LoadedConfig,
  { say, open: openPolicy }: { readonly say: (sentence: string) => void; open(): Promise<OpenedPolicy> },
): LazyPolicy {
  const { mode } = config.values.approvals;
  for (const weakness of weakSettings(config.values)) say(weakness);
  /** The attached surfaces, each with its audience and, once the desk is open, its attachment. */
  const surfaces = new Map<ApprovalSurface, { readonly audience: Audience; attached?: Disposable }>();
  const opened = once(async () => {
    const open = await openPolicy();
    if (mode === "smart") say("approvals.mode is smart, but no model can review calls here, so Hermes asks the user");
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
    // Ignores the error here: the call that needs the policy reports it.
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
      ended: (call, result, durationMs) => void open().then(({ ledger }) => ledger.ended(call, result, durationMs)),
      flush: async () => (await open()).ledger.flush(),
    },
  };
}
