import { isIP } from "node:net";

import type { Clock } from "../../base/clock.ts";
import { reasonOf } from "../../base/result.ts";
import type { UrlGuard } from "../../browser/guard/url-guard.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { judgePageUrl, judgeUrl } from "../../safety/url.ts";
import { urlRules } from "../policy/url-rules.ts";

/** The rules of the settings for a browser. `browser.allow_private_urls` opens private addresses, never metadata. */
export function openUrlGuard(
  config: LoadedConfig,
  surroundings: { readonly cwd: string; readonly clock: Clock },
  allowsPrivate: (values: LoadedConfig["values"]) => boolean = ({ browser }) => browser.allow_private_urls,
): UrlGuard {
  const rules = urlRules(config, surroundings, allowsPrivate);
  return {
    async faultOf(url, by) {
      const judged = (by === "caller" ? judgeUrl : judgePageUrl)(withHttp(url), await rules());
      return judged.verdict === "block" ? judged.reason : undefined;
    },
    async addressesOf(url) {
      const host = url.hostname.replaceAll(/^\[|\]$/gu, "");
      try {
        const { lookup } = await import("node:dns/promises");
        const family = isIP(host);
        const addresses = family === 0 ? await lookup(host, { all: true }) : [{ address: host, family }];
        const judged = judgePageUrl(url.href, await rules(), () => addresses.map(({ address }) => address));
        if (judged.verdict === "block") return { ok: false, isRefused: true, reason: judged.reason };
        return { ok: true, addresses };
      } catch (thrown) {
        return { ok: false, isRefused: false, reason: `${host}: ${reasonOf(thrown)}` };
      }
    },
  };
}

/** Checks a WebSocket URL like the http URL of the same host. */
function withHttp(url: string): string {
  return url.replace(/^ws(s?):/iu, "http$1:");
}
