import { readFileSync } from "node:fs";
import type { Agent } from "node:http";
import type { LookupFunction } from "node:net";

import { once } from "../async/once.ts";
import type { Clock } from "../clock.ts";
import { err, reasonOf, type Result, ok } from "../result.ts";
import { version } from "../version.ts";
import { exchange, type HttpExchange, type HttpResponse } from "./exchange.ts";
import type { HttpFailure } from "./http-failure.ts";
import { defaultTimeouts, type HttpTimeouts } from "./http-timeouts.ts";
import { createTunnelAgent, type TlsSecrets } from "./tunnel-agent.ts";

export interface HttpRequest {
  readonly method: string;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /**
   * If false, the request is never sent twice. Otherwise it is sent again if the server closed an idle connection at
   * the moment of reuse, because the server has probably not seen it.
   */
  readonly canRepeat?: boolean;
  /** The limit for the decompressed body. Default: the limit of the client. */
  readonly maxBytes?: number;
  /**
   * `same_origin`, the default, follows redirects within the origin and fails for others, so that headers and body
   * never reach another host. `returned` treats a redirect like any other response.
   */
  readonly redirects?: "same_origin" | "returned";
  /**
   * Connects to one of these addresses on a separate connection, without a name lookup. Certificates are checked
   * against the name. Ignored if a proxy connects.
   */
  readonly addresses?: readonly string[];
}

/** An HTTP client. It keeps connections open between requests; disposing closes them. */
export interface Http extends Disposable {
  /** Sends a request. Never rejects. A response with any status is a response. */
  send(
    request: HttpRequest,
    timeouts: Partial<HttpTimeouts>,
    signal: AbortSignal,
  ): Promise<Result<HttpResponse, HttpFailure>>;
  /** Whether requests to this URL go through a proxy. Also true if the proxy settings are invalid. */
  isProxied(url: URL): boolean;
}

export interface HttpDeps {
  readonly clock: Clock;
  /** The environment variables `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, in upper or lower case. */
  readonly proxyEnv?: ProxyEnv;
  /**
   * PEM files with certificate authorities to trust in addition to the default ones. They are read at the first https
   * request.
   */
  readonly caFiles?: readonly string[];
  readonly tls?: TlsSettings;
  /** The maximum bytes of the decompressed body. Default: 64 MB. */
  readonly maxBytes?: number;
}

/** Certificate files in PEM format, which are read at the first https request. */
export interface TlsSettings {
  /** If true, accepts any certificate of the server. */
  readonly isUnverified?: boolean;
  /** The client certificate file, which may also contain the key. */
  readonly certFile?: string;
  readonly keyFile?: string;
  readonly keyPassword?: string;
}

export function createHttp(deps: HttpDeps): Http {
  const { clock, caFiles = [], tls = {} } = deps;
  const agents = new Map<string, Agent>();
  const secrets = once(() => ({ ...readAuthorities(caFiles), ...readTls(tls) }));

  const proxyOf = (url: URL) => proxyFor(url, deps.proxyEnv ?? {});

  /** Creates an HTTP client. Throws if the settings of proxies or certificate authorities are invalid. */
  function routeTo(url: URL, addresses: readonly string[] | undefined): Pick<HttpExchange, "agent" | "lookup"> {
    const proxy = proxyOf(url);
    if (!proxy.ok) throw new Error(proxy.error);
    if (addresses && !proxy.value) return { agent: false, lookup: lookupOf(addresses) };
    const key = `${url.protocol} ${proxy.value?.href ?? ""}`;
    const agent = agents.get(key) ?? makeAgent(url.protocol === "https:", proxy.value);
    agents.set(key, agent);
    return { agent };
  }

  function makeAgent(secure: boolean, proxy: URL | undefined): Agent {
    const options = { keepAlive: true, maxFreeSockets: 8, ...(secure ? secrets() : {}) };
    if (secure && proxy) return createTunnelAgent(proxy, options);
    if (secure) return new (process.getBuiltinModule("node:https").Agent)(options);
    const through = proxy ? { proxyEnv: { HTTP_PROXY: proxy.href } } : {};
    return new (process.getBuiltinModule("node:http").Agent)({ ...options, ...through });
  }

  return {
    async send(request, limits, signal) {
      const timeouts = { ...defaultTimeouts, ...limits };
      const { method, body, canRepeat = true, maxBytes = deps.maxBytes ?? defaultMaxBytes } = request;
      // Some services reject requests without a user agent.
      const headers = { "user-agent": `hermes-agent-ts/${version}`, ...request.headers };
      let { url } = request;
      for (let hops = 0; ; hops++) {
        let route: Pick<HttpExchange, "agent" | "lookup">;
        try {
          route = routeTo(url, request.addresses);
        } catch (thrown) {
          return err({ kind: "network", message: reasonOf(thrown) });
        }
        const sent = { url, method, headers, body, canRepeat, ...route, timeouts, clock, maxBytes };
        const response = await exchange(sent, signal);
        if (!response.ok || request.redirects === "returned") return response;
        const next = redirectOf(response.value, request.method, hops);
        if (next === undefined) return response;
        response.value[Symbol.dispose]();
        if (!next.ok) return next;
        url = next.value;
      }
    },
    isProxied(url) {
      const proxy = proxyOf(url);
      return !proxy.ok || proxy.value !== undefined;
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

const defaultMaxBytes = 64 * 2 ** 20;

/** A lookup function that resolves every name to these addresses. */
export function lookupOf(addresses: readonly string[]): LookupFunction {
  const { isIP } = process.getBuiltinModule("node:net");
  const entries = addresses.map((address) => ({ address, family: isIP(address) }));
  return (host, { all }, done) => {
    const [first] = entries;
    if (first === undefined) done(new Error(`${host} has no address`), "");
    else if (all) done(null, entries);
    else done(null, first.address, first.family);
  };
}

function redirectOf({ status, headers, url }: HttpResponse, method: string, hops: number) {
  const { location } = headers;
  if (status < 300 || status > 399 || typeof location !== "string") return undefined;
  const refuse = (why: string): Result<URL, HttpFailure> => err({ kind: "redirected", message: why });
  const to = URL.parse(location, url.href);
  if (!to) return refuse(`${url.host} redirects to an address that cannot be read`);
  if (to.search === "") to.search = url.search;
  if (!isSameHost(url, to))
    return refuse(
      `${url.host} redirects to ${to.origin}, which is another host. The redirect was not followed, and no key was sent there`,
    );
  if (method !== "GET" && status !== 307 && status !== 308)
    return refuse(`${url.host} redirects to ${to.origin}${to.pathname} (status ${status}): use that as the base URL`);
  if (hops >= 5) return refuse(`${url.host} redirects in circles`);
  return { ok: true, value: to } as const;
}

/** Whether the target has the same origin, or the same host over https. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const upgrade = from.protocol === "http:" && to.protocol === "https:" && from.hostname === to.hostname;
  return upgrade && from.port === "" && to.port === "";
}

function readAuthorities(files: readonly string[]): { readonly ca?: string[] } {
  if (files.length === 0) return {};
  const { getCACertificates } = process.getBuiltinModule("node:tls");
  return { ca: [...getCACertificates("default"), ...files.map((file) => readPem("certificate authorities", file))] };
}

function readTls({ isUnverified, certFile, keyFile = certFile, keyPassword }: TlsSettings): TlsSecrets {
  return {
    ...(isUnverified && { rejectUnauthorized: false }),
    ...(certFile !== undefined && { cert: readPem("client certificate", certFile) }),
    ...(keyFile !== undefined && { key: readPem("client key", keyFile) }),
    ...(keyPassword !== undefined && { passphrase: keyPassword }),
  };
}

function readPem(what: string, file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (thrown) {
    throw new Error(`the ${what} of ${file} cannot be read: ${reasonOf(thrown)}`, { cause: thrown });
  }
}

export type ProxyEnv = Readonly<Record<string, string | undefined>>;

/**
 * The proxy for a URL, from `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY`, in upper or lower case. This
 * machine and metadata services of clouds use no proxy. An invalid setting is an error and never causes a direct
 * connection.
 */
export function proxyFor(url: URL, env: ProxyEnv): Result<URL | undefined, string> {
  const names = [url.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const name = names.find((one) => setting(env, one) !== undefined) ?? "";
  const value = setting(env, name);
  if (value === undefined || isOwn(url.hostname) || isExcluded(url, setting(env, "NO_PROXY") ?? ""))
    return ok(undefined);
  const proxy = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//iu.test(value) ? value : `http://${value}`);
  if (proxy === null || proxy.hostname === "") return err(`${name} is not the address of a proxy`);
  if (proxy.protocol === "http:" || proxy.protocol === "https:") return ok(proxy);
  return err(`${name}: proxies of the kind ${proxy.protocol}// are not supported, only http:// and https://`);
}

function setting(env: ProxyEnv, name: string): string | undefined {
  const value = (env[name.toLowerCase()] ?? env[name] ?? "").trim();
  return value === "" ? undefined : value;
}

function isOwn(hostname: string): boolean {
  return (
    ["localhost", "[::1]", "[fd00:ec2::254]", "[fd00:ec2::23]"].includes(hostname) ||
    /^(?:127\.\d+|169\.254)(?:\.\d+){2}$/u.test(hostname)
  );
}

/**
 * Matches `*`, `example.com` (with subdomains), `.example.com`, `*.example.com`, an address, a network `10.0.0.0/8`;
 * each optionally with a port.
 */
function isExcluded(url: URL, list: string): boolean {
  const { isIPv6 } = process.getBuiltinModule("node:net");
  const host = url.hostname.replaceAll(/^\[|\]$/gu, "").toLowerCase();
  const port = url.port || (url.protocol === "https:" ? "443" : "80");
  return list.split(/[\s,]+/u).some((entry) => {
    if (entry === "*") return true;
    const [, name = "", onlyPort = port] = isIPv6(entry) ? ["", entry] : (/^(.*?)(?::(\d+))?$/u.exec(entry) ?? []);
    const pattern = name.toLowerCase().replaceAll(/^\[|\]$/gu, "");
    if (pattern === "" || onlyPort !== port) return false;
    if (pattern.includes("/")) return isInNetwork(host, pattern);
    const suffix = pattern.replace(/^\*?\./u, "");
    return host === suffix || host.endsWith(`.${suffix}`);
  });
}

function isInNetwork(host: string, network: string): boolean {
  const { BlockList, isIP, isIPv6 } = process.getBuiltinModule("node:net");
  const [base = "", bits = ""] = network.split("/");
  const family = isIPv6(base) ? "ipv6" : "ipv4";
  const length = Number(bits);
  if (isIP(base) === 0 || isIP(host) === 0 || !Number.isInteger(length) || length > (family === "ipv6" ? 128 : 32))
    return false;
  const list = new BlockList();
  list.addSubnet(base, length, family);
  return list.check(host, isIPv6(host) ? "ipv6" : "ipv4");
}
