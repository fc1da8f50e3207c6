import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ContentPart } from "../model/message.ts";
import type { McpListing, McpResource } from "./definitions.ts";
import type { McpServerEntry } from "./server-entry.ts";

/** One open connection to a server. It is never reopened: a new one replaces it. No function rejects. */
export interface McpConnection extends AsyncDisposable {
  /** Resolves once when the connection has ended for any reason. */
  readonly closed: Promise<{ readonly reason: string }>;
  readonly isOpen: boolean;
  list(limits: McpLimits): Promise<Result<McpListing, McpFault>>;
  call(tool: string, args: JsonObject, limits: McpCallLimits): Promise<Result<McpCallResult, McpFault>>;
  listResources(limits: McpLimits): Promise<Result<readonly McpResource[], McpFault>>;
  readResource(uri: string, limits: McpLimits): Promise<Result<readonly ContentPart[], McpFault>>;
  /** The messages of a prompt as one text for the model, with its images. */
  getPrompt(
    name: string,
    args: Readonly<Record<string, string>>,
    limits: McpLimits,
  ): Promise<Result<readonly ContentPart[], McpFault>>;
  /** Values for an argument of a prompt or a variable of a resource template. */
  complete(request: McpCompletion, limits: McpLimits): Promise<Result<readonly string[], McpFault>>;
  /** Checks that the server responds. A server without support for pings gets another request instead. */
  ping(limits: McpLimits): Promise<Result<void, McpFault>>;
  /** Called when the server reports that its tools, prompts or resources changed. */
  onListChanged(listener: () => void): Disposable;
}

export interface McpLimits {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /**
   * The total time in milliseconds that a person spent answering questions of the server. It does not count towards the
   * timeout.
   */
  readonly pausedMs?: () => number;
}

export interface McpCallLimits extends McpLimits {
  /** Reports the progress of the running call in one line. Also restarts the timeout. */
  readonly onProgress?: (note: string) => void;
  /** The output schema from an earlier tool list. Used if this connection has not listed the tool. */
  readonly outputSchema?: JsonObject;
}

export interface McpCallResult {
  readonly content: readonly ContentPart[];
  /** Structured data, validated against the output schema of the tool if it has one. */
  readonly structured?: JsonValue;
  /** Metadata of the result, without reserved keys. */
  readonly meta?: JsonObject;
  /** True if the tool failed although the connection works. */
  readonly isError: boolean;
}

export interface McpCompletion {
  readonly of: { readonly prompt: string } | { readonly resource: string };
  readonly argument: string;
  readonly value: string;
  readonly others?: Readonly<Record<string, string>>;
}

/**
 * Why a request has no result. Only `transport` and `timeout` count against the server.
 * - `transport`: the connection failed or ended.
 * - `session`: the server no longer knows the session; a new connection helps.
 * - `auth`: signing in is necessary.
 * - `server`: the server answered with an error.
 * - `malformed`: the answer breaks the protocol or a limit.
 * - `off`: the settings do not allow the server, or a person has to accept it first.
 */
export interface McpFault {
  readonly kind: "transport" | "timeout" | "aborted" | "session" | "auth" | "server" | "malformed" | "off";
  /** Says which server failed, what happened and what to do. Secrets are masked. */
  readonly message: string;
  /** False if the server never received the request. */
  readonly isSent: boolean;
}

/** Handles requests that a server sends to Hermes. No function rejects. */
export interface McpServerRequests {
  sample(request: JsonObject, signal: AbortSignal): Promise<Result<JsonObject, McpRefusal>>;
  elicit(request: JsonObject, signal: AbortSignal): Promise<Result<JsonObject, McpRefusal>>;
  /** The folders that the server may work in. */
  roots(): readonly { readonly uri: string; readonly name: string }[];
  log(entry: { readonly level: string; readonly logger?: string; readonly text: string }): void;
}

/** A refusal that is sent to the server. */
export interface McpRefusal {
  readonly message: string;
  /** The JSON-RPC error code. Default: -1, the user rejected the request. */
  readonly code?: number;
}

/** Opens a connection within `connectTimeoutMs`. Never rejects. */
export type ConnectMcp = (
  entry: McpServerEntry,
  requests: McpServerRequests,
  signal: AbortSignal,
) => Promise<Result<McpConnection, McpFault>>;
