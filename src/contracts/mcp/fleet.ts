import type { Result } from "../../base/result.ts";
import type { CallContext } from "../tool/tool.ts";
import type { McpConnection, McpFault, McpServerRequests } from "./connection.ts";
import type { McpListing } from "./definitions.ts";
import type { McpEntryProblem, McpServerEntry } from "./server-entry.ts";
import type { McpServerStatus } from "./status.ts";

/** All MCP servers of the settings, as one program uses them. No function rejects; an unknown server is a fault. */
export interface McpFleet extends AsyncDisposable {
  /** All servers in the order of the settings. Opens no connection. */
  list(): readonly McpServerStatus[];
  find(name: string): McpServerStatus | undefined;
  /** Like `list`, without facts that are stored in files. */
  glance(): readonly McpServerGlance[];
  /** The last listing of a server, from its connection or from the cache. Reads a file if it is not connected. */
  listing(name: string): McpListing | undefined;
  /** Connects in the background, all servers in parallel. `unknown`: only servers that are not in the cache. */
  start(which: "all" | "unknown"): void;
  /** Resolves when every started server has been listed or has failed once, and after `maxMs` in any case. */
  settled(maxMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Connects now, even to a server that is waiting for its next retry, signed out or disabled, and lists its tools
   * again.
   */
  connect(name: string, signal: AbortSignal): Promise<Result<McpServerStatus, McpFault>>;
  /**
   * Runs one exchange on the connection of a server: connects if necessary, waits a limited time for a reconnect,
   * respects the circuit breaker and the limit of one call at a time, and prevents recycling of the connection
   * meanwhile. If the connection turns out to be dead before the server got the request, the exchange runs once more on
   * a new one.
   */
  use<T>(
    name: string,
    exchange: (connection: McpConnection, entry: McpServerEntry) => Promise<Result<T, McpFault>>,
    options: McpUse,
  ): Promise<Result<T, McpFault>>;
  /** The calls that are currently waiting for this server. */
  runningCalls(name: string): readonly McpRunningCall[];
  /** A person accepts waiting tools: their current definitions are pinned. Undefined: all of them. */
  accept(name: string, tools?: readonly string[]): Promise<Result<McpServerStatus, string>>;
  /** The changes that `reload` would make. */
  differences(read: McpEntries): McpReload;
  /** The settings changed: new servers start, removed ones end, changed ones connect again. */
  reload(read: McpEntries): Promise<McpReload>;
  /** Ends the connection of a server that was removed or signed out and deletes its cache and pins. */
  forget(name: string): Promise<void>;
  /** Runs after the state, the tools or the prompts of a server changed. */
  onChange(listener: (name: string) => void): Disposable;
}

export type McpServerGlance = Omit<McpServerStatus, "tools" | "waiting" | "isUnconfined" | "log">;

export interface McpUse {
  readonly signal: AbortSignal;
  /** The call that needs it. Requests of the server belong to the session of this call. */
  readonly call?: McpRunningCall;
}

/** A call of a tool that runs on a connection. */
export interface McpRunningCall extends Pick<
  CallContext,
  "sessionId" | "callId" | "turnId" | "origin" | "principal" | "signal" | "progress"
> {
  /**
   * Pauses the timeouts of the call and of its parents while a person answers, until it is disposed. Pauses may
   * overlap.
   */
  pause(): Disposable;
}

/** Servers of the settings that can be used, and those that cannot. */
export interface McpEntries {
  readonly entries: readonly McpServerEntry[];
  readonly problems: readonly McpEntryProblem[];
}

export interface McpReload {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
}

/** Answers the requests of one server. */
export type AnswerMcpServer = (
  server: McpServerEntry,
  runningCalls: () => readonly McpRunningCall[],
) => McpServerRequests;
