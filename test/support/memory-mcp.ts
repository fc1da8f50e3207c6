import { err, ok } from "../../src/base/result.ts";
import type { McpCallResult, McpConnection, McpFault } from "../../src/contracts/mcp/connection.ts";
import type { McpListing, McpToolDefinition } from "../../src/contracts/mcp/definitions.ts";
import type { McpServerEntry } from "../../src/contracts/mcp/server-entry.ts";

/** An MCP server in this process, whose behaviour a test can change while it runs. */
export interface MemoryServer {
  tools: readonly McpToolDefinition[];
  /** The fault of every new connection, if any. */
  refusal: McpFault | undefined;
  call: (tool: string, signal: AbortSignal) => Promise<ReturnType<typeof callResult>>;
  ping: () => Promise<ReturnType<typeof ok<undefined>> | { readonly ok: false; readonly error: McpFault }>;
  /** The number of connections so far, and the number of open ones. */
  readonly connects: number;
  readonly open: number;
  readonly pings: number;
  connect(
    signal: AbortSignal,
  ): Promise<{ readonly ok: true; readonly value: McpConnection } | { readonly ok: false; readonly error: McpFault }>;
  /** Ends all connections. */
  drop(reason: string): void;
  listChanged(): void;
}

export function callResult(
  text: string,
): { readonly ok: true; readonly value: McpCallResult } | { readonly ok: false; readonly error: McpFault } {
  return ok({ content: [{ type: "text", text }], isError: false });
}

export function memoryFault(kind: McpFault["kind"], isSent = false): { readonly ok: false; readonly error: McpFault } {
  return err({ kind, message: `the server failed: ${kind}`, isSent });
}

export function memoryTool(name: string, more: Partial<McpToolDefinition> = {}): McpToolDefinition {
  const inputSchema = { type: "object", properties: { text: { type: "string" } } };
  return { name, description: `Does ${name}.`, inputSchema, ...more };
}

export function memoryEntry(name: string, more: Partial<McpServerEntry> = {}): McpServerEntry {
  return {
    name,
    target: { kind: "stdio", command: "server", args: [], env: {} },
    isEnabled: true,
    timeoutMs: 300_000,
    connectTimeoutMs: 60_000,
    protocol: "auto",
    isLazy: false,
    isParallel: false,
    keepaliveMs: 180_000,
    idleMs: 0,
    maxLifetimeMs: 0,
    trust: "full",
    sampling: {
      isEnabled: true,
      allowedModels: [],
      maxTokens: 4096,
      timeoutMs: 30_000,
      maxPerMinute: 10,
      maxToolRounds: 5,
    },
    elicitation: { isEnabled: true, timeoutMs: 300_000 },
    tools: { exclude: [], resources: true, prompts: true },
    ...more,
  };
}

export function memoryServer(...tools: readonly McpToolDefinition[]): MemoryServer {
  const opened = new Set<{ close(reason: string): void; changed(): void }>();
  let connects = 0;
  let pings = 0;
  const server: MemoryServer = {
    tools,
    refusal: undefined,
    call: async (tool) => callResult(`${tool} was called`),
    ping: async () => ok(undefined),
    get connects() {
      return connects;
    },
    get open() {
      return opened.size;
    },
    get pings() {
      return pings;
    },
    async connect() {
      connects += 1;
      if (server.refusal) return err(server.refusal);
      const closed = Promise.withResolvers<{ readonly reason: string }>();
      const listeners = new Set<() => void>();
      const handle = {
        close(reason: string) {
          opened.delete(handle);
          closed.resolve({ reason });
        },
        changed: () => listeners.forEach((listener) => listener()),
      };
      opened.add(handle);
      const none = async () => memoryFault("server");
      return ok<McpConnection>({
        closed: closed.promise,
        get isOpen() {
          return opened.has(handle);
        },
        list: async () => ok(listingOf(server.tools)),
        call: (tool, _args, { signal }) => server.call(tool, signal),
        listResources: none,
        readResource: none,
        getPrompt: none,
        complete: none,
        ping() {
          pings += 1;
          return server.ping();
        },
        onListChanged(listener) {
          listeners.add(listener);
          return { [Symbol.dispose]: () => void listeners.delete(listener) };
        },
        async [Symbol.asyncDispose]() {
          handle.close("it was disposed");
        },
      });
    },
    drop: (reason) => opened.forEach(({ close }) => close(reason)),
    listChanged: () => opened.forEach(({ changed }) => changed()),
  };
  return server;
}

function listingOf(tools: readonly McpToolDefinition[]): McpListing {
  return {
    server: { name: "memory", version: "1", protocolVersion: "2025-06-18" },
    tools,
    prompts: [],
    hasResources: false,
    hasCompletions: false,
    problems: [],
  };
}
