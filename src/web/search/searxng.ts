import { isObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import type { Web } from "../../contracts/safety/web.ts";
import { callApi, type CallFault } from "../../contracts/web/call-api.ts";
import type { WebHit } from "../../contracts/web/pages.ts";
import { hitsOf, type EngineAnswer, type SearchBackend, textIn } from "./search-backend.ts";

/** A SearXNG or SearX server, which must have its JSON format on. */
export function createSearxng(address: string, web: Web): SearchBackend {
  const base = address.trim().replace(/\/+(?:search)?$/u, "");
  return {
    name: "searxng",
    targets: async () => [{ url: base }],
    async search(query, limit, signal) {
      const hits: WebHit[] = [];
      const seen = new Set<string>();
      let silent: readonly string[] = [];
      for (let page = 1; hits.length < limit && page <= maxPages; page++) {
        const answered = await onePage(base, query, page, web, signal);
        // The first result pages are better than an error.
        if (!answered.ok && page > 1) break;
        if (!answered.ok) return answered;
        const fresh = answered.value.hits.filter(({ url }) => !seen.has(url));
        for (const { url } of fresh) seen.add(url);
        hits.push(...fresh);
        if (page === 1) silent = answered.value.notes ?? [];
        if (fresh.length === 0) break;
      }
      return ok({ hits, notes: silent });
    },
  };
}

const maxPages = 5;

async function onePage(
  base: string,
  query: string,
  page: number,
  web: Web,
  signal: AbortSignal,
): Promise<Result<EngineAnswer, CallFault>> {
  const parameters = new URLSearchParams({ q: query, format: "json", pageno: String(page) });
  const answered = await callApi(
    web,
    {
      service: "SearXNG",
      url: `${base}/search?${parameters.toString()}`,
      isNamedBySettings: true,
      timeoutMs: 30_000,
      maxBytes: 5 * 2 ** 20,
    },
    signal,
  );
  if (!answered.ok) {
    const { status } = answered.error;
    if (status !== 403 && status !== 401) return answered;
    return err({ ...answered.error, message: `SearXNG at ${base} answered ${status}. ${jsonIsOff}` });
  }
  const body = answered.value.json();
  if (!isObject(body) || !Array.isArray(body["results"]))
    return err({ kind: "refused", message: `${base} does not answer as SearXNG does. ${jsonIsOff}` });
  const hits = hitsOf(body["results"], ({ url, title, content }) => ({
    url: textIn(url),
    title: textIn(title),
    description: textIn(content),
  }));
  const silent = enginesIn(body["unresponsive_engines"]);
  return ok({ hits, notes: silent === "" ? [] : [`These engines of SearXNG did not answer: ${silent}.`] });
}

const jsonIsOff = "Is its JSON format on? In its settings.yml: search: formats: [html, json].";

/** Pairs of a name and a reason. */
function enginesIn(list: unknown): string {
  if (!Array.isArray(list)) return "";
  const names = list.flatMap((each: unknown) => {
    const [name, reason] = Array.isArray(each) ? (each as readonly unknown[]) : [each];
    return typeof name === "string" ? [typeof reason === "string" ? `${name} (${reason})` : name] : [];
  });
  return names.slice(0, 8).join(", ");
}

/** The default addresses of SearXNG and SearX, and their usual names in container networks. */
const usualAddresses: readonly string[] = [
  "http://127.0.0.1:8080",
  "http://127.0.0.1:8888",
  "http://searxng:8080",
  "http://searxng.local:8080",
];

/**
 * The first of the usual addresses that responds like SearXNG. All are queried in parallel with a short timeout. Never
 * rejects.
 */
export async function findSearxng(
  web: Web,
  signal: AbortSignal,
  addresses: readonly string[] = usualAddresses,
): Promise<string | undefined> {
  const answers = await Promise.all(
    addresses.map(async (address) => (await isSearxng(address, web, signal)) && address),
  );
  return answers.find((address) => address !== false);
}

const probeMs = 700;

async function isSearxng(address: string, web: Web, signal: AbortSignal): Promise<boolean> {
  const request = { service: "SearXNG", url: `${address}/config`, isNamedBySettings: true };
  const answered = await callApi(web, { ...request, timeoutMs: probeMs, maxBytes: 2 * 2 ** 20 }, signal);
  const body = answered.ok ? answered.value.json() : undefined;
  return isObject(body) && Array.isArray(body["engines"]) && Array.isArray(body["categories"]);
}
