import { systemClock } from "../../base/clock.ts";
import { isObject } from "../../base/json.ts";
import { lineCheck } from "../../contracts/line-check.ts";
import { judgeRedirect, judgeUrl, type Resolve } from "./judge-url.ts";

/**
 * One line of `hermes check urls`: `{id, url, redirect_location?, resolve?}` in, `{id, verdict, reason}` out. `resolve` is
 * all that is known of names, `{host: [address]}`; with `redirect_location` the target is judged too.
 */
export const checkUrlLine = lineCheck("id and url", ({ url, redirect_location: location, resolve }) => {
  if (typeof url !== "string") return "url is missing";
  if (location !== undefined && location !== null && typeof location !== "string")
    return "redirect_location must be a text";
  if (resolve !== undefined && resolve !== null && !isObject(resolve)) return "resolve must be {host: [address]}";
  const table = isObject(resolve) ? tableOf(resolve) : undefined;
  const startedAt = systemClock.elapsed();
  const verdict =
    typeof location === "string" ? judgeRedirect(url, location, rules, table) : judgeUrl(url, rules, table);
  const us = Math.round((systemClock.elapsed() - startedAt) * 1000);
  return verdict.verdict === "allow"
    ? { verdict: "allow", reason: "a public address", us }
    : { verdict: "block", reason: verdict.reason, us };
});

const rules = { allowPrivate: false };

function tableOf(table: Record<string, unknown>): Resolve {
  const known = new Map<string, readonly string[]>();
  for (const [host, addresses] of Object.entries(table)) {
    const listed = Array.isArray(addresses) ? addresses : [addresses];
    known.set(
      plain(host),
      listed.filter((address) => typeof address === "string"),
    );
  }
  return (host) => known.get(plain(host)) ?? [];
}

function plain(host: string): string {
  return host.toLowerCase().replace(/\.+$/u, "");
}
