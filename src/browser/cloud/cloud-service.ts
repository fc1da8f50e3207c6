import { isObject, type JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { callApi, type CallFault } from "../../contracts/web/call-api.ts";

/** A browser that a service runs and bills until it is closed. */
export interface CloudBrowser {
  readonly id: string;
  /** The WebSocket URL of the DevTools protocol. It contains a credential and must never be shown. */
  readonly cdpUrl: string;
  /** The URL where the user can watch. */
  readonly watchUrl?: string;
  /** Features that were not requested because the account does not have them. */
  readonly leftOut: readonly string[];
}

export interface CloudAccess {
  readonly web: Web;
  /** Reads a variable from the home's `.env` or from the environment. */
  readonly variable: (name: string) => string | undefined;
}

/** A service that opens browsers over HTTP. */
export interface CloudService {
  /** The name used in `browser.backend`. */
  readonly id: string;
  readonly title: string;
  /** The environment variables that must all be set. */
  readonly keyVars: readonly string[];
  open(access: CloudAccess, signal: AbortSignal): Promise<Result<CloudBrowser, CallFault>>;
  /** Closes a browser. Closing a closed browser succeeds. */
  close(access: CloudAccess, id: string, signal: AbortSignal): Promise<Result<void, CallFault>>;
}

export interface CloudRequest {
  readonly service: string;
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly json?: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly keyVar: string;
  /** The address of the API, and the variable that replaces it. */
  readonly base: string;
  readonly baseVar: string;
}

/** The JSON object of an answer. */
export async function cloudCall(
  { web, variable }: CloudAccess,
  request: CloudRequest,
  signal: AbortSignal,
): Promise<Result<Record<string, unknown>, CallFault>> {
  const named = variable(request.baseVar) ?? "";
  const answered = await callApi(
    web,
    {
      service: request.service,
      url: `${(named === "" ? request.base : named).replace(/\/+$/u, "")}${request.path}`,
      method: request.method,
      headers: request.headers,
      ...(request.json !== undefined && { json: request.json }),
      keyVar: request.keyVar,
      isNamedBySettings: named !== "",
      timeoutMs: callTimeoutMs,
      maxBytes: 1_000_000,
    },
    signal,
  );
  if (!answered.ok) return answered;
  const json = answered.value.json();
  return ok(isObject(json) ? json : {});
}

const callTimeoutMs = 60_000;

/** Reads the browser from a response. A socket without TLS is accepted only from a server in the settings. */
export function openedBrowser(
  service: string,
  fields: { readonly id: unknown; readonly cdpUrl: unknown; readonly watchUrl?: unknown },
  { isNamedBySettings, leftOut = [] }: { readonly isNamedBySettings: boolean; readonly leftOut?: readonly string[] },
): Result<CloudBrowser, CallFault> {
  const { id, cdpUrl, watchUrl } = fields;
  const url = typeof cdpUrl === "string" ? URL.parse(cdpUrl) : null;
  if (typeof id !== "string" || id === "" || url === null)
    return err({
      kind: "unavailable",
      message: `${service} opened a browser, but did not say where. Try again later.`,
    });
  const isSafe = /^(?:wss|https):$/u.test(url.protocol);
  if (!isSafe && !(isNamedBySettings && /^(?:ws|http):$/u.test(url.protocol)))
    return err({
      kind: "refused",
      message: `${service} gave an address that is not encrypted (${url.protocol}//${url.host}).`,
    });
  return ok({
    id,
    cdpUrl: url.href,
    ...(typeof watchUrl === "string" && /^https?:/u.test(watchUrl) && { watchUrl }),
    leftOut,
  });
}

/** Whether the error means that the browser was closed already or has expired. */
export function closedAlready(result: Result<unknown, CallFault>): Result<void, CallFault> {
  if (result.ok || result.error.status === 404 || result.error.status === 410) return ok(undefined);
  return result;
}

/** The WebSocket URL of a browser whose service returns an HTTP address, such as `https://HOST`. */
export async function socketOf(
  { web }: CloudAccess,
  service: string,
  browser: CloudBrowser,
  isNamedBySettings: boolean,
  signal: AbortSignal,
): Promise<Result<CloudBrowser, CallFault>> {
  if (/^wss?:/u.test(browser.cdpUrl)) return ok(browser);
  const base = new URL(browser.cdpUrl);
  base.pathname = `${base.pathname.replace(/\/+$/u, "")}/json/version`;
  const answered = await callApi(web, { service, url: base.href, isNamedBySettings, timeoutMs: callTimeoutMs }, signal);
  if (!answered.ok) return answered;
  const json = answered.value.json();
  const cdpUrl = isObject(json) ? json["webSocketDebuggerUrl"] : undefined;
  return openedBrowser(service, { id: browser.id, cdpUrl, watchUrl: browser.watchUrl }, { isNamedBySettings });
}
