import { sha256 } from "../../base/digest.ts";
import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { byName } from "../../base/text/order.ts";
import { cut } from "../../base/text/text.ts";
import {
  describeSource,
  type Diagnostic,
  type RegisteredTool,
  type Registration,
  type Registry,
  type ToolSource,
} from "../../contracts/tool/registry.ts";
import type { Tool } from "../../contracts/tool/tool.ts";
import type { Toolset } from "../../contracts/tool/toolset.ts";
import { createCatalogs } from "./catalog.ts";
import { admitTool } from "./tool-admission.ts";
import { toolAs } from "./tool-as.ts";
import { createWorld, expandToolset, findToolset, type ToolsetWorld } from "./toolsets.ts";

export interface RegistryDeps {
  /** Tools that stay when a preset or posture is disabled. */
  readonly core?: readonly string[];
}

/** Lookup takes constant time for any number of tools; sorting and merging happen once per generation. */
export function createRegistry(deps: RegistryDeps = {}): Registry {
  const tools = layered<string, Entry>();
  const sets = layered<string, Toolset>();
  const aliases = layered<string, string>();
  /** MCP tools by their original name, to detect collisions. */
  const claims = new Map<string, Set<Entry>>();
  const diagnostics = new Map<string, Diagnostic>();
  const core = new Set(deps.core);
  let generation = 0;
  let world: ToolsetWorld | undefined;
  let listed: readonly RegisteredTool[] | undefined;

  function changed(): void {
    generation += 1;
    world = undefined;
    listed = undefined;
  }

  function report(source: string, message: string): void {
    if (diagnostics.size < maxDiagnostics) diagnostics.set(`${source}\n${message}`, { source, message });
  }

  function refuse(source: ToolSource, message: string): Result<Registration> {
    report(describeSource(source), message);
    return err({ message });
  }

  /** Gives every MCP tool with this original name a distinct name, including the first, when a second owner appears. */
  function part(name: string, entry: Entry): void {
    const rivals = claims.get(name) ?? new Set();
    claims.set(name, rivals.add(entry));
    const equal = [...rivals];
    if (equal.every((rival) => rival.owner === entry.owner && rival.registered.tool.name === name)) return;
    for (const rival of equal.filter(({ registered }) => registered.tool.name === name)) {
      const own = distinctName(name, rival.owner);
      tools.remove(name, rival);
      rival.registered = { ...rival.registered, tool: toolAs(rival.registered.tool, { name: own }) };
      tools.put(own, rival);
      report(
        describeSource(rival.registered.source),
        `tool ${name} has the name of another MCP tool; it is known as ${own}`,
      );
    }
  }

  function register(tool: Tool, source: ToolSource): Registration {
    const { name } = tool;
    const entry: Entry = { registered: { tool, source }, owner: ownerOf(tool, source) };
    tools.put(name, entry);
    if (source.kind === "mcp") part(name, entry);
    changed();
    return {
      get name() {
        return entry.registered.tool.name;
      },
      [Symbol.dispose]() {
        if (!tools.remove(entry.registered.tool.name, entry)) return;
        const rivals = claims.get(name);
        rivals?.delete(entry);
        if (rivals?.size === 0) claims.delete(name);
        changed();
      },
    };
  }

  const registry: Registry = {
    get generation() {
      return generation;
    },
    get diagnostics() {
      return [...diagnostics.values()];
    },
    add(given, source) {
      // The schemas of a plugin are those of its registration.
      const admitted = admitTool(given, source.kind === "plugin");
      if (!admitted.ok) return refuse(source, `${nameOf(given)}: ${admitted.error}`);
      const tool = admitted.value;
      const held = tools.top(tool.name);
      if (held) {
        const verdict = collide(held, tool, source);
        if (verdict.decision === "refuse") return refuse(source, verdict.why);
        if (verdict.why !== undefined) report(describeSource(source), verdict.why);
      }
      const reserve = source.kind === "mcp" && tools.top(distinctName(tool.name, ownerOf(tool, source)));
      if (reserve && reserve.registered.source.kind !== "mcp") {
        return refuse(source, `tool ${tool.name} is refused: ${reserve.registered.tool.name} is taken`);
      }
      return ok(register(tool, source));
    },
    addToolset(toolset) {
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
        report("toolsets", `alias ${alias} meant ${held} and now means ${toolset}`);
      }
      aliases.put(alias, toolset);
      changed();
      return disposable(() => {
        aliases.remove(alias, toolset);
        changed();
      });
    },
    list() {
      listed ??= Array.from(tools.tops(), ([, { registered }]) => registered).toSorted((a, b) =>
        byName(a.tool, b.tool),
      );
      return listed;
    },
    find: (name) => tools.top(name)?.registered,
    toolsets: () => currentWorld().listed,
    expand(name) {
      const now = currentWorld();
      const expansion = expandToolset(name, now);
      return expansion && { name: findToolset(name, now)?.name ?? name, tools: expansion.tools };
    },
    catalog: (selection, available, options) => catalogs(selection, available, options),
  };

  function currentWorld(): ToolsetWorld {
    world ??= createWorld({ tools: registry.list(), sets: sets.layers(), aliases: aliases.tops(), core });
    return world;
  }

  const catalogs = createCatalogs({
    get generation() {
      return generation;
    },
    world: currentWorld,
    renamed: (name) => Array.from(claims.get(name) ?? [], ({ registered }) => registered.tool.name),
  });
  return registry;
}

interface Entry {
  registered: RegisteredTool;
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

function distinctName(name: string, owner: string): string {
  const mark = sha256(`${owner}\n${name}`).slice(0, 6);
  return `${cut(name, 57)}_${mark}`;
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

/**
 * Values stacked by key: the last one is on top, and removing one from any depth keeps the others in order. Keys
 * without values are removed.
 */
interface Layered<K, V> {
  put(key: K, value: V): void;
  /** False if it is missing. */
  remove(key: K, value: V): boolean;
  top(key: K): V | undefined;
  tops(): Iterable<readonly [K, V]>;
  /** From the first added to the last. */
  layers(): Iterable<readonly V[]>;
}

function layered<K, V>(): Layered<K, V> {
  const stacks = new Map<K, V[]>();
  return {
    put(key, value) {
      const stack = stacks.get(key);
      if (stack) stack.push(value);
      else stacks.set(key, [value]);
    },
    remove(key, value) {
      const stack = stacks.get(key);
      const index = stack?.lastIndexOf(value) ?? -1;
      if (!stack || index < 0) return false;
      stack.splice(index, 1);
      if (stack.length === 0) stacks.delete(key);
      return true;
    },
    top: (key) => stacks.get(key)?.at(-1),
    *tops() {
      for (const [key, stack] of stacks) {
        const top = stack.at(-1);
        if (top !== undefined) yield [key, top];
      }
    },
    layers: () => stacks.values(),
  };
}
