import type { Clock } from "../clock.ts";
import { isObject, type JsonObject, type JsonValue, parsedJson } from "../json.ts";
import { err, ok, reasonOf, type Result } from "../result.ts";
import { createLineReader } from "../text/line-reader.ts";
import { createDeadlines } from "./deadlines.ts";

/** One side of a JSON-RPC 2.0 connection, one message per line. Both sides send requests and notifications. */
export interface RpcConnection {
  /** Sends a request. Never rejects. Any number of requests may be pending; responses arrive in any order. */
  request(method: string, params: JsonObject, limits?: RpcRequestLimits): Promise<Result<JsonValue, RpcFailure>>;
  notify(method: string, params: JsonObject): void;
  /** Feeds bytes from the peer, in chunks of any size. */
  receive(bytes: Buffer): void;
  /** Aborts the handler of a request that the peer has cancelled. Its response is still sent. */
  cancelHandler(id: RpcId): void;
  /** Settles every pending request as closed and aborts every running handler. */
  close(): void;
  isClosed(): boolean;
}

export type RpcId = string | number;

export interface RpcRequestLimits {
  /** Optional only for callers that cancel with a protocol message and then wait for the response. */
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

export type RpcFailure =
  | ({ readonly kind: "refused" } & RpcError)
  | { readonly kind: "closed" | "aborted" | "timeout" };

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface IncomingRequest {
  readonly id: RpcId;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Aborted by `cancelHandler`, and when the connection closes. */
  readonly signal: AbortSignal;
}

export interface RpcHandlers {
  /** Handles requests, in parallel. If undefined, every request is rejected as an unknown method. */
  readonly onRequest?: (request: IncomingRequest) => Promise<Result<JsonValue, RpcError>>;
  readonly onNotification?: (method: string, params: Readonly<Record<string, unknown>>) => void;
  /** Called for every line that arrives, whatever its content. */
  readonly onActivity?: () => void;
  /** Called when the peer broke the protocol, before the connection closes. `reason` completes "the program …". */
  readonly onViolation?: (reason: string) => void;
  /** Builds the notification that cancels a request at the peer. */
  readonly cancellation?: (id: number) => { readonly method: string; readonly params: JsonObject };
  /** Called if the peer does not respond to a cancelled request in time. */
  readonly onIgnoredCancel?: { readonly graceMs: number; readonly run: () => void };
  /** The maximum length of a line. Default: 32 MB. */
  readonly maxLineChars?: number;
}

export interface RpcDeps {
  /** Sends one line, including its line end. Must not throw. */
  readonly send: (line: string) => void;
  readonly clock: Clock;
}

export function createRpcConnection(handlers: RpcHandlers, { send, clock }: RpcDeps): RpcConnection {
  const pending = new Map<number, (outcome: Result<JsonValue, RpcFailure>) => void>();
  const deadlines = createDeadlines(clock);
  const running = new Map<RpcId, AbortController>();
  /** Cancelled requests without a response. */
  const cancelled = new Map<number, Disposable>();
  let lastId = 0;
  let foreignLines = 0;
  let isClosed = false;

  /** `members` is the JSON text of the members after the version. */
  function post(members: string): void {
    if (!isClosed) send(`{"jsonrpc":"2.0",${members}}\n`);
  }

  function notify(method: string, params: JsonObject): void {
    post(`"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`);
  }

  function postError(id: RpcId | null, error: RpcError): void {
    post(`"id":${JSON.stringify(id)},"error":${JSON.stringify(error)}`);
  }

  function close(): void {
    if (isClosed) return;
    isClosed = true;
    for (const settle of pending.values()) settle(err({ kind: "closed" }));
    for (const handler of running.values()) handler.abort(new Error("the connection was closed"));
    for (const timer of cancelled.values()) timer[Symbol.dispose]();
    deadlines[Symbol.dispose]();
  }

  function cancel(id: number): void {
    if (!handlers.cancellation || isClosed) return;
    const { method, params } = handlers.cancellation(id);
    notify(method, params);
    const { onIgnoredCancel } = handlers;
    if (onIgnoredCancel) cancelled.set(id, clock.after(onIgnoredCancel.graceMs, onIgnoredCancel.run));
  }

  function fail(reason: string): void {
    if (isClosed) return;
    handlers.onViolation?.(reason);
    close();
  }

  function readLine(line: string): void {
    if (isClosed || line.trim() === "") return;
    handlers.onActivity?.();
    const message = parseMessage(line);
    if (message) return readMessage(message);
    foreignLines += 1;
    if (foreignLines > maxForeignLines) fail(`sent ${foreignLines} lines that are not JSON-RPC`);
  }

  function readMessage(message: Readonly<Record<string, unknown>>): void {
    const { id, method } = message;
    if (!("method" in message)) return settleResponse(message);
    if (typeof method !== "string" || !(id === undefined || id === null || isRpcId(id))) {
      const error = { code: rpcCodes.invalidRequest, message: "not a valid request" };
      return postError(isRpcId(id) ? id : null, error);
    }
    const params = isObject(message["params"]) ? message["params"] : {};
    if (id === undefined || id === null) handlers.onNotification?.(method, params);
    else void handle(id, method, params);
  }

  async function handle(id: RpcId, method: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    const outcome = await respond(id, method, params);
    if (outcome.ok) return post(`"id":${JSON.stringify(id)},"result":${JSON.stringify(outcome.value) ?? "null"}`);
    const { code, message, data } = outcome.error;
    // A handler may attach any value to an error; a value without a JSON form is omitted.
    postError(id, { code, message, data });
  }

  async function respond(
    id: RpcId,
    method: string,
    params: Readonly<Record<string, unknown>>,
  ): Promise<Result<JsonValue, RpcError>> {
    if (!handlers.onRequest)
      return err({ code: rpcCodes.methodNotFound, message: `the method ${method} does not exist` });
    if (running.has(id)) return err({ code: rpcCodes.invalidRequest, message: `the id ${id} is in use` });
    if (running.size >= maxRunning) return err({ code: rpcCodes.internalError, message: "too many requests at once" });
    const controller = new AbortController();
    running.set(id, controller);
    try {
      return await handlers.onRequest({ id, method, params, signal: controller.signal });
    } catch (thrown) {
      return err({ code: rpcCodes.internalError, message: reasonOf(thrown) });
    } finally {
      running.delete(id);
    }
  }

  function settleResponse({ id, result, error }: Readonly<Record<string, unknown>>): void {
    const settle = typeof id === "number" ? pending.get(id) : undefined;
    if (!settle && typeof id === "number") {
      cancelled.get(id)?.[Symbol.dispose]();
      cancelled.delete(id);
    }
    // The cast is safe: the value was parsed from JSON.
    if (!isObject(error)) return settle?.(ok((result ?? null) as JsonValue));
    const { code, message, data } = error;
    settle?.(
      err({
        kind: "refused",
        code: typeof code === "number" ? code : 0,
        message: typeof message === "string" ? message : "",
        ...(data !== undefined && { data }),
      }),
    );
  }

  const maxChars = handlers.maxLineChars ?? defaultMaxLineChars;
  const lines = createLineReader(maxChars, readLine, (max) => fail(`sent a line of more than ${max >> 20} MB`));

  return {
    request(method, params, { signal, timeoutMs } = {}) {
      if (isClosed) return Promise.resolve(err({ kind: "closed" }));
      if (signal?.aborted) return Promise.resolve(err({ kind: "aborted" }));
      const id = (lastId += 1);
      return new Promise((resolve) => {
        const settle = (outcome: Result<JsonValue, RpcFailure>) => {
          pending.delete(id);
          deadlines.remove(id);
          signal?.removeEventListener("abort", onAbort);
          resolve(outcome);
        };
        const giveUp = (kind: "aborted" | "timeout") => {
          settle(err({ kind }));
          cancel(id);
        };
        const onAbort = () => giveUp("aborted");
        if (timeoutMs !== undefined) deadlines.add(id, timeoutMs, () => giveUp("timeout"));
        signal?.addEventListener("abort", onAbort);
        pending.set(id, settle);
        post(`"id":${id},"method":${JSON.stringify(method)},"params":${JSON.stringify(params)}`);
      });
    },
    notify,
    receive: (bytes) => lines.push(bytes),
    cancelHandler: (id) => running.get(id)?.abort(new Error("the request was cancelled")),
    close,
    isClosed: () => isClosed,
  };
}

/** The error codes of the JSON-RPC standard. */
export const rpcCodes = {
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
} as const;

/** Some lines are tolerated, because some programs print greetings or warnings on the wrong stream. */
const maxForeignLines = 200;
const defaultMaxLineChars = 32 * 2 ** 20;
const maxRunning = 1_000;

function isRpcId(value: unknown): value is RpcId {
  return typeof value === "string" || typeof value === "number";
}

function parseMessage(line: string): Record<string, unknown> | undefined {
  const value = parsedJson(line);
  return isObject(value) && ("method" in value || "id" in value) ? value : undefined;
}
