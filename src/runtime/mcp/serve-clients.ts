import { once } from "../../base/async/once.ts";
import { systemClock } from "../../base/clock.ts";
import type { HttpServer } from "../../base/http/http-server.ts";
import { ok, reasonOf, type Result } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { ToolSelection } from "../../contracts/tool/toolset.ts";
import { clientModel } from "../../mcp/serve/client-model.ts";
import type { ServeHttpOptions } from "../../mcp/serve/serve-http.ts";
import type { StdioEnds } from "../../mcp/serve/serve-stdio.ts";
import type { OpenClient } from "../../mcp/serve/served-client.ts";
import { builtins } from "../builtins.ts";
import { createRuntime } from "../create-runtime.ts";
import { sessionCatalog } from "../session/session-catalog.ts";
import { serveSession } from "./serve-session.ts";
import { type ServeToken, serveToken } from "./serve-token.ts";
import { servedConversations } from "./served-conversations.ts";
import { servedKnowledge } from "./served-knowledge.ts";

export interface ServeClientsOptions {
  readonly cwd: string;
  /** The user who runs the server. Clients work on behalf of this user, who also answers their questions. */
  readonly principal: Principal;
  /** Toolsets that clients get. Default: the settings, or those for work on files. */
  readonly toolsets?: readonly string[];
  readonly safeMode?: boolean;
  readonly say: (sentence: string) => void;
  readonly signal: AbortSignal;
}

/** A runtime as an MCP server: each client has a session, and no model of Hermes is used. */
export interface ServedClients extends AsyncDisposable {
  /** Serves one client over the standard streams of this program until it leaves. */
  stdio(ends: Omit<StdioEnds, "report" | "clock">): Promise<void>;
  /** Serves clients that send the token over HTTP until it is disposed. */
  http(options: Omit<ServeHttpOptions, "report" | "clock">): Promise<Result<HttpServer, string>>;
  token(): Promise<Result<ServeToken>>;
}

export function openServedClients(config: LoadedConfig, options: ServeClientsOptions): ServedClients {
  const { cwd, principal, say, signal, safeMode = false } = options;
  const clock = systemClock;
  const conversations = servedConversations(() => opening, principal, clock);
  const opening = createRuntime(config, [...builtins(config, { cwd, signal, safeMode }), conversations], {
    cwd,
    principal,
    signal,
    safeMode,
    say,
    platform,
    models: { open: async (name = "client") => ok(clientModel(name)) },
  });
  // Problems of the start are reported to the first client.
  opening.catch(() => {});
  const tools: ToolSelection = {
    enabled: options.toolsets ?? config.values.platform_toolsets[platform] ?? defaultToolsets,
  };
  const { skills, memory } = config.values;
  const opaque = new Set([...(skills.inline_shell ? ["skill_view"] : []), ...(memory.provider ? ["memory"] : [])]);
  const log = once(async () => (await opening).services.get("log"));

  const content = once(async () => {
    const { services, skills: named } = await opening;
    const { redactor, contributions, skills: offered } = await services.open("redactor", "contributions", "skills");
    await contributions.load("served");
    const library = async () => (await offered.opened()).library({ author: "user", backend: "local", source: "mcp" });
    const knowledge = servedKnowledge(config, { cwd, named, library, redactor });
    return async (until: AbortSignal) => [...(await knowledge(until)), ...contributions.served.list()];
  });

  const open: OpenClient = (client, announce) => {
    const id: Principal = { id: `mcp:${client.name}`, owner: principal.id };
    return serveSession(client, {
      opaque,
      clock,
      announce,
      async followTools(listener) {
        const { registry, services } = await opening;
        // Notifies clients later about the tools of servers that were not reached yet.
        if (services.isOpen("mcp")) void (await services.get("mcp")).prepare("mcp", signal).catch(() => undefined);
        return registry.onChange(listener);
      },
      content: async (until) => (await content())(until),
      async catalog(of) {
        const { registry } = await opening;
        const deps = { registry, platform, cwd, clock, log: await log(), signal };
        const catalog = await sessionCatalog(config, { ...of, tools }, deps);
        for (const notice of catalog.notices) say(notice);
        return catalog;
      },
      async open(of) {
        const runtime = await opening;
        const wish = { source: "mcp", principal: id, cwd, model: client.name, tools, ignoreRules: true, ...of };
        const session = await runtime.openSession(wish);
        const live = (await runtime.services.get("liveSessions")).get(session.id);
        if (!live) throw new Error(`Session ${session.id} is open elsewhere.`);
        return { session, live };
      },
    });
  };
  const report = (message: string) => void log().then((file) => file.warn("mcp.serve", { error: message }), say);
  return {
    async stdio(ends) {
      const { serveOverStdio } = await import("../../mcp/serve/serve-stdio.ts");
      await serveOverStdio({ ...ends, clock, report }, open, signal);
    },
    async http(asked) {
      const { serveOverHttp } = await import("../../mcp/serve/serve-http.ts");
      return serveOverHttp({ ...asked, clock, report }, open);
    },
    token: () => serveToken(config),
    async [Symbol.asyncDispose]() {
      const runtime = await opening.catch((thrown: unknown) => say(reasonOf(thrown)));
      await runtime?.[Symbol.asyncDispose]();
    },
  };
}

/** Its name in the setting `platform_toolsets`. */
const platform = "mcp";

const defaultToolsets: readonly string[] = [
  "terminal",
  "file",
  "skills",
  "memory",
  "session_search",
  "checkpoint",
  "conversations",
];
