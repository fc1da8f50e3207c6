import { isIP } from "node:net";

import { addressFault } from "./address.ts";
import { addressInName, hostNameFault } from "./host-name.ts";
import { secretInUrl } from "./secret-in-url.ts";

export interface UrlRules {
  /** The user allows private and loopback addresses. Metadata services stay blocked. */
  readonly allowPrivate: boolean;
  /** Sites of the user's block list, as `site-list.ts` reads them. Answers the rule that blocks the host. */
  readonly blockedBy?: (host: string) => string | undefined;
}

export type UrlVerdict =
  /** `addresses`: those that were checked; a connection must go to one of them. Undefined: nobody asked yet. */
  | { readonly verdict: "allow"; readonly url: URL; readonly addresses?: readonly string[] }
  | { readonly verdict: "block"; readonly reason: string };

/** All addresses of a host; empty when it has none or nobody can say. */
export type Resolve = (host: string) => readonly string[];

/**
 * May a tool ask for this URL? Judged as clients read it (the URL standard), so that every spelling of an address is the
 * same address. Without `resolve` the name alone is judged: whoever connects asks again with the addresses it found.
 */
export function judgeUrl(text: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  const url = parse(text);
  if (url === undefined) return block("it is not a complete URL");
  if (url.protocol !== "http:" && url.protocol !== "https:") return block(`${url.protocol} is not http or https`);
  if (url.username !== "" || url.password !== "") return block("it carries a user name or password");
  const secret = secretInUrl(url);
  if (secret !== undefined) return block(secret);
  const host = url.hostname.replace(/^\[(.*)\]$/u, "$1");
  const rule = rules.blockedBy?.(host);
  if (rule !== undefined) return block(`${host} is on the list of blocked sites (${rule})`);
  if (isIP(host) !== 0) return judgeAddresses(url, host, [host], rules);
  const named = hostNameFault(host);
  if (named && (named.isMetadata || !rules.allowPrivate)) return block(named.reason);
  const known = addressInName(host);
  const addresses = resolve?.(host) ?? (known === undefined ? undefined : [known]);
  if (addresses === undefined) return { verdict: "allow", url };
  if (addresses.length === 0) return block(`${host} has no address`);
  return judgeAddresses(url, host, addresses, rules);
}

/** The same for where an answer sends the client on. A chain is judged hop by hop. */
export function judgeRedirect(from: string, location: string, rules: UrlRules, resolve?: Resolve): UrlVerdict {
  const first = judgeUrl(from, rules, resolve);
  if (first.verdict === "block") return first;
  const target = parse(location, first.url);
  return target === undefined
    ? block("the answer leads to something that is no URL")
    : judgeUrl(target.href, rules, resolve);
}

function judgeAddresses(url: URL, host: string, addresses: readonly string[], rules: UrlRules): UrlVerdict {
  for (const address of addresses) {
    const fault = addressFault(address);
    if (fault && (fault.isMetadata || !rules.allowPrivate))
      return block(address === host ? fault.reason : `${host} leads to ${fault.reason}`);
  }
  return { verdict: "allow", url, addresses };
}

function parse(text: string, base?: URL): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

function block(reason: string): UrlVerdict {
  return { verdict: "block", reason };
}
