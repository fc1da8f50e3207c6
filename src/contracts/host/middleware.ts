import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonObject } from "../../base/json.ts";
import type { AssistantMessage } from "../model/message.ts";
import type { ModelRequest, Usage } from "../model/model.ts";
import type { ToolResult } from "../tool/tool-result.ts";

/**
 * Middleware can change requests and executions, while hooks only observe or block. Request middleware gets a copy and
 * may return a new value; the next middleware gets that value, and the last valid value is used. Execution middleware
 * wraps the rest of the call: `next` runs it, once. If the middleware fails before it calls `next`, the call continues
 * without it; if it fails afterwards, the result of `next` is used.
 */
export interface Middleware {
  /** Runs before hooks and policy. New arguments are validated and checked like those of the model. */
  toolRequest?(call: MiddlewareCall, signal: AbortSignal): Changed<{ readonly args: JsonObject }>;
  /**
   * Wraps the execution of an allowed call. If `next` gets other arguments, the call is validated and checked again.
   */
  toolExecution?(
    call: MiddlewareCall,
    next: (args?: JsonObject) => Promise<ToolResult>,
    signal: AbortSignal,
  ): Promise<ToolResult>;
  modelRequest?(call: MiddlewareRequest, signal: AbortSignal): Changed<{ readonly request: ModelRequest }>;
  /** Wraps one request with its retries and fallbacks. `next` rejects if there is no answer. */
  modelExecution?(
    call: MiddlewareRequest,
    next: (request?: ModelRequest) => Promise<ModelAnswer>,
    signal: AbortSignal,
  ): Promise<ModelAnswer>;
}

type Changed<T> = Promise<(T & ChangeNote) | undefined> | (T & ChangeNote) | undefined;

export type MiddlewareName = keyof Middleware;

/** The middleware that changed a request, and its reason. Passed to hooks. */
export interface ChangeNote {
  readonly name?: string;
  readonly source?: string;
  readonly reason?: string;
}

interface InSession {
  readonly sessionId: SessionId;
  readonly turnId?: TurnId;
  readonly requestId?: string;
}

export interface MiddlewareCall extends InSession {
  readonly callId: CallId;
  readonly parentCallId?: CallId;
  readonly tool: string;
  readonly args: JsonObject;
  /** The arguments before any middleware. */
  readonly originalArgs: JsonObject;
}

export interface MiddlewareRequest extends InSession {
  readonly request: ModelRequest;
  /** The request before any middleware. */
  readonly originalRequest: ModelRequest;
  readonly provider: string;
  readonly callCount: number;
}

export interface ModelAnswer {
  readonly message: AssistantMessage;
  readonly usage: Usage;
}

export interface RegisteredMiddleware<K extends MiddlewareName> {
  readonly owner: string;
  /** The timeout of the middleware itself, without the time that `next` takes. */
  readonly timeoutMs: number;
  readonly run: NonNullable<Middleware[K]>;
}
