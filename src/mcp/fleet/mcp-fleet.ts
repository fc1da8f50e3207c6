import { waitFor } from "../../base/async/bounded-wait.ts";
import { canonicalJson, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { McpFault } from "../../contracts/mcp/connection.ts";
import type { McpEntries, McpFleet, McpReload } from "../../contracts/mcp/fleet.ts";
import type { McpEntryProblem, McpServerEntry } from "../../contracts/mcp/server-entry.ts";
import type { McpServerStatus, WaitingTool } from "../../contracts/mcp/status.ts";
import type { OfferedTool } from "./judge-listing.ts";
import { createMcpServer, type McpServer, type McpServerDeps } from "./mcp-server.ts";
import { withNestedPrefixes } from "./tool-names.ts";

/** The servers, as seen by the code that adapts their tools. */
export interface OpenedFleet extends McpFleet {
  /** Servers whose tools are known from a connection or the cache. Reads no file. */
  served(): readonly ServedTools[];
  /** Whether a tool, in the server's spelling, may be called now. */
  offers(server: string, tool: string): boolean;
}

/** The tools of one server. */
export interface ServedTools {
  readonly entry: McpServerEntry;
  /** Servers with equal hashes have equal tools. */
  readonly hash: string;
  /** The number of tools, including those for resources and prompts. */
  readonly count: number;
  /** Whether the server has resources and the settings enable tools for them. */
  readonly hasResources: boolean;
  readonly hasPrompts: boolean;
  /** Reads the cache file, unless the server is connected. */
  offered(): readonly OfferedTool[];
}

export type McpFleetDeps = Omit<McpServerDeps, "changed">;

export function openMcpFleet(read: McpEntries, deps: McpFleetDeps): OpenedFleet {
  const { clock, cache } = deps;
  const listeners = new Set<(name: string) => void>();
  let { problems } = read;
  const servers = new Map<string, McpServer>();
  const starting = new Set<Promise<unknown>>();
  let isStarted: "all" | "unknown" | undefined;
  /** Groups servers whose tools could have the same name. */
  let suspects: readonly string[] | undefined;

  const changed = (name: string): void => {
    for (const listener of listeners) listener(name);
  };
  const create = (entry: McpServerEntry): void => {
    servers.set(entry.name, createMcpServer(entry, { ...deps, changed }));
    suspects = undefined;
  };
  for (const entry of read.entries) create(entry);

  function serverOf(name: string): Result<McpServer, McpFault> {
    const server = servers.get(name);
    if (server) return ok(server);
    const problem = problems.find((each) => each.name === name);
    const message = problem?.message ?? `There is no MCP server ${name}. ${didYouMean(name, servers.keys())}`.trim();
    return err({ kind: "off", message, isSent: false });
  }

  /**
   * Starts only a few servers at a time, so that many starting programs do not overload the machine. A slow server
   * does not delay the others.
   */
  function begin(chosen: readonly McpServer[]): void {
    const queue = [...chosen];
    const work = async (): Promise<void> => {
      for (let server = queue.shift(); server; server = queue.shift()) {
        server.keep();
        await waitFor(server.tried, { ms: startTurnMs, clock, isOptional: true });
      }
    };
    const all = Promise.all(Array.from({ length: Math.min(maxStarting, queue.length) }, work)).then(() =>
      Promise.all(chosen.map(({ tried }) => tried)),
    );
    starting.add(all);
    void all.then(() => starting.delete(all));
  }

  function toStart(server: McpServer): boolean {
    return !server.isOff && (!server.facts || (isStarted === "all" && !server.entry.isLazy));
  }

  /** Finds tools of several servers with the same name: none of them can be called. */
  function collisions(): ReadonlyMap<string, readonly string[]> {
    suspects ??= withNestedPrefixes([...servers.keys()]);
    const owners = new Map<string, string[]>();
    for (const server of suspects) {
      for (const { name } of servers.get(server)?.tools().offered ?? []) {
        owners.set(name, [...(owners.get(name) ?? []), server]);
      }
    }
    return new Map([...owners].filter(([, names]) => names.length > 1));
  }

  function withoutCollisions(status: McpServerStatus, server: McpServer): McpServerStatus {
    const shared = collisions();
    if (shared.size === 0) return status;
    const lost: readonly WaitingTool[] = server.tools().offered.flatMap(({ tool, name }) => {
      const names = shared.get(name);
      return names
        ? [{ tool, reason: "collision", detail: `The servers ${names.join(" and ")} both have the tool ${name}.` }]
        : [];
    });
    return {
      ...status,
      tools: status.tools.filter((name) => !shared.has(name)),
      waiting: [...status.waiting, ...lost],
    };
  }

  function differences({ entries }: McpEntries): McpReload {
    const names = new Set(entries.map(({ name }) => name));
    const isDifferent = (entry: McpServerEntry): boolean => {
      const before = servers.get(entry.name);
      return before !== undefined && textOf(before.entry) !== textOf(entry);
    };
    return {
      added: [...names].filter((name) => !servers.has(name)),
      removed: [...servers.keys()].filter((name) => !names.has(name)),
      changed: entries.filter(isDifferent).map(({ name }) => name),
    };
  }

  const statusOf = (server: McpServer) => withoutCollisions(server.status(), server);

  async function remove(name: string): Promise<void> {
    const server = servers.get(name);
    servers.delete(name);
    suspects = undefined;
    await server?.[Symbol.asyncDispose]();
    changed(name);
  }

  return {
    list: () => [...Array.from(servers.values(), statusOf), ...problems.map(brokenStatus)],
    glance: () => [...Array.from(servers.values(), (server) => server.glance()), ...problems.map(brokenStatus)],
    find(name) {
      const server = servers.get(name);
      const problem = problems.find((each) => each.name === name);
      return server ? statusOf(server) : problem && brokenStatus(problem);
    },
    served: () =>
      Array.from(servers.values()).flatMap((server) => {
        const { entry, facts, isOff } = server;
        if (!facts || isOff) return [];
        const hasResources = facts.hasResources && entry.tools.resources;
        const hasPrompts = facts.prompts.length > 0 && entry.tools.prompts;
        return [
          {
            entry,
            hash: facts.hash,
            count: facts.tools + (hasResources ? 2 : 0) + (hasPrompts ? 2 : 0),
            hasResources,
            hasPrompts,
            offered() {
              const shared = collisions();
              return server.tools().offered.filter(({ name }) => !shared.has(name));
            },
          },
        ];
      }),
    offers: (server, tool) =>
      servers
        .get(server)
        ?.tools()
        .offered.some((each) => each.tool === tool) ?? false,
    listing: (name) => servers.get(name)?.listing(),
    start(which) {
      if (isStarted === "all" || isStarted === which) return;
      isStarted = which;
      begin([...servers.values()].filter(toStart));
    },
    async settled(maxMs, signal) {
      await waitFor(Promise.all(starting), { ms: maxMs, signal, clock });
    },
    async connect(name, signal) {
      const server = serverOf(name);
      if (!server.ok) return server;
      const connected = await server.value.connect(signal);
      return connected.ok ? ok(statusOf(server.value)) : connected;
    },
    async use(name, exchange, options) {
      const server = serverOf(name);
      return server.ok ? server.value.use(exchange, options) : server;
    },
    runningCalls: (name) => servers.get(name)?.runningCalls() ?? [],
    async accept(name, tools) {
      const server = serverOf(name);
      if (!server.ok) return err(server.error.message);
      const accepted = await server.value.accept(tools);
      return accepted.ok ? ok(statusOf(server.value)) : accepted;
    },
    differences,
    async reload(next) {
      ({ problems } = next);
      const entries = new Map(next.entries.map((entry) => [entry.name, entry]));
      const { added, removed, changed: different } = differences(next);
      await Promise.all([...removed, ...different].map(remove));
      for (const name of [...different, ...added]) {
        const entry = entries.get(name);
        if (entry) create(entry);
        changed(name);
      }
      if (isStarted) {
        const fresh = [...different, ...added].flatMap((name) => servers.get(name) ?? []);
        begin(fresh.filter(toStart));
      }
      return { added, removed, changed: different };
    },
    async forget(name) {
      await remove(name);
      await cache.forget(name);
    },
    onChange(listener) {
      listeners.add(listener);
      return { [Symbol.dispose]: () => void listeners.delete(listener) };
    },
    async [Symbol.asyncDispose]() {
      listeners.clear();
      await Promise.all(Array.from(servers.values(), (server) => server[Symbol.asyncDispose]()));
    },
  };
}

const maxStarting = 8;
const startTurnMs = 3_000;

function brokenStatus({ name, message }: McpEntryProblem): McpServerStatus {
  return {
    name,
    state: "broken",
    why: message,
    prompts: [],
    hasResources: false,
    hasCompletions: false,
    tools: [],
    waiting: [],
    isUnconfined: false,
    log: [],
  };
}

function textOf(entry: McpServerEntry): string {
  // The cast is safe: settings are JSON.
  return canonicalJson(entry as unknown as JsonObject);
}
