import { err, ok, type Result } from "../../base/result.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { callApi, type CallFault } from "../../contracts/web/call-api.ts";
import type { SearchBackend } from "./search-backend.ts";

/** DuckDuckGo's page for browsers without scripts. It needs no key, and may refuse programs at any time. */
export function createDuckDuckGo(web: Web, address = "https://html.duckduckgo.com/html/"): SearchBackend {
  return {
    name: "ddgs",
    targets: async () => [{ url: address }],
    async search(query, limit, signal) {
      const page = await resultPage(query, web, address, signal);
      if (!page.ok) return page;
      const { parseResults } = await import("./duckduckgo-page.ts");
      const { hits, isRefusal } = parseResults(page.value);
      if (isRefusal) return err({ kind: "limit", message: refusal });
      return ok({ hits: hits.slice(0, limit), notes: [bestEffort] });
    },
  };
}

async function resultPage(
  query: string,
  web: Web,
  address: string,
  signal: AbortSignal,
): Promise<Result<string, CallFault>> {
  const answered = await callApi(
    web,
    {
      service: "DuckDuckGo",
      url: `${address}?${new URLSearchParams({ q: query }).toString()}`,
      headers: { accept: "text/html", "accept-language": "en-US,en;q=0.9", "user-agent": userAgent },
      // Only test settings name another address.
      isNamedBySettings: !address.startsWith("https://html.duckduckgo.com/"),
      timeoutMs: 20_000,
      maxBytes: 3 * 2 ** 20,
    },
    signal,
  );
  if (!answered.ok) {
    const { kind, message } = answered.error;
    if (kind === "key" || kind === "limit") return err({ kind: "limit", message: refusal });
    return err({ ...answered.error, message: `${message} ${advice}` });
  }
  if (answered.value.status === 202) return err({ kind: "limit", message: refusal });
  return ok(new TextDecoder().decode(answered.value.body));
}

/** It does not respond to programs without a browser's user agent. */
const userAgent = "Mozilla/5.0 (compatible; hermes-agent)";

const advice =
  "For a reliable search set a key (hermes config set TAVILY_API_KEY …, or Brave, Exa, Firecrawl, Parallel) or " +
  "SEARXNG_URL (your own SearXNG server).";

const refusal = `DuckDuckGo refuses automated searches at the moment. Wait a few minutes. ${advice}`;

const bestEffort =
  "DuckDuckGo without a key is best effort: it may miss pages or refuse searches. `hermes config set TAVILY_API_KEY …` or " +
  "SEARXNG_URL sets up a reliable one.";
