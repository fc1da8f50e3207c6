import { isIP } from "node:net";
import { domainToASCII } from "node:url";

import { systemClock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { lineCheck } from "../../contracts/host/line-check.ts";
import { judgeRedirect, judgeUrl, type Resolve, type UrlVerdict } from "./judge-url.ts";

/**
 * Handles one line of `hermes check urls`: `{id, url, redirect_location?, resolve?}` in, `{id, verdict, reason}` out.
 * `resolve` (`{host: [address]}`) replaces DNS; with `redirect_location` the target is checked too.
 */
export const checkUrlLine = lineCheck("id and url", ({ url, redirect_location: location, resolve }) => {
  if (typeof url !== "string") return "url is missing";
  if (location !== undefined && location !== null && typeof location !== "string")
    return "redirect_location must be a text";
  if (resolve !== undefined && resolve !== null && !isObject(resolve)) return "resolve must be {host: [address]}";
  const table = isObject(resolve) ? tableOf(resolve) : undefined;
  const startedAt = systemClock.elapsed();
  const verdict = judge(url, typeof location === "string" ? location : undefined, table);
  const us = Math.round((systemClock.elapsed() - startedAt) * 1000);
  return verdict.verdict === "allow"
    ? { verdict: "allow", reason: "a public address", us }
    : { verdict: "block", reason: verdict.reason, us };
});

const rules = { allowPrivate: false };

function judge(url: string, location: string | undefined, table: Resolve | undefined): UrlVerdict {
  const answersNone = table && ((host: string) => table(host) ?? []);
  if (location === undefined) return judgeUrl(url, rules, answersNone);
  // The server responded, so it has an address, even if the table does not contain it.
  const first = judgeUrl(url, rules, table);
  if (first.verdict === "block") return first;
  const isSameHost = URL.parse(location, first.url.href)?.hostname === first.url.hostname;
  return judgeRedirect(first.url, location, rules, isSameHost ? table : answersNone);
}

function tableOf(table: Record<string, unknown>): Resolve {
  const addressesByHost = new Map(
    Object.entries(table).map(([host, addresses]) => {
      const listed = Array.isArray(addresses) ? addresses : [addresses];
      return [plain(host), listed.filter((address) => typeof address === "string")] as const;
    }),
  );
  /** A host name in the list of addresses is treated as an alias. */
  const resolve = (host: string, depth: number): readonly string[] | undefined =>
    addressesByHost.get(plain(host))?.flatMap((text) => {
      const address = text.trim().replace(/^\[(.*)\]$/u, "$1");
      if (isIP(address) !== 0 || depth > 8) return [address];
      return resolve(address, depth + 1) ?? [address];
    });
  return (host) => resolve(host, 0);
}

function plain(host: string): string {
  const name = host.toLowerCase().replace(/\.+$/u, "");
  return domainToASCII(name) || name;
}
