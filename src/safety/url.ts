import { readFile } from "node:fs/promises";

import { once } from "../base/async/once.ts";
import type { Clock } from "../base/clock.ts";
import { describeFault } from "../base/files/file-fault.ts";
import type { Http } from "../base/http/http-client.ts";
import { err, ok, type Result } from "../base/result.ts";
import type { PolicySource } from "../contracts/safety/approval.ts";
import type { GuardedWeb } from "../contracts/safety/web.ts";
import { type BlockListSettings, createBlockList } from "./url/block-list.ts";
import { judgeUrl, type UrlRules } from "./url/judge-url.ts";

export { judgePageUrl, judgeUrl } from "./url/judge-url.ts";
export type { UrlRules } from "./url/judge-url.ts";

/** Opens the URL rules of these settings. Files of the block list are read again after a while. */
export function createUrlRules(
  settings: { readonly allowPrivate: boolean; readonly blockList: BlockListSettings },
  clock: Clock,
): () => Promise<UrlRules> {
  const blockList = createBlockList(settings.blockList, { read, clock });
  return async () => ({ allowPrivate: settings.allowPrivate, blockedBy: await blockList() });
}

/** Denies a connection that the user's rules block. The web client checks again with the resolved addresses. */
export function urlPolicy(rules: () => Promise<UrlRules>): PolicySource {
  return {
    name: "urls",
    concerns: ({ effects }) => effects.some(({ kind }) => kind === "network"),
    async judge({ effects }) {
      for (const effect of effects) {
        if (effect.kind !== "network") continue;
        const current = await rules();
        // A granted private address was named by a person, as that of a service in the settings; the guard of the browser
        // judges those of pages by its own setting.
        const isJudgedElsewhere = [effect.isGranted, effect.isService, effect.isPage].includes(true);
        const judged = judgeUrl(effect.url, isJudgedElsewhere ? { ...current, allowPrivate: true } : current);
        if (judged.verdict === "block")
          return { deny: { rule: "blocked_url", message: `${effect.url}: ${judged.reason}` } };
      }
      return {};
    },
  };
}

/** Web access for tools: every URL, redirect and address is checked. The first request loads the client. */
export function createWeb(deps: {
  readonly rules: () => Promise<UrlRules>;
  readonly http: Http;
  readonly clock: Clock;
}): GuardedWeb {
  const load = once(async () => {
    const [{ createGuardedFetch }, { lookup }] = await Promise.all([
      import("./url/guarded-fetch.ts"),
      import("node:dns/promises"),
    ]);
    const resolve = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);
    return createGuardedFetch({ ...deps, resolve });
  });
  return {
    fetch: async (request, signal) => (await load()).fetch(request, signal),
    check: async (target, signal) => (await load()).check(target, signal),
  };
}

async function read(file: string): Promise<Result<string, { readonly message: string }>> {
  try {
    return ok(await readFile(file, "utf8"));
  } catch (thrown) {
    return err({ message: describeFault(thrown, file).message });
  }
}
