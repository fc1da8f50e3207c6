import { isObject } from "../../base/json.ts";
import { ok, type Result } from "../../base/result.ts";
import type { CallFault } from "../../contracts/web/call-api.ts";
import type { WebHit } from "../../contracts/web/pages.ts";
import {
  type OpenedService,
  openService,
  type ServiceDeps,
  type ServiceRequest,
  openedTargets,
} from "../services/service-access.ts";
import { brave, exa, firecrawl, parallelWeb, type ServiceRow, tavily } from "../services/service-row.ts";
import { hitsOf, type EngineAnswer, type SearchBackend, textIn } from "./search-backend.ts";

/** A service whose search takes one request. */
interface SearchRow {
  readonly service: ServiceRow;
  readonly maxLimit: number;
  /** Headers of a request without a key, if the service allows that. */
  readonly keyless?: Readonly<Record<string, string>>;
  request(query: string, limit: number, secret: ServiceDeps["secret"]): ServiceRequest;
  hits(answer: Readonly<Record<string, unknown>>): readonly WebHit[];
}

const rows: readonly SearchRow[] = [
  {
    service: firecrawl,
    maxLimit: 100,
    request: (query, limit) => ({ path: "/v2/search", json: { query, limit, sources: ["web"] } }),
    hits: ({ data }) => {
      // Older self-hosted servers send the list itself.
      const list = isObject(data) ? data["web"] : data;
      return hitsOf(list, ({ url, title, description, metadata, markdown }) => {
        const meta = isObject(metadata) ? metadata : {};
        return {
          url: textIn(url, meta["sourceURL"], meta["url"]),
          title: textIn(title, meta["title"]),
          description: textIn(description, meta["description"], markdown),
        };
      });
    },
  },
  {
    service: parallelWeb,
    maxLimit: 40,
    request: (query, limit, secret) => ({
      path: "/v1/search",
      json: {
        objective: query,
        search_queries: [query],
        mode: parallelMode(secret("PARALLEL_SEARCH_MODE")),
        advanced_settings: { max_results: limit, excerpt_settings: { max_chars_per_result: 1_500 } },
      },
    }),
    hits: ({ results }) =>
      hitsOf(results, ({ url, title, excerpts }) => ({
        url: textIn(url),
        title: textIn(title),
        description: textIn(excerpts),
      })),
  },
  {
    service: tavily,
    maxLimit: 20,
    keyless: { "x-tavily-access-mode": "keyless" },
    request: (query, limit) => ({ path: "/search", json: { query, max_results: limit, search_depth: "basic" } }),
    hits: ({ results }) =>
      hitsOf(results, ({ url, title, content }) => ({
        url: textIn(url),
        title: textIn(title),
        description: textIn(content),
      })),
  },
  {
    service: exa,
    maxLimit: 100,
    request: (query, limit) => ({
      path: "/search",
      json: { query, numResults: limit, type: "auto", contents: { highlights: true } },
    }),
    hits: ({ results }) =>
      hitsOf(results, ({ url, title, highlights, summary, text }) => ({
        url: textIn(url),
        title: textIn(title),
        description: textIn(highlights, summary, text),
      })),
  },
  {
    service: brave,
    maxLimit: 20,
    request: (query, limit) => ({
      path: `/res/v1/web/search?${new URLSearchParams({ q: query, count: String(limit), text_decorations: "false" }).toString()}`,
    }),
    hits: ({ web }) =>
      hitsOf(isObject(web) ? web["results"] : undefined, ({ url, title, description }) => ({
        url: textIn(url),
        title: textIn(title),
        description: textIn(description),
      })),
  },
];

/** The backends that are one request to a service with a key. */
export function serviceBackends(deps: ServiceDeps): readonly SearchBackend[] {
  return rows.map((row) => ({
    name: row.service.name,
    targets: (signal) => openedTargets(row.service, deps, signal, row.keyless),
    async search(query, limit, signal) {
      const opened = await openService(row.service, deps, signal, row.keyless);
      return opened.ok ? ask(row, opened.value, query, limit, deps, signal) : opened;
    },
  }));
}

async function ask(
  row: SearchRow,
  service: OpenedService,
  query: string,
  limit: number,
  deps: ServiceDeps,
  signal: AbortSignal,
): Promise<Result<EngineAnswer, CallFault>> {
  const request = row.request(query, Math.min(limit, row.maxLimit), deps.secret);
  const answered = await service.call({ ...request, timeoutMs: 45_000 }, signal);
  if (!answered.ok) return answered;
  const notes =
    service.source === "no key" ? [`${row.service.title} was asked without a key, which allows few searches.`] : [];
  return ok({ hits: row.hits(answered.value), notes });
}

/** The current name of a mode, also for the names of the first API version. */
function parallelMode(word = ""): string {
  const mode = word.trim().toLowerCase();
  if (["turbo", "fast", "basic", "advanced"].includes(mode)) return mode;
  return mode === "one-shot" ? "basic" : "advanced";
}
