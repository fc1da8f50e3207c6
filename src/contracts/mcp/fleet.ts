import type { Result } from "../../base/result.ts";
import type { CallContext } from "../tool/tool.ts";
import type { McpConnection, McpFault, McpServerRequests } from "./connection.ts";
import type { McpListing } from "./definitions.ts";
import type { McpEntryProblem, McpServerEntry } from "./server-entry.ts";
import type { McpServerStatus } from "./status.ts";

/**
 * All MCP servers in the settings, shared by one program. No function rejects; an unknown server is reported as a
 * fault.
 */
export interface McpFleet extends AsyncDisposable {
  /** All servers in the order of the settings. Opens no connection. */
  list(): readonly McpServerStatus[];
  find(name: string): McpServerStatus | undefined;
  /** Like `list`, but without information that is stored in files. */
  glance(): readonly McpServerGlance[];
  /**
   * The last tool list of a server, from its connection or from the cache. Reads a file if the server is not connected.
   */
  listing(name: string): McpListing | undefined;
  /**
   * Connects to all servers in parallel in the background. `unknown`: connects only to servers that are not in the
   * cache.
   */
  start(which: "all" | "unknown"): void;
  /** Resolves when every server that was started has listed its tools or failed once, at the latest after `maxMs`. */
  settled(maxMs: number, signal: AbortSignal): Promise<void>;
  /**
   * Connects to the server now, even if it waits for its next retry, is signed out or disabled, and lists its tools
   * again.
   */
  connect(name: string, signal: AbortSignal): Promise<Result<McpServerStatus, McpFault>>;
  /**
   * Runs one exchange on the connection of a server: connects if necessary, waits a limited time for a reconnect,
   * respects the circuit breaker and the limit of one call at a time, and keeps the connection open meanwhile. If the
   * connection turns out to be dead before the server received the request, the exchange runs once more on a new
   * connection.
   */
  use<T>(
    name: string,
    exchange: (connection: McpConnection, entry: McpServerEntry) => Promise<Result<T, McpFault>>,
    options: McpUse,
  ): Promise<Result<T, McpFault>>;
  /** The tool calls that are waiting for a response of this server. */
  runningCalls(name: string): readonly McpRunningCall[];
  /**
   * Called when a person accepts new or changed tools: pins their current definitions. Default: all tools of the
   * server.
   */
  accept(name: string, tools?: readonly string[]): Promise<Result<McpServerStatus, string>>;
  /** Returns the changes that `reload` would make. */
  differences(read: McpEntries): McpReload;
  /** Applies changed settings: starts new servers, stops removed servers and reconnects changed servers. */
  reload(read: McpEntries): Promise<McpReload>;
  /** Closes the connection of a server that was removed or signed out, and deletes its cache and pins. */
  forget(name: string): Promise<void>;
  /** Calls the listener after the state, the tools or the prompts of a server changed. */
  onChange(listener: (name: string) => void): Disposable;
}

export type McpServerGlance = Omit<McpServerStatus, "tools" | "waiting" | "isUnconfined" | "log">;

export interface McpUse {
  readonly signal: AbortSignal;
  /** The tool call that needs the connection. Requests of the server belong to the session of this call. */
  readonly call?: McpRunningCall;
}

/** A call of a tool that runs on a connection. */
export interface McpRunningCall extends Pick<
  CallContext,
  "sessionId" | "callId" | "turnId" | "origin" | "principal" | "signal" | "progress"
> {
  /**
   * Pauses the timeouts of the call and of its parent calls while a person answers, until the result is disposed.
   * Pauses may overlap.
   */
  pause(): Disposable;
}

/** The configured servers that can be used, and those whose settings are invalid. */
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
