import { isIP } from "node:net";

import { valueOr } from "../../base/result.ts";
import { addressFault } from "./address.ts";
import { addressesInName, hostNameFault } from "./host-name.ts";
import { isSignedLink, privateKeyInUrl, secretInUrl } from "./secret-in-url.ts";

export interface UrlRules {
  /** True if the user allows private and loopback addresses. Metadata services stay blocked. */
  readonly allowPrivate: boolean;
  /** Returns the rule of the user's block list (`site-list.ts`) that blocks the host. */
  readonly blockedBy?: (host: string) => string | undefined;
}

export type UrlVerdict =
  /** `addresses` are the checked addresses; a connection must use one of them. Undefined: not resolved yet. */
  | { readonly verdict: "allow"; readonly url: URL; readonly addresses?: readonly string[] }
  | { readonly verdict: "block"; readonly reason: string };

/** Returns all addresses of a host; empty if it has none. Undefined: not resolved. */
export type Resolve = (host: string) => readonly string[] | undefined;

/**
 * Returns whether a tool may request this URL. Parses it as clients do (by the URL standard), so that every spelling of
 * an address is the same address. Without `resolve`, checks only the name; the client checks again with the addresses.
 */
export function judgeUrl(text: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  const url = parse(text);
  if (url === undefined) return block("it is not a complete URL");
  const secret = secretInUrl(url);
  return secret === undefined ? judgeTarget(url, text, rules, resolve) : block(secret);
}

/**
 * Checks the target of a redirect from a URL that was already checked. The server may redirect to a signed link; other
 * secrets are not sent.
 */
export function judgeRedirect(from: URL, location: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  const url = parse(location, from);
  if (url === undefined) return block("the response redirects to an invalid URL");
  const isGiven = isSignedLink(url) || url.search === from.search;
  const secret = isGiven ? undefined : secretInUrl(url);
  return secret === undefined ? judgeTarget(url, location, rules, resolve) : block(secret);
}

/**
 * Checks a request that a page makes. Tokens in links and logins are normal there. Only a key that a vendor issued, and
 * that is not intended for pages, is never sent.
 */
export function judgePageUrl(text: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  const url = parse(text);
  if (url === undefined) return block("it is not a complete URL");
  const key = privateKeyInUrl(url);
  return key === undefined ? judgeTarget(url, text, rules, resolve) : block(key);
}

/** Returns the host of a URL, without the brackets of an address. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/u, "$1");
}

/** The maximum length of a URL. No server accepts longer URLs. */
const maxChars = 65_536;

function judgeTarget(url: URL, text: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  if (url.protocol !== "http:" && url.protocol !== "https:") return block(`${url.protocol} is not http or https`);
  if (url.username !== "" || url.password !== "") return block("it carries a user name or password");
  const other = otherReading(text);
  if (other.fault !== undefined) return block(other.fault);
  const host = hostOf(url);
  const rule = rules.blockedBy?.(host);
  if (rule !== undefined) return block(`${host} is on the list of blocked sites (${rule})`);
  if (isIP(host) !== 0) {
    const fault = faultOf(host, other.address === undefined ? [host] : [host, other.address], rules);
    return fault === undefined ? { verdict: "allow", url, addresses: [host] } : block(fault);
  }
  if (!isName(host)) return block("its host is not a valid name");
  const addresses = resolve?.(host);
  const named = hostNameFault(host, addresses !== undefined && addresses.length > 0);
  if (named && (named.isMetadata || !rules.allowPrivate)) return block(named.reason);
  const fault = faultOf(host, [...addressesInName(host), ...(addresses ?? [])], rules);
  if (fault !== undefined) return block(fault);
  if (addresses?.length === 0) return block(`${host} has no address`);
  return { verdict: "allow", url, ...(addresses && { addresses }) };
}

function faultOf(host: string, addresses: readonly string[], rules: UrlRules): string | undefined {
  for (const address of addresses) {
    const fault = addressFault(address);
    if (fault && (fault.isMetadata || !rules.allowPrivate))
      return address === host ? fault.reason : `${host} resolves to ${fault.reason}`;
  }
  return undefined;
}

function parse(text: string, base?: URL): URL | undefined {
  return text.length > maxChars ? undefined : (URL.parse(text, base?.href) ?? undefined);
}

/** Returns whether the host is a valid DNS name: no empty or overlong label. */
function isName(host: string): boolean {
  const parts = host.replace(/\.$/u, "").split(".");
  return host.length <= 254 && parts.every((part) => part.length > 0 && part.length <= 63);
}

function block(reason: string): UrlVerdict {
  return { verdict: "block", reason };
}

/**
 * Returns how a client that ignores the URL standard would parse the text. `fault`: why the target is ambiguous.
 * `address`: the host for clients that ignore leading zeros (`010.0.0.1`).
 */
function otherReading(text: string): { readonly fault?: string; readonly address?: string } {
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  const written = text.replaceAll(/^[\u0000-\u0020]+|[\u0000-\u0020]+$/gu, "");
  // oxlint-disable-next-line no-control-regex -- the pattern searches for control characters
  if (/[\u0000-\u001f\u007f]/u.test(written)) return { fault: "it has control characters in it" };
  const authority = /^(?:[a-z][a-z0-9+.-]*:)?\/\/([^/?#]*)/iu.exec(written)?.[1];
  if (authority === undefined) return {};
  if (authority.includes("\\") && authority.includes("@")) return { fault: "clients do not agree on what its host is" };
  const escaped = authority.slice(authority.lastIndexOf("@") + 1).replace(/:\d*$/u, "");
  const host = valueOr(() => decodeURIComponent(escaped), escaped);
  const parts = host
    .replaceAll(/[。｡．]/gu, ".")
    .replace(/\.$/u, "")
    .normalize("NFKC")
    .split(".");
  const isZeroed =
    parts.length === 4 && parts.every((part) => /^\d+$/u.test(part)) && parts.some((part) => /^0./u.test(part));
  return isZeroed && parts.every((part) => Number(part) < 256) ? { address: parts.map(Number).join(".") } : {};
}
