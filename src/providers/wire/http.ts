import { readFileSync } from "node:fs";
import type { Agent } from "node:http";

import { once } from "../../base/async/once.ts";
import type { Clock } from "../../base/clock.ts";
import { err, reasonOf, type Result } from "../../base/result.ts";
import { version } from "../../base/version.ts";
import { usualTimeouts, type WireTimeouts } from "../endpoint.ts";
import { exchange, type HttpAnswer } from "./exchange.ts";
import type { HttpFailure } from "./http-failure.ts";
import { proxyFor, type ProxyEnv } from "./proxy.ts";
import { createTunnelAgent } from "./tunnel-agent.ts";

export interface HttpRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly url: URL;
  /** Go to the origin of `url` only, as everything else does: a redirect elsewhere is not followed. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** Connections that are kept open between requests. Disposing closes them. */
export interface Http extends Disposable {
  /** Never rejects. Every status is an answer. Redirects within the origin are followed. */
  send(
    request: HttpRequest,
    timeouts: Partial<WireTimeouts>,
    signal: AbortSignal,
  ): Promise<Result<HttpAnswer, HttpFailure>>;
}

export interface HttpDeps {
  readonly clock: Clock;
  /** `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`, also in small letters. */
  readonly proxyEnv?: ProxyEnv;
  /** PEM files with certificate authorities to trust besides the usual ones. Read with the first https request. */
  readonly caFiles?: readonly string[];
  /** The whole of an answer; default 64 MB. */
  readonly maxBytes?: number;
}

export function createHttp(deps: HttpDeps): Http {
  const { clock, caFiles = [], maxBytes = 64 * 2 ** 20 } = deps;
  const agents = new Map<string, Agent>();
  const authorities = once(() => readAuthorities(caFiles));

  /** Throws where the settings of proxies or authorities cannot be used. */
  function agentFor(url: URL): Agent {
    const proxy = proxyFor(url, deps.proxyEnv ?? {});
    if (!proxy.ok) throw new Error(proxy.error);
    const key = `${url.protocol} ${proxy.value?.href ?? ""}`;
    const agent = agents.get(key) ?? makeAgent(url.protocol === "https:", proxy.value);
    agents.set(key, agent);
    return agent;
  }

  function makeAgent(secure: boolean, proxy: URL | undefined): Agent {
    const options = { keepAlive: true, maxFreeSockets: 8, ...(secure ? authorities() : {}) };
    if (secure && proxy) return createTunnelAgent(proxy, options);
    if (secure) return new (process.getBuiltinModule("node:https").Agent)(options);
    const through = proxy ? { proxyEnv: { HTTP_PROXY: proxy.href } } : {};
    return new (process.getBuiltinModule("node:http").Agent)({ ...options, ...through });
  }

  return {
    async send(request, limits, signal) {
      const timeouts = { ...usualTimeouts, ...limits };
      const { method, body } = request;
      // Some guards before a service turn away who does not say what he is.
      const headers = { "user-agent": `hermes-agent-ts/${version}`, ...request.headers };
      let { url } = request;
      for (let hops = 0; ; hops++) {
        let agent: Agent;
        try {
          agent = agentFor(url);
        } catch (thrown) {
          return err({ kind: "network", message: reasonOf(thrown) });
        }
        const answer = await exchange({ url, method, headers, body, agent, timeouts, clock, maxBytes }, signal);
        if (!answer.ok) return answer;
        const next = redirectOf(answer.value, request.method, hops);
        if (next === undefined) return answer;
        answer.value[Symbol.dispose]();
        if (!next.ok) return next;
        url = next.value;
      }
    },
    [Symbol.dispose]() {
      for (const agent of agents.values()) agent.destroy();
      agents.clear();
    },
  };
}

function redirectOf({ status, headers, url }: HttpAnswer, method: string, hops: number) {
  const { location } = headers;
  if (status < 300 || status > 399 || typeof location !== "string") return undefined;
  const refuse = (why: string): Result<URL, HttpFailure> => err({ kind: "redirected", message: why });
  const to = URL.parse(location, url.href);
  if (!to) return refuse(`${url.host} redirects to an address that cannot be read`);
  if (to.search === "") to.search = url.search;
  if (!isSameHost(url, to))
    return refuse(`${url.host} redirects to ${to.origin}, which is another host: not followed, no key was sent there`);
  if (method !== "GET" && status !== 307 && status !== 308)
    return refuse(`${url.host} redirects to ${to.origin}${to.pathname} (status ${status}): use that as the base URL`);
  if (hops >= 5) return refuse(`${url.host} redirects in circles`);
  return { ok: true, value: to } as const;
}

/** The same origin, or its encrypted twin. */
function isSameHost(from: URL, to: URL): boolean {
  if (from.origin === to.origin) return true;
  const upgrade = from.protocol === "http:" && to.protocol === "https:" && from.hostname === to.hostname;
  return upgrade && from.port === "" && to.port === "";
}

function readAuthorities(files: readonly string[]): { readonly ca?: string[] } {
  if (files.length === 0) return {};
  const { getCACertificates } = process.getBuiltinModule("node:tls");
  const extra = files.map((file) => {
    try {
      return readFileSync(file, "utf8");
    } catch (thrown) {
      throw new Error(`the certificate authorities of ${file} cannot be read: ${reasonOf(thrown)}`, { cause: thrown });
    }
  });
  return { ca: [...getCACertificates("default"), ...extra] };
}
