import { isIP } from "node:net";

import { abortable, linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { Web, WebAnswer, WebFault, WebRequest } from "../../contracts/safety/web.ts";
import { hostOf, judgeRedirect, judgeUrl, type Resolve, type UrlRules, type UrlVerdict } from "./judge-url.ts";
import { readBody, TooLarge } from "./read-body.ts";
import { headersFor, nextHop } from "./redirect.ts";
import { sendRequest } from "./send-request.ts";

export interface GuardedFetchDeps {
  /** The user's rules as they are now. */
  readonly rules: () => Promise<UrlRules>;
  /** All addresses of a name; rejects when it has none. */
  readonly resolve: (host: string, signal: AbortSignal) => Promise<readonly string[]>;
  /** The proxy that the user wants between. Left out: there is none. */
  readonly proxyFor?: (url: URL) => URL | undefined;
  readonly clock: Clock;
}

export function createGuardedFetch(deps: GuardedFetchDeps): Web {
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
        const kind = thrown instanceof TooLarge ? "too_large" : "unreachable";
        return err({ kind, message: `${request.url}: ${reasonOf(thrown)}` });
      } finally {
        // Whatever is still open belongs to nobody any more.
        link.abort();
      }
    },
  };
}

const defaultTimeoutMs = 30_000;
const defaultMaxBytes = 10 * 1024 * 1024;
const defaultMaxRedirects = 10;

/** Of the addresses of a name this many are tried. */
const maxAddresses = 8;

async function follow(
  request: WebRequest,
  deps: GuardedFetchDeps,
  signal: AbortSignal,
): Promise<Result<WebAnswer, WebFault>> {
  const rules = await deps.rules();
  const first = URL.parse(request.url);
  const maxRedirects = request.maxRedirects ?? defaultMaxRedirects;
  let hop = { method: request.method ?? (request.body === undefined ? "GET" : "POST"), body: request.body };
  let judge = (resolve?: Resolve): UrlVerdict => judgeUrl(request.url, rules, resolve);
  for (let redirects = 0; ; redirects++) {
    const checked = await check(judge, deps, signal);
    if (checked.verdict === "block") return err({ kind: "blocked", message: `${request.url}: ${checked.reason}` });
    const { url, addresses, proxy } = checked;
    const response = await sendRequest(
      { ...hop, url, headers: headersFor(request.headers ?? {}, first?.origin === url.origin) },
      proxy ? { proxy } : { addresses },
      signal,
    );
    const next = nextHop(response, hop);
    if (next === undefined) {
      const body = await readBody(response, request.maxBytes ?? defaultMaxBytes, signal);
      return ok({ url: url.href, status: response.statusCode ?? 0, headers: textHeaders(response.headers), body });
    }
    response.destroy();
    if (redirects >= maxRedirects)
      return err({ kind: "redirects", message: `${request.url}: more than ${maxRedirects} redirects` });
    const target = URL.parse(next.location, url.href);
    if (next.body !== undefined && target?.origin !== url.origin)
      return err({ kind: "redirects", message: `${request.url}: it sends what was posted on to another host` });
    hop = next;
    judge = (resolve) => judgeRedirect(url, next.location, rules, resolve);
  }
}

type Checked =
  | { readonly verdict: "allow"; readonly url: URL; readonly addresses: readonly string[]; readonly proxy?: URL }
  | { readonly verdict: "block"; readonly reason: string };

/** Judged by name before anybody is asked for its addresses, and again with them. */
async function check(
  judge: (resolve?: Resolve) => UrlVerdict,
  deps: GuardedFetchDeps,
  signal: AbortSignal,
): Promise<Checked> {
  const named = judge();
  if (named.verdict === "block") return named;
  const { url } = named;
  const host = hostOf(url);
  const proxy = deps.proxyFor?.(url);
  const found = isIP(host) === 0 ? await addressesOf(host, proxy !== undefined, deps, signal) : [host];
  // Only the proxy knows the name.
  if (found === undefined) return { verdict: "allow", url, addresses: [], ...(proxy && { proxy }) };
  const judged = judge(() => found);
  return judged.verdict === "block"
    ? judged
    : { verdict: "allow", url, addresses: found.slice(0, maxAddresses), ...(proxy && { proxy }) };
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

function textHeaders(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : (value ?? "")]),
  );
}
