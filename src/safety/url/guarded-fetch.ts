import { isIP } from "node:net";

import { abortable, linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import type { HttpResponse } from "../../base/http/exchange.ts";
import type { Http } from "../../base/http/http-client.ts";
import type { HttpFailure } from "../../base/http/http-failure.ts";
import { totalTimeout } from "../../base/http/http-timeouts.ts";
import { readBody } from "../../base/http/read-body.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { GuardedWeb, WebAnswer, WebFault, WebRequest } from "../../contracts/safety/web.ts";
import { hostOf, judgeRedirect, judgeUrl, type Resolve, type UrlRules, type UrlVerdict } from "./judge-url.ts";
import { headersFor, nextHop } from "./redirect.ts";

export interface GuardedFetchDeps {
  /** The current rules of the user. */
  readonly rules: () => Promise<UrlRules>;
  /** Returns all addresses of a name. Rejects if it has none. */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[]>;
  readonly http: Http;
  readonly clock: Clock;
}

export function createGuardedFetch(deps: GuardedFetchDeps): GuardedWeb {
  return {
    async fetch(request, signal) {
      using link = linkAbort(signal);
      const timeoutMs = request.timeoutMs ?? defaultTimeoutMs;
      using _timer = deps.clock.after(timeoutMs, () => link.abort(new Error("timeout")));
      try {
        return await follow(request, deps, link.signal);
      } catch (thrown) {
        if (signal.aborted) return err({ kind: "aborted", message: `${request.url}: it was stopped` });
        if (link.signal.aborted)
          return err({ kind: "timeout", message: `${request.url}: no complete answer in ${timeoutMs / 1000} s` });
        const kind = thrown instanceof NoResponse && thrown.failure.kind === "too_large" ? "too_large" : "unreachable";
        return err({ kind, message: `${request.url}: ${reasonOf(thrown)}` });
      }
    },
    async check({ url, trustedOrigin }, signal) {
      const rules = rulesFor(URL.parse(url), trustedOrigin, await deps.rules());
      try {
        const checked = await check((resolve) => judgeUrl(url, rules, resolve), deps, signal);
        if (checked.verdict === "allow") return ok(checked.addresses);
        return err({ kind: "blocked", message: `${url}: ${checked.reason}` });
      } catch (thrown) {
        return err({ kind: signal.aborted ? "aborted" : "unreachable", message: `${url}: ${reasonOf(thrown)}` });
      }
    },
  };
}

function rulesFor(url: URL | null, trustedOrigin: string | undefined, rules: UrlRules): UrlRules {
  return url !== null && url.origin === trustedOrigin ? { ...rules, allowPrivate: true } : rules;
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 10 * 1024 * 1024;
const defaultMaxRedirects = 10;

/** The maximum number of addresses of a name to try. */
const maxAddresses = 8;

async function follow(
  request: WebRequest,
  deps: GuardedFetchDeps,
  signal: AbortSignal,
): Promise<Result<WebAnswer, WebFault>> {
  const current = await deps.rules();
  const first = URL.parse(request.url);
  const maxRedirects = request.maxRedirects ?? defaultMaxRedirects;
  let hop = { method: request.method ?? (request.body === undefined ? "GET" : "POST"), body: request.body };
  let judge = (resolve?: Resolve): UrlVerdict =>
    judgeUrl(request.url, rulesFor(first, request.trustedOrigin, current), resolve);
  for (let redirects = 0; ; redirects++) {
    const checked = await check(judge, deps, signal);
    if (checked.verdict === "block") return err({ kind: "blocked", message: `${request.url}: ${checked.reason}` });
    const { url, addresses } = checked;
    const headers = headersFor(request.headers ?? {}, first?.origin === url.origin);
    using response = gotten(
      await deps.http.send(
        {
          method: hop.method,
          url,
          headers: { "accept-encoding": "gzip, deflate, br", ...headers },
          ...(hop.body !== undefined && { body: hop.body }),
          maxBytes: request.maxBytes ?? defaultMaxBytes,
          redirects: "returned",
          addresses,
        },
        totalTimeout(request.timeoutMs ?? defaultTimeoutMs),
        signal,
      ),
    );
    const next = nextHop(response, hop);
    if (next === undefined) {
      const packing = textHeaders(response.headers)["content-encoding"] ?? "";
      if (!knownPackings.test(packing)) throw new Error(`the body is packed in an unknown way (${packing})`);
      const body = gotten(await readBody(response));
      return ok({ url: url.href, status: response.status, headers: textHeaders(response.headers), body });
    }
    if (redirects >= maxRedirects)
      return err({ kind: "redirects", message: `${request.url}: more than ${maxRedirects} redirects` });
    const target = URL.parse(next.location, url.href);
    if (next.body !== undefined && target?.origin !== url.origin)
      return err({ kind: "redirects", message: `${request.url}: it redirects the posted data to another host` });
    const refusal = target && (await request.refusesRedirect?.(target));
    if (refusal) return err({ kind: "redirects", message: refusal });
    hop = next;
    judge = (resolve) => judgeRedirect(url, next.location, rulesFor(target, request.trustedOrigin, current), resolve);
  }
}

/** No response, or an incomplete one. */
class NoResponse extends Error {
  readonly failure: HttpFailure;

  constructor(failure: HttpFailure) {
    super(failure.message);
    this.failure = failure;
  }
}

function gotten<T>(result: Result<T, HttpFailure>): T {
  if (!result.ok) throw new NoResponse(result.error);
  return result.value;
}

const knownPackings = /^(?:|identity|(?:x-)?gzip|deflate|br|zstd)$/iu;

type Checked =
  | { readonly verdict: "allow"; readonly url: URL; readonly addresses: readonly string[] }
  | { readonly verdict: "block"; readonly reason: string };

/** Checks the name before DNS resolution, and again with the addresses. */
async function check(
  judge: (resolve?: Resolve) => UrlVerdict,
  deps: GuardedFetchDeps,
  signal: AbortSignal,
): Promise<Checked> {
  const named = judge();
  if (named.verdict === "block") return named;
  const { url } = named;
  const host = hostOf(url);
  const resolved = isIP(host) === 0 ? await addressesOf(host, deps.http.isProxied(url), deps, signal) : [host];
  // With a proxy, only the proxy resolves the name.
  if (resolved === undefined) return { verdict: "allow", url, addresses: [] };
  const judged = judge(() => resolved);
  return judged.verdict === "block" ? judged : { verdict: "allow", url, addresses: resolved.slice(0, maxAddresses) };
}

async function addressesOf(
  host: string,
  mayBeUnknown: boolean,
  deps: GuardedFetchDeps,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  try {
    return await abortable(deps.resolve(host, signal), signal);
  } catch (thrown) {
    if (mayBeUnknown && !signal.aborted) return undefined;
    throw thrown;
  }
}

function textHeaders(headers: HttpResponse["headers"]): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
