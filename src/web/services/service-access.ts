import { isObject, type JsonValue } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Web } from "../../contracts/safety/web.ts";
import type { ServiceTarget } from "../../contracts/tool/effect.ts";
import { callApi, type CallFault } from "../../contracts/web/call-api.ts";
import type { ToolGateway } from "../../contracts/web/tool-gateway.ts";
import type { ServiceRow } from "./service-row.ts";

/** The sources of keys, and access to the services. */
export interface ServiceDeps {
  readonly web: Web;
  /** A value of the home's `.env` or the process environment. */
  secret(name: string): string | undefined;
  readonly gateway: ToolGateway;
  /** `web.use_gateway`. */
  readonly usesGateway: boolean;
  /** The token of a signed-in xAI account. Undefined if there is no sign-in. Never rejects. */
  xaiAccount(signal: AbortSignal): Promise<Result<string> | undefined>;
}

/** A service with its address and key. */
export interface OpenedService {
  /** The source of the key: a variable, `gateway`, `xai-oauth`. */
  readonly source: string;
  readonly baseUrl: string;
  /** Sends a request and returns the parsed answer. Never rejects. */
  call(request: ServiceRequest, signal: AbortSignal): Promise<Result<Readonly<Record<string, unknown>>, CallFault>>;
}

export interface ServiceRequest {
  /** The path after the base URL: `/search`. */
  readonly path: string;
  /** The body of the request. Undefined for a GET request. */
  readonly json?: JsonValue;
  readonly timeoutMs?: number;
}

/** Whether its own key or address is set. */
export function isConfigured(row: ServiceRow, { secret }: Pick<ServiceDeps, "secret">): boolean {
  const [key = "", address = ""] = [secret(row.keyVar), secret(row.addressVar)];
  return key !== "" || (row.isKeyOptional === true && address !== "");
}

/** Whether the gateway replaces its own key. */
export function isThroughGateway({ gateway: vendor }: ServiceRow, deps: ServiceDeps): boolean {
  return vendor !== undefined && (deps.usesGateway || deps.gateway.isSetUpFor(vendor));
}

/** The service with the gateway's, an account's or its own key. `more`: headers for a request without a key. */
export async function openService(
  row: ServiceRow,
  deps: ServiceDeps,
  signal: AbortSignal,
  more?: Readonly<Record<string, string>>,
): Promise<Result<OpenedService, CallFault>> {
  const address = (deps.secret(row.addressVar) ?? "").trim().replace(/\/+$/u, "");
  const own = { baseUrl: address === "" ? row.baseUrl : address, isNamedBySettings: address !== "" };
  const isOwn = isConfigured(row, deps);
  if (row.gateway !== undefined && (deps.usesGateway || (!isOwn && isThroughGateway(row, deps)))) {
    const access = await deps.gateway.access(row.gateway, signal);
    if (!access.ok) return err({ kind: "key", message: access.error.message });
    const { baseUrl, token, isNamedBySettings } = access.value;
    const headers = { authorization: `Bearer ${token}` };
    return ok(opened(row, deps.web, { baseUrl, isNamedBySettings, headers, source: "gateway" }));
  }
  const account = row.name === "xai" ? await deps.xaiAccount(signal) : undefined;
  if (account?.ok) {
    const headers = { authorization: `Bearer ${account.value}` };
    return ok(opened(row, deps.web, { ...own, headers, source: "xai-oauth" }));
  }
  const key = (deps.secret(row.keyVar) ?? "").trim();
  if (key === "" && !isOwn && more === undefined)
    return err({ kind: "key", message: account ? account.error.message : missingKey(row) });
  const headers =
    key === "" ? (more ?? {}) : { [row.keyHeader]: row.keyHeader === "authorization" ? `Bearer ${key}` : key };
  return ok(opened(row, deps.web, { ...own, headers, source: key === "" ? "no key" : row.keyVar }));
}

/** The server that `openService` connects to; empty if it cannot be used. */
export async function openedTargets(
  ...[row, deps, signal, more]: Parameters<typeof openService>
): Promise<readonly ServiceTarget[]> {
  const service = await openService(row, deps, signal, more);
  return service.ok ? [{ url: service.value.baseUrl }] : [];
}

/** Advice for a person without a key. */
function missingKey({ name, title, keyVar, keysUrl }: ServiceRow): string {
  const account = name === "xai" ? "Sign in: hermes auth add xai-oauth --oauth. Or set" : "Set";
  return `${title} needs a key. ${account} one: hermes config set ${keyVar} … (keys: ${keysUrl}).`;
}

function opened(
  { title, keyVar }: ServiceRow,
  web: Web,
  access: {
    readonly baseUrl: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly isNamedBySettings: boolean;
    readonly source: string;
  },
): OpenedService {
  const { baseUrl, headers, isNamedBySettings, source } = access;
  return {
    source,
    baseUrl,
    async call({ path, json, timeoutMs = defaultTimeoutMs }, signal) {
      const answered = await callApi(
        web,
        {
          service: source === "gateway" ? `${title} (Nous tool gateway)` : title,
          url: `${baseUrl}${path}`,
          headers,
          ...(json !== undefined && { json }),
          ...(source === keyVar && { keyVar }),
          isNamedBySettings,
          timeoutMs,
          maxBytes,
        },
        signal,
      );
      if (!answered.ok) return answered;
      const body = answered.value.json();
      if (isObject(body)) return ok(body);
      return err({ kind: "unavailable", message: `${title} sent an answer that cannot be read. Try again later.` });
    },
  };
}

const defaultTimeoutMs = 60_000;
const maxBytes = 20 * 2 ** 20;
