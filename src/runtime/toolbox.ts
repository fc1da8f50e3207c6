import { join } from "node:path";

import { type Clock, systemClock } from "../base/clock.ts";
import { newId, type SessionId } from "../base/ids.ts";
import { createMask } from "../base/mask.ts";
import { once } from "../base/once.ts";
import { oneLine, plural } from "../base/text.ts";
import { userName } from "../base/this-user.ts";
import { homeFiles, userFolder } from "../config/home.ts";
import type { LoadedConfig } from "../config/load.ts";
import type { ApprovalSurface } from "../contracts/approval.ts";
import type { CallScope } from "../contracts/dispatch.ts";
import type { CommandDefaults } from "../contracts/environment.ts";
import type { ContentPart, ToolCall } from "../contracts/message.ts";
import type { SecretAsker } from "../contracts/ports.ts";
import type { Catalog, Diagnostic, ToolMatch, ToolSource } from "../contracts/registry.ts";
import type { ServiceName } from "../contracts/services.ts";
import type { Place, Tool, ToolResult } from "../contracts/tool.ts";
import type { Toolset } from "../contracts/toolset.ts";
import { createRealPaths } from "../environments/real-paths.ts";
import { createDispatcher } from "../kernel/dispatch/dispatcher.ts";
import { createFileReads } from "../kernel/file-reads.ts";
import { createHookBus } from "../kernel/hook-bus.ts";
import { createInbox } from "../kernel/inbox.ts";
import { createProcessTable } from "../kernel/processes/process-table.ts";
import { createAvailability } from "../kernel/registry/availability.ts";
import { createRegistry } from "../kernel/registry/registry.ts";
import { coreTools, toolsets } from "../tools/toolsets.ts";
import { lazyPolicy } from "./lazy-policy.ts";
import { loadTools } from "./load-tools.ts";
import { openEnvironment, type TaskOverrides } from "./open-environment.ts";
import { openLog } from "./open-log.ts";
import { searchOptions, selectionFor } from "./selection.ts";
import { createSpillStore } from "./spill-store.ts";
import { createSudoPassword } from "./sudo-password.ts";
import { workspaceOf } from "./workspace.ts";
import { createWriteAlone } from "./write-alone.ts";

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

/** What a call has outside a conversation, and what every conversation brings with it. */
const callServices: ReadonlySet<ServiceName> = new Set([
  "toolIndex",
  "environment",
  "commandDefaults",
  "processes",
  "fileReads",
]);
const conversationServices: ReadonlySet<ServiceName> = new Set([...callServices, "todos"]);

const maxSpilledBytes = 256_000_000;

export interface ToolboxOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly platform?: string;
  /** What this task has other than the settings say: backend, folder, image, a container of its own. */
  readonly task?: TaskOverrides;
  /** Left out: nobody can be asked for a password. */
  readonly secretAsker?: SecretAsker;
  /** A sentence for the person: what is waited for, what is ended on leaving. */
  readonly say?: (sentence: string) => void;
}

export async function openToolbox(config: LoadedConfig, options: ToolboxOptions): Promise<Toolbox> {
  const { values, home, secrets } = config;
  const { say = () => {} } = options;
  const clock = systemClock;
  const mask = createMask();
  for (const value of secrets.values) mask.add(value);
  const log = openLog(config, mask.redact, clock);
  const registry = createRegistry({ core: coreTools });
  for (const toolset of toolsets) registry.addToolset(toolset);
  for (const [name, includes] of Object.entries(values.custom_toolsets)) {
    registry.addToolset({ name, description: "Your own toolset", tools: [], includes });
  }
  const loaded = await loadTools(registry, join(home.path, homeFiles.tools), {
    signal: options.signal,
    clock,
    mayOverride: values.plugins.entries["user"]?.allow_tool_override === true,
  });
  const availability = createAvailability({
    clock,
    log,
    services: conversationServices,
    env: secrets.get,
    checkTimeoutMs: values.tools.check_timeout_s * 1000,
  });
  const commands = openEnvironment(config, { cwd: options.cwd, clock, log, say }, options.task);
  const hooks = createHookBus({ clock, log });
  const { policy, desk, ledger } = lazyPolicy(config, { cwd: options.cwd, clock, log, redactor: mask, hooks, say });
  const dispatcher = createDispatcher({
    hooks,
    policy,
    ledger,
    resolver: createRealPaths(commands.environment.files),
    redactor: values.security.redact_secrets ? mask : { redact: (text) => text },
    spill: createSpillStore({ folder: join(home.path, homeFiles.results), maxTotalBytes: maxSpilledBytes }),
    clock,
    log,
    secrets: secrets.get,
    limits: {
      resultChars: values.tool_output.result_chars,
      turnChars: values.tool_output.turn_chars,
      timeoutMs: values.tools.timeout_s * 1000,
    },
  });
  const { selection, settings } = selectionFor(values, options.platform ?? "cli");
  const search = searchOptions(values.tools.tool_search);
  const sessionId = newId<SessionId>("ses");
  const fileReads = {
    ...createFileReads({ lines: values.tool_output.max_lines, lineChars: values.tool_output.max_line_length }),
    writeAlone: createWriteAlone(join(home.root, homeFiles.fileWrites), { clock, log }),
    home,
  };
  const workspace = once(() => workspaceOf(commands.place.cwd, userFolder(config.env)));
  const sudo = createSudoPassword({
    configured: secrets.get("SUDO_PASSWORD"),
    asker: options.secretAsker,
    hide: mask.add,
  });
  const commandDefaults: CommandDefaults = {
    timeoutMs: values.terminal.timeout * 1000,
    maxTimeoutMs: values.terminal.max_foreground_timeout * 1000,
    sudoPassword: sudo.get,
    forgetSudoPassword: sudo.forget,
  };
  const principal = { id: `local:${userName()}` };
  const inbox = createInbox();
  const processes = createProcessTable({
    environment: commands.environment,
    inbox,
    redactor: mask,
    clock,
    log,
    program: newId("run"),
    principal: principal.id,
  });

  async function placeOf(): Promise<Place> {
    const { root } = commands.place.backend === "local" ? await workspace() : { root: undefined };
    return { ...commands.place, ...(root !== undefined && { workspace: root }) };
  }

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
      return [...loaded.diagnostics, ...registry.diagnostics];
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
    attach: (surface) => desk.attach(surface),
    async call(call, signal) {
      const built = await catalog(signal);
      const scope: CallScope = {
        catalog: built,
        sessionId,
        origin: "user",
        principal,
        place: await placeOf(),
        services: {
          toolIndex: built.search,
          environment: commands.environment,
          commandDefaults,
          processes,
          fileReads,
        },
        signal,
        emit() {},
      };
      return dispatcher.dispatch(call, scope);
    },
    messages: () => inbox.take(sessionId).map(({ content }) => textOf(content)),
    async [Symbol.asyncDispose]() {
      loaded[Symbol.dispose]();
      const left = await processes.own(new AbortController().signal);
      if (left.length > 0) say(leavingText(left));
      await processes[Symbol.asyncDispose]();
      await commands[Symbol.asyncDispose]();
      await log[Symbol.asyncDispose]();
    },
  };
}

/** The processes that leaving the program ends, named before it happens. */
function leavingText(left: readonly { readonly id: string; readonly command: string }[]): string {
  const named = left.slice(0, 20).map(({ id, command }) => `${id} (${oneLine(command, 80)})`);
  const more = left.length > named.length ? ` and ${left.length - named.length} more` : "";
  return `ending ${plural(left.length, "background process")} on leaving: ${named.join(", ")}${more}; keep: true lets one go on`;
}

function textOf(content: readonly ContentPart[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}

function stateOf(tool: Tool, catalog: Catalog): Pick<ToolStatus, "state" | "why"> {
  if (catalog.definitions.some(({ name }) => name === tool.name)) return { state: "direct" };
  if (catalog.has(tool.name)) return { state: "searchable" };
  const hidden = catalog.hidden.find(({ name }) => name === tool.name);
  if (hidden) return { state: "unavailable", why: hidden.why };
  return { state: "not selected", why: catalog.whyNot(tool.name) ?? "not in the selected toolsets" };
}

function needsConversation(tool: Tool): boolean {
  return tool.needs.some((name) => conversationServices.has(name) && !callServices.has(name));
}
