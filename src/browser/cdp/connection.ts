import type { Clock } from "../../base/clock.ts";
import { isObject, parsedJson } from "../../base/json.ts";
import { createDeadlines } from "../../base/rpc/deadlines.ts";

/** Sends and receives complete messages of a browser. */
export interface CdpWire {
  send(text: string): void;
  /** Starts receiving; called once, before anything is sent. `onEnd` is called once, with the reason. */
  listen(onMessage: (text: string) => void, onEnd: (reason: string) => void): void;
  close(): void;
}

export type CdpParams = Readonly<Record<string, unknown>>;

/** The Chrome DevTools Protocol over one connection, for the browser and all its attached sessions. */
export interface CdpConnection extends Disposable {
  /** Rejects with a `CdpError` if the browser refuses, the session ends, or no response arrives in time. */
  send<T = unknown>(method: string, params?: CdpParams, sessionId?: string): Promise<T>;
  /** Calls the listener for this event of the browser and of every session. */
  on(event: string, listener: (params: CdpParams, sessionId: string | undefined) => void): Disposable;
  /** The commands and events of one attached target. */
  session(sessionId: string): CdpSession;
  /** Resolves with the reason when the connection has ended. */
  readonly closed: Promise<string>;
}

export interface CdpSession {
  readonly id: string;
  /** `timeoutMs` replaces the default time limit of the connection. */
  send<T = unknown>(method: string, params?: CdpParams, timeoutMs?: number): Promise<T>;
  on(event: string, listener: (params: CdpParams) => void): Disposable;
}

/** A command that the browser did not execute. */
export class CdpError extends Error {
  readonly kind: "refused" | "ended" | "timeout";
  readonly method: string;

  constructor(kind: CdpError["kind"], method: string, message: string) {
    super(message);
    this.kind = kind;
    this.method = method;
  }
}

interface Pending {
  readonly method: string;
  readonly sessionId: string | undefined;
  readonly resolve: (value: never) => void;
  readonly reject: (error: CdpError) => void;
}

type Listener = (params: CdpParams, sessionId: string | undefined) => void;

export function connectCdp(
  wire: CdpWire,
  { clock, timeoutMs = defaultTimeoutMs }: { readonly clock: Clock; readonly timeoutMs?: number },
): CdpConnection {
  const pending = new Map<number, Pending>();
  const listeners = new Map<string, Set<Listener>>();
  const deadlines = createDeadlines(clock);
  const { promise: closed, resolve: setClosed } = Promise.withResolvers<string>();
  let lastId = 0;
  let endReason: string | undefined;

  function settle(id: number): Pending | undefined {
    const command = pending.get(id);
    pending.delete(id);
    deadlines.remove(id);
    return command;
  }

  function failAll(isAffected: (command: Pending) => boolean, reason: string): void {
    for (const [id, command] of pending) {
      if (!isAffected(command)) continue;
      settle(id);
      command.reject(new CdpError("ended", command.method, reason));
    }
  }

  function end(reason: string): void {
    if (endReason !== undefined) return;
    endReason = reason;
    failAll(() => true, reason);
    deadlines[Symbol.dispose]();
    setClosed(reason);
  }

  function emit(event: string, params: CdpParams, sessionId: string | undefined): void {
    for (const key of [event, keyOf(event, sessionId)]) {
      for (const listener of listeners.get(key) ?? []) listener(params, sessionId);
    }
    // A target that no longer exists sends no response, so its commands are rejected here.
    if (event === "Target.detachedFromTarget")
      failAll(({ sessionId: id }) => id !== undefined && id === params["sessionId"], "the page was closed");
    if (event === "Inspector.targetCrashed")
      failAll(({ sessionId: id }) => id !== undefined && id === sessionId, "the page crashed");
  }

  wire.listen((text) => {
    const message = parsedJson(text);
    if (!isObject(message)) return;
    const { id, method, params, result, error, sessionId } = message;
    if (typeof id === "number") {
      const command = settle(id);
      if (isObject(error)) command?.reject(refusal(command.method, error));
      // The caller names the type of the result.
      else command?.resolve((result ?? {}) as never);
    } else if (typeof method === "string") {
      emit(method, isObject(params) ? params : {}, typeof sessionId === "string" ? sessionId : undefined);
    }
  }, end);

  async function send<T>(method: string, params: CdpParams, sessionId?: string, ms = timeoutMs): Promise<T> {
    if (endReason !== undefined) throw new CdpError("ended", method, endReason);
    const id = ++lastId;
    return new Promise<T>((resolve, reject) => {
      pending.set(id, { method, sessionId, resolve, reject });
      deadlines.add(id, ms, () => {
        settle(id);
        reject(new CdpError("timeout", method, `the browser did not answer ${method} in ${ms / 1000} s`));
      });
      wire.send(JSON.stringify({ id, method, params, ...(sessionId !== undefined && { sessionId }) }));
    });
  }

  function on(key: string, listener: Listener): Disposable {
    const set = listeners.get(key) ?? new Set();
    listeners.set(key, set.add(listener));
    return {
      [Symbol.dispose]() {
        set.delete(listener);
        if (set.size === 0 && listeners.get(key) === set) listeners.delete(key);
      },
    };
  }

  return {
    send: async (method, params = {}, sessionId) => send(method, params, sessionId),
    on,
    session: (sessionId) => ({
      id: sessionId,
      send: async (method, params = {}, ms) => send(method, params, sessionId, ms),
      on: (event, listener) => on(keyOf(event, sessionId), listener),
    }),
    closed,
    [Symbol.dispose]() {
      end("the connection to the browser was closed");
      wire.close();
    },
  };
}

const defaultTimeoutMs = 30_000;

function keyOf(event: string, sessionId: string | undefined): string {
  return `${sessionId ?? ""} ${event}`;
}

function refusal(method: string, { message, data }: Record<string, unknown>): CdpError {
  const reason = typeof message === "string" ? message : "the browser refused it";
  return new CdpError("refused", method, typeof data === "string" && data !== "" ? `${reason}: ${data}` : reason);
}
