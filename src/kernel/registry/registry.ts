import { isObject, isReservedName } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { byName } from "../../base/text/order.ts";
import { cut } from "../../base/text/text.ts";
import {
  describeSource,
  type Diagnostic,
  type LateTools,
  type RegisteredTool,
  type Registration,
  type Registry,
  type ToolSource,
} from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { Toolset } from "../../contracts/tool/toolset.ts";
import { createCatalogs } from "./catalog.ts";
import { layered } from "./layered.ts";
import { admitTool } from "./tool-admission.ts";
import { createWorld, expandToolset, findToolset, mayBeLate, type ToolsetWorld } from "./toolsets.ts";

export interface RegistryDeps {
  /** Tools that stay when a preset or posture is disabled. */
  readonly core?: readonly string[];
}

/**
 * Lookup takes constant time for any number of tools. Sorting and merging happen once for each version of the registry.
 */
export function createRegistry(deps: RegistryDeps = {}): Registry {
  const tools = layered<string, Entry>();
  const sets = layered<string, Toolset>();
  const aliases = layered<string, string>();
  /** MCP tools by name, including tools that are refused because several servers use the name. */
  const claims = new Map<string, Set<Entry>>();
  /** Tools that are loaded on demand, with the registrations of those that were loaded. */
  const lates = new Map<LateTools, readonly Disposable[] | undefined>();
  const diagnostics = new Map<string, Diagnostic>();
  const core = new Set(deps.core);
  const listeners = new Set<() => void>();
  let generation = 0;
  let world: ToolsetWorld | undefined;
  let listed: readonly RegisteredTool[] | undefined;

  function changed(): void {
    generation += 1;
    world = undefined;
    listed = undefined;
    for (const listener of listeners) listener();
  }

  function report(source: string, message: string): void {
    if (diagnostics.size < maxDiagnostics) diagnostics.set(`${source}\n${message}`, { source, message });
  }

  function refuse(source: ToolSource, message: string): Result<Registration> {
    report(describeSource(source), message);
    return err({ message });
  }

  /** If several owners have MCP tools with the same name, none of them can be called until only one is left. */
  function settleClaims(name: string): void {
    const rivals = [...(claims.get(name) ?? [])];
    const isShared = new Set(rivals.map(({ owner }) => owner)).size > 1;
    for (const rival of rivals) {
      if (isShared) {
        tools.remove(name, rival);
        report(describeSource(rival.registered.source), `tool ${name} is refused: ${sharedName(rivals)}`);
      } else if (!tools.has(name, rival)) tools.put(name, rival);
    }
  }

  function register(tool: Tool, source: ToolSource): Registration {
    const { name } = tool;
    const entry: Entry = { registered: { tool, source }, owner: ownerOf(tool, source) };
    if (source.kind === "mcp") {
      claims.set(name, (claims.get(name) ?? new Set()).add(entry));
      settleClaims(name);
    } else tools.put(name, entry);
    changed();
    return {
      name,
      ...disposable(() => {
        tools.remove(name, entry);
        const rivals = claims.get(name);
        if (rivals?.delete(entry)) {
          if (rivals.size === 0) claims.delete(name);
          settleClaims(name);
        }
        changed();
      }),
    };
  }

  /** Registers tools that are loaded on demand. Their owner has already checked them. */
  function loadLate(): void {
    for (const [late, loaded] of lates) {
      if (loaded) continue;
      const registrations: Disposable[] = [];
      lates.set(late, registrations);
      for (const { tool, source } of late.load()) {
        const held = tools.top(tool.name);
        const verdict = held && collide(held, tool, source);
        if (verdict?.decision === "refuse") report(describeSource(source), verdict.why);
        else registrations.push(register(tool, source));
      }
      changed();
    }
  }

  const registry: Registry = {
    get generation() {
      return generation;
    },
    get diagnostics() {
      return [...diagnostics.values()];
    },
    onChange(listener) {
      // A wrapper makes each listener unique, because the same function may be added twice.
      const own = () => listener();
      listeners.add(own);
      return disposable(() => void listeners.delete(own));
    },
    add(given, source) {
      // The host creates the tools of a plugin from its registration.
      const admitted = admitTool(given, source.kind === "plugin");
      if (!admitted.ok) return refuse(source, `${nameOf(given)}: ${admitted.error}`);
      const tool = admitted.value;
      const held = tools.top(tool.name);
      if (held) {
        const verdict = collide(held, tool, source);
        if (verdict.decision === "refuse") return refuse(source, verdict.why);
        if (verdict.why !== undefined) report(describeSource(source), verdict.why);
      }
      return ok(register(tool, source));
    },
    addLate(late) {
      lates.set(late, undefined);
      changed();
      return disposable(() => {
        const loaded = lates.get(late);
        lates.delete(late);
        for (const registration of loaded ?? []) registration[Symbol.dispose]();
        changed();
      });
    },
    addToolset(toolset) {
      if (isReservedName(toolset.name)) {
        report("toolsets", `toolset ${toolset.name} is refused: its name is a reserved word of JavaScript`);
        return disposable(() => {});
      }
      const entry = structuredClone(toolset);
      sets.put(entry.name, entry);
      changed();
      return disposable(() => {
        sets.remove(entry.name, entry);
        changed();
      });
    },
    addAlias(alias, toolset) {
      const held = aliases.top(alias);
      if (held !== undefined && held !== toolset) {
        report("toolsets", `the alias ${alias} referred to ${held} and now refers to ${toolset}`);
      }
      aliases.put(alias, toolset);
      changed();
      return disposable(() => {
        aliases.remove(alias, toolset);
        changed();
      });
    },
    list() {
      loadLate();
      return loadedTools();
    },
    loaded: loadedTools,
    find(name) {
      if (mayBeLate(name)) loadLate();
      return tools.top(name)?.registered;
    },
    toolsets() {
      loadLate();
      return currentWorld().listed;
    },
    expand(name) {
      if (expandToolset(name, currentWorld())?.late.length) loadLate();
      const now = currentWorld();
      const expansion = expandToolset(name, now);
      return expansion && { name: findToolset(name, now)?.name ?? name, tools: expansion.tools };
    },
    catalog: (selection, available, options) => catalogs(selection, available, options),
  };

  function loadedTools(): readonly RegisteredTool[] {
    listed ??= Array.from(tools.tops(), ([, { registered }]) => registered).toSorted((a, b) => byName(a.tool, b.tool));
    return listed;
  }

  function currentWorld(): ToolsetWorld {
    world ??= createWorld({
      tools: loadedTools(),
      late: [...lates].flatMap(([late, loaded]) => (loaded || late.count === 0 ? [] : [late])),
      sets: sets.layers(),
      aliases: aliases.tops(),
      core,
    });
    return world;
  }

  const catalogs = createCatalogs({
    get generation() {
      return generation;
    },
    world: currentWorld,
    loadLate,
    refusal(name) {
      const rivals = [...(claims.get(name) ?? [])];
      if (rivals.length > 1 && !tools.top(name)) return sharedName(rivals);
      return [...lates.keys()].map((late) => late.whyNot(name)).find((why) => why !== undefined);
    },
  });
  return registry;
}

interface Entry {
  readonly registered: RegisteredTool;
  readonly owner: string;
}

type Collision =
  | { readonly decision: "refuse"; readonly why: string }
  | { readonly decision: "replace"; readonly why?: string };

const maxDiagnostics = 1000;

function collide(held: Entry, tool: Tool, source: ToolSource): Collision {
  const { tool: first, source: firstSource } = held.registered;
  if (source.kind === "mcp" && firstSource.kind === "mcp") return { decision: "replace" };
  const sameToolset = first.toolset === tool.toolset;
  if (sameToolset && held.owner === ownerOf(tool, source)) return { decision: "replace" };
  if ("overrides" in source && source.overrides?.includes(tool.name)) return { decision: "replace" };
  const replaces = `tool ${tool.name} of ${describeSource(firstSource)} is replaced by ${describeSource(source)}`;
  if (source.kind === "user" && sameToolset) return { decision: "replace", why: replaces };
  if (source.kind === "builtin" && firstSource.kind === "mcp") return { decision: "replace", why: replaces };
  const belongs = `the name belongs to ${describeSource(firstSource)} (toolset ${first.toolset})`;
  return {
    decision: "refuse",
    why: `tool ${tool.name} (toolset ${tool.toolset}) is refused: ${belongs}${wayOut(source, first)}`,
  };
}

function wayOut(source: ToolSource, first: Tool): string {
  switch (source.kind) {
    case "user":
      return `; rename it, or give it the toolset ${first.toolset} to replace that one`;
    case "plugin":
      return `; plugins.entries.${source.plugin}.allow_tool_override lets it replace that one`;
    case "builtin":
    case "mcp":
      return "";
  }
}

function ownerOf(tool: Tool, source: ToolSource): string {
  switch (source.kind) {
    case "builtin":
      return "builtin";
    case "user":
      return JSON.stringify(["user", source.file]);
    case "plugin":
      return JSON.stringify(["plugin", source.plugin]);
    case "mcp":
      return JSON.stringify(["mcp", source.server, source.tool ?? tool.name]);
  }
}

function sharedName(rivals: readonly Entry[]): string {
  const owners = new Set(rivals.map(({ registered: { source } }) => describeSource(source)));
  return `several tools have this name (${[...owners].join(", ")}); rename a server, or exclude one of the tools`;
}

function nameOf(tool: unknown): string {
  return isObject(tool) && typeof tool.name === "string" ? `tool ${JSON.stringify(cut(tool.name, 80))}` : "a tool";
}

function disposable(run: () => void): Disposable {
  let done = false;
  return {
    [Symbol.dispose]() {
      if (done) return;
      done = true;
      run();
    },
  };
}
