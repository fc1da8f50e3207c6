import type { PolicySource } from "../../contracts/safety/approval.ts";
import { judgeUrl, type UrlRules } from "./judge-url.ts";

/** Denies a connection that the user's rules block. The client judges again with the resolved addresses. */
export function urlSource(rules: () => Promise<UrlRules>): PolicySource {
  return {
    name: "urls",
    async judge({ effects }) {
      for (const effect of effects) {
        if (effect.kind !== "network") continue;
        const judged = judgeUrl(effect.url, await rules());
        if (judged.verdict === "block")
          return { deny: { rule: "blocked_url", message: `${effect.url}: ${judged.reason}` } };
      }
      return {};
    },
  };
}
