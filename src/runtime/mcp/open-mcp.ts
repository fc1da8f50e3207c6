import { existsSync } from "node:fs";
import { join } from "node:path";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/log/log.ts";
import { oneLine } from "../../base/text/text.ts";
import { homeFiles, userFolder } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { McpEntries, McpFleet } from "../../contracts/mcp/fleet.ts";
import { oneShotSource } from "../../contracts/session/session.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { Registry } from "../../contracts/tool/registry.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { readMcpEntries } from "../../mcp/entries/read-entries.ts";
import { openMcpFleet } from "../../mcp/fleet/mcp-fleet.ts";
import { openServerCache } from "../../mcp/fleet/server-cache.ts";
import { openServerLogs } from "../../mcp/fleet/server-logs.ts";
import { findInjectedOrders } from "../../safety/injected-text.ts";
import type { Models } from "../models/models.ts";
import type { LiveSessions } from "../session/session-deps.ts";
import { followTools } from "./follow-tools.ts";

export interface OpenedMcp extends McpFleet {
  /** Keeps the tools of the servers in a registry. */
  join(registry: Registry): void;
  /**
   * Prepares the servers for a new session: waits a limited time for those whose tools are not known yet. A chat then
   * connects to all of them in the background.
   */
  prepare(source: string, signal: AbortSignal): Promise<void>;
}

export interface OpenMcpDeps {
  readonly cwd: string;
  readonly clock: Clock;
  readonly say: (sentence: string) => void;
  readonly log: Logger;
  readonly redactor: Redactor;
  readonly sessions: LiveSessions;
  /** Undefined: the embedding program provides the models. */
  readonly models: () => Promise<Models | undefined>;
  readonly safeMode?: boolean;
}

/** Reads the servers from the current settings. */
function mcpEntries({ values, env, home }: Pick<LoadedConfig, "values" | "env" | "home">): McpEntries {
  return readMcpEntries(values.mcp_servers, { userFolder: userFolder(env), profile: home.profile });
}

/** The MCP servers of the settings. Opening reads one file and connects to none. */
export function openMcp(config: LoadedConfig, deps: OpenMcpDeps): OpenedMcp {
  const { cwd, clock, log, say, redactor } = deps;
  const { home, values } = config;
  const canWrite = () => existsSync(home.path);
  const logs = openServerLogs({
    folder: join(home.path, homeFiles.logs, "mcp"),
    canWrite,
    redact: (text) => redactor.redact(text),
    clock,
  });
  const workspace = once(async () => (await workspaceOf(cwd, userFolder(config.env))).root ?? cwd);
  let isWired = false;
  const wired = once(async () => {
    isWired = true;
    const { wireServers } = await import("./wire-servers.ts");
    return wireServers(config, { ...deps, workspace: await workspace(), logs });
  });
  const fleet = openMcpFleet(mcpEntries(config), {
    connector(entry, runningCalls) {
      const open = once(async () => (await wired()).connector(entry, runningCalls));
      return async (signal) => (await open())(signal);
    },
    startFault: async (entry, signal) => (await wired()).startFault(entry, signal),
    ...(deps.safeMode && { offReason: "Safe mode starts no MCP servers." }),
    cache: openServerCache({ folder: join(home.path, homeFiles.mcp), canWrite, clock, log }),
    async findOrders(text) {
      const [order] = await findInjectedOrders(text, "context");
      return order && `it ${order.says}: "${oneLine(order.quote, 200)}"`;
    },
    pause: () => new Promise((resolve) => setImmediate(resolve)),
    logTail: logs.tail,
    say,
    clock,
    log,
  });
  const joined = new DisposableStack();
  let following: Registry | undefined;
  let waited: Promise<void> | undefined;

  async function discover(seconds: number, signal: AbortSignal): Promise<void> {
    for (const { state, why } of fleet.glance()) if (state === "broken" && why !== undefined) say(why);
    fleet.start("unknown");
    await fleet.settled(seconds * 1000, signal);
  }

  return {
    ...fleet,
    join(registry) {
      if (following === registry) return;
      following = registry;
      joined.use(followTools(fleet, registry));
    },
    async prepare(source, signal) {
      const isOneShot = source === oneShotSource;
      const seconds = isOneShot ? values.mcp_single_query_discovery_timeout : values.mcp_discovery_timeout;
      waited ??= discover(seconds, signal);
      await waited;
      // Limits how many programs start at the same time, because many would delay the prompt.
      if (source === "cli") joined.use(clock.after(chatStartMs, () => fleet.start("all")));
    },
    async [Symbol.asyncDispose]() {
      joined.dispose();
      await fleet[Symbol.asyncDispose]();
      if (isWired) (await wired())[Symbol.dispose]();
      logs[Symbol.dispose]();
    },
  };
}

/**
 * Delay before the background connections, because a busy machine needs most of a second to draw the prompt. Calls do
 * not wait for this.
 */
const chatStartMs = 1_000;
