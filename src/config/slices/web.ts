import { z } from "zod";

import { setting } from "./setting.ts";

const backend = (about: string, env?: string) =>
  setting(z.string().max(100).default(""), about, env === undefined ? {} : { env });

export const web = setting(
  z.object({
    backend: backend(
      "The service for search and page reading if `web.search_backend` and `web.extract_backend` are empty. Empty: automatic.",
    ),
    search_backend: backend(
      "The search engine: firecrawl, parallel, tavily, exa, searxng, brave, ddgs, xai, or one of a plugin. Empty: the first with a key in this order (never xai), then a SearXNG server that answers, then ddgs, which needs no key.",
    ),
    extract_backend: backend(
      "The page reader: native (Hermes itself, no key), firecrawl, parallel, tavily, exa, or one of a plugin. Empty: native.",
    ),
    extract_char_limit: setting(
      z.int().min(2_000).max(500_000).default(15_000),
      "Maximum characters of one page that `web_extract` returns; the whole text is saved to a file.",
      { project: "allow" },
    ),
    use_gateway: setting(
      z.boolean().default(false),
      "Use the Nous tool gateway instead of your own Firecrawl key. Off: only if no key is set and TOOL_GATEWAY_USER_TOKEN or FIRECRAWL_GATEWAY_URL is set.",
    ),
    find_searxng: setting(
      z.boolean().default(true),
      "Without a search key, look for a SearXNG server on this machine (ports 8080 and 8888) and under the name searxng.",
      { project: "false" },
    ),
    robots: setting(
      z.boolean().default(true),
      "Follow robots.txt for pages that the agent chose itself. A page that you name in your message is read in any case.",
      { project: "true" },
    ),
    timeout: setting(z.number().min(1).max(600).default(30), "Timeout in seconds for one page, including redirects."),
    max_page_mb: setting(z.number().min(1).max(200).default(20), "Maximum megabytes of one page, decompressed."),
    cache_mb: setting(
      z.number().min(0).max(10_000).default(200),
      "Maximum megabytes of pages and texts under cache/web in the home; the oldest are removed. 0: keep no pages.",
    ),
  }),
  "Search and reading of web pages.",
);

export const x_search = setting(
  z.object({
    model: setting(z.string().min(1).max(200).default("grok-4.20-reasoning"), "The model of xAI that searches X."),
    timeout_seconds: setting(z.number().min(30).max(3_600).default(180), "Timeout in seconds for one search."),
    retries: setting(z.int().min(0).max(10).default(2), "How often Hermes retries a transient failure."),
  }),
  "Search of posts on X (toolset `x_search`).",
);
