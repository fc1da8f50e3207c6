import { STATUS_CODES } from "node:http";

import { linkAbort } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";
import { err, ok, reasonOf, type Result } from "../../base/result.ts";
import type { Web, WebAnswer, WebFault } from "../../contracts/safety/web.ts";
import { freshnessOf, requestedRestMs } from "./freshness.ts";
import type { HostQueue } from "./host-queue.ts";
import type { PageCache } from "./page-cache.ts";
import { isAllowedBy, parseRobots, type RobotsRules } from "./robots.ts";

export interface ReceivedPage {
  /** The URL after redirects. */
  readonly url: string;
  readonly contentType: string;
  readonly body: Uint8Array;
}

export interface PageWish {
  readonly url: string;
  /** The user named this page, so robots.txt, which is for programs that choose pages themselves, does not apply. */
  readonly isNamedByPerson: boolean;
}

export interface FetchPageDeps {
  readonly web: Web;
  readonly hosts: HostQueue;
  /** Undefined if pages are not stored. */
  readonly cache: PageCache | undefined;
  readonly followsRobots: boolean;
  readonly timeoutMs: number;
  readonly maxBytes: number;
  readonly clock: Clock;
}

/** Never rejects. */
export type FetchPage = (wish: PageWish, signal: AbortSignal) => Promise<Result<ReceivedPage>>;

/** The user agent of Hermes. */
const programName = "hermes-agent";

/**
 * Fetches pages politely: respects robots.txt, limits parallel requests to a host, waits when a host asks for it, and
 * caches.
 */
export function createPageFetcher(deps: FetchPageDeps): FetchPage {
  const { web, hosts, cache, clock } = deps;
  const robots = new Map<string, { readonly rules: Promise<SiteRules>; readonly until: number }>();

  async function rulesOf(origin: string, signal: AbortSignal): Promise<SiteRules> {
    const kept = robots.get(origin);
    if (kept && kept.until > clock.elapsed()) return kept.rules;
    const keep = (rules: Promise<SiteRules>, ms: number): void => {
      robots.delete(origin);
      robots.set(origin, { rules, until: clock.elapsed() + ms });
    };
    const rules = readRobots(origin, signal);
    keep(rules, robotsKeptMs);
    const [oldest] = robots.keys();
    if (robots.size > maxRobots && oldest !== undefined) robots.delete(oldest);
    const current = await rules;
    if (signal.aborted) robots.delete(origin);
    if (typeof current !== "string") return current;
    // The rules from before the trouble still apply; without any, the host is asked again after a while.
    const before = await kept?.rules;
    const result = typeof before === "object" ? before : current;
    keep(Promise.resolve(result), troubleKeptMs);
    return result;
  }

  /** If the server is unreachable, the request for the page itself fails, so there are no rules. */
  async function readRobots(origin: string, signal: AbortSignal): Promise<SiteRules> {
    const request = { url: `${origin}/robots.txt`, headers: { "user-agent": userAgent } };
    const answered = await web.fetch({ ...request, timeoutMs: 8_000, maxBytes: 600_000 }, signal);
    if (!answered.ok) return answered.error.kind === "timeout" && !signal.aborted ? "no answer" : undefined;
    const { status, body } = answered.value;
    if (status === 200) return parseRobots(new TextDecoder().decode(body), programName);
    return status >= 500 || status === 429 ? `${status} ${STATUS_CODES[status] ?? ""}`.trim() : undefined;
  }

  /** Undefined if programs may read the page. */
  async function robotsFault(url: URL, signal: AbortSignal): Promise<string | undefined> {
    const rules = await rulesOf(url.origin, signal);
    if (typeof rules === "string") return troubleText(url.host, rules);
    return rules && !isAllowedBy(rules, url) ? robotsText(url.host) : undefined;
  }

  /** A slot in the queue of the host; undefined if the requests before it take too long. */
  async function slotOf(host: string, signal: AbortSignal): Promise<Disposable | undefined> {
    using link = linkAbort(signal);
    using _timer = clock.after(deps.timeoutMs, () => link.abort());
    try {
      return await hosts.enter(host, link.signal);
    } catch (thrown) {
      if (signal.aborted) throw thrown;
      return undefined;
    }
  }

  /** Waits in the queue of the host and sends the request; once more if the host asks for a short delay. */
  async function ask(
    url: URL,
    headers: Readonly<Record<string, string>>,
    isChecked: boolean,
    signal: AbortSignal,
  ): Promise<Result<WebAnswer, WebFault>> {
    const refusesRedirect = async (target: URL) => robotsFault(target, signal);
    for (let attempt = 1; ; attempt++) {
      const rests = hosts.restMs(url.host);
      if (rests > maxRestMs) return err({ kind: "unreachable", message: restText(url.host, rests) });
      using slot = await slotOf(url.host, signal);
      if (!slot) return err({ kind: "timeout", message: busyText(url.host, deps.timeoutMs) });
      const request = { url: url.href, headers, timeoutMs: deps.timeoutMs, maxBytes: deps.maxBytes };
      const answered = await web.fetch({ ...request, ...(isChecked && { refusesRedirect }) }, signal);
      if (!answered.ok) return answered;
      const { status } = answered.value;
      if (status !== 429 && status !== 503) return answered;
      const waitMs = requestedRestMs(answered.value.headers["retry-after"], clock.now());
      if (waitMs !== undefined) hosts.rest(url.host, waitMs);
      if (attempt > 1 || waitMs === undefined || waitMs > maxRestMs) return answered;
    }
  }

  async function fetched(url: URL, isNamedByPerson: boolean, signal: AbortSignal): Promise<Result<ReceivedPage>> {
    const stored = await cache?.find(url.href);
    if (stored && stored.freshUntil > clock.now()) return ok(stored);
    const isChecked = deps.followsRobots && !isNamedByPerson;
    const fault = isChecked ? await robotsFault(url, signal) : undefined;
    if (fault !== undefined) return err({ message: fault });
    const validators = {
      ...(stored?.etag !== undefined && { "if-none-match": stored.etag }),
      ...(stored?.lastModified !== undefined && { "if-modified-since": stored.lastModified }),
    };
    const answered = await ask(url, { ...requestHeaders, ...validators }, isChecked, signal);
    if (!answered.ok) return err({ message: faultText(answered.error, url) });
    const { status, headers, body } = answered.value;
    const { isStorable, ...freshness } = freshnessOf(headers, clock.now());
    if (status === 304 && stored) {
      await cache?.store(url.href, { ...stored, ...freshness });
      return ok(stored);
    }
    if (status < 200 || status > 299) return err({ message: statusText(status, headers, url, clock) });
    const page = { url: answered.value.url, contentType: headers["content-type"] ?? "", body };
    const { freshUntil, etag, lastModified } = freshness;
    const isReusable = freshUntil > clock.now() || etag !== undefined || lastModified !== undefined;
    if (status === 200 && isStorable && isReusable) await cache?.store(url.href, { ...page, ...freshness });
    return ok(page);
  }

  return async ({ url: text, isNamedByPerson }, signal) => {
    const url = URL.parse(text);
    if (!url || !/^https?:$/u.test(url.protocol)) return err({ message: "It is not a complete http or https URL." });
    url.hash = "";
    try {
      return await fetched(url, isNamedByPerson, signal);
    } catch (thrown) {
      return err({ message: signal.aborted ? "Reading was stopped." : reasonOf(thrown) });
    }
  };
}

/**
 * The rules of a site; undefined if it has none. A text says why they cannot be read now: then programs must not read any
 * page of the site (RFC 9309, 2.3.1.4).
 */
type SiteRules = RobotsRules | string | undefined;

const robotsKeptMs = 3_600_000;
const troubleKeptMs = 300_000;
const maxRobots = 500;
/** The maximum delay that a host may ask for within one call. */
const maxRestMs = 15_000;

const userAgent = `Mozilla/5.0 (compatible; ${programName})`;
const requestHeaders: Readonly<Record<string, string>> = {
  "user-agent": userAgent,
  accept: "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, application/pdf;q=0.8, */*;q=0.5",
  "accept-language": "en;q=0.9, *;q=0.5",
};

function robotsText(host: string): string {
  return `The robots.txt of ${host} asks programs not to read this page. ${overrideText}; or use another source.`;
}

function troubleText(host: string, reason: string): string {
  return (
    `The robots.txt of ${host} cannot be read now (${reason}), so programs must not read its pages. Try again in ` +
    `${troubleKeptMs / 60_000} minutes. ${overrideText}, and web.robots: false turns these rules off.`
  );
}

const overrideText = "If the person names the URL in a message, it can be read";

function restText(host: string, ms: number): string {
  return `${host} wants no requests for ${Math.ceil(ms / 1000)} s. Try again after that, or use another source.`;
}

function busyText(host: string, ms: number): string {
  return `${host} has not answered the requests before this one for ${Math.ceil(ms / 1000)} s`;
}

function statusText(status: number, headers: Readonly<Record<string, string>>, { host }: URL, clock: Clock): string {
  const waitMs = requestedRestMs(headers["retry-after"], clock.now());
  const words = `${host} answered ${status} ${STATUS_CODES[status] ?? ""}`.trim();
  if ((status === 429 || status === 503) && waitMs !== undefined) return `${words}. ${restText(host, waitMs)}`;
  const advice =
    status === 404 || status === 410
      ? " Check the address, or search for the page."
      : status === 401 || status === 403 || status === 407
        ? " The page needs a login or refuses programs; the browser tools may reach it."
        : status === 429 || status >= 500
          ? " Try again later."
          : "";
  return `${words}.${advice}`;
}

/** The fault as a message that says what to do. */
function faultText({ kind, message }: WebFault, { host }: URL): string {
  if (kind === "unreachable" && /ENOTFOUND|EAI_AGAIN|getaddrinfo/u.test(message))
    return `The name ${host} cannot be resolved. Check its spelling, and whether this machine is online.`;
  if (kind === "unreachable" && /ENETUNREACH|EHOSTUNREACH|ENETDOWN/u.test(message))
    return `There is no way to ${host}: this machine seems to be offline.`;
  if (kind === "timeout") return `${message}. The server is slow or does not answer: try again, or use another source.`;
  if (kind === "too_large") return `${message}. Raise web.max_page_mb, or download it with a command.`;
  return /[.!?]$/u.test(message) ? message : `${message}.`;
}
