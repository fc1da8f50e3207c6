import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

import { isObject, parsedJson } from "../../src/base/json.ts";

/** One request as a service received it. */
export interface ServiceCall {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: Readonly<Record<string, unknown>>;
}

export interface SearchServices extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly ServiceCall[];
  /** The next request gets this answer instead. */
  failNext(status: number, body: unknown, headers?: Readonly<Record<string, string>>): void;
}

/** The documented APIs of search services on loopback. Wrong keys and fields are refused. */
export async function startSearchServices(): Promise<SearchServices> {
  const calls: ServiceCall[] = [];
  const failures: { status: number; body: unknown; headers: Readonly<Record<string, string>> }[] = [];
  const server = createServer((request, response) => {
    response.on("error", () => {});
    void receive(request, response);
  });
  async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = request;
    const parsed = parsedJson(await bodyOf(request));
    const call = { method, path: url, headers, body: isObject(parsed) ? parsed : {} };
    calls.push(call);
    const failure = failures.shift();
    const { status, body } = failure ?? answerTo(call);
    response.writeHead(status, { "content-type": "application/json", ...failure?.headers }).end(JSON.stringify(body));
  }
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A TCP server always has this kind of address.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    calls,
    failNext: (status, body, headers = {}) => void failures.push({ status, body, headers }),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const page = { url: "https://example.org/owls", title: "Owls at night" };
const text = "Owls hunt **at night**.";

function answerTo(call: ServiceCall): Answer {
  const { pathname, searchParams } = new URL(call.path, "http://localhost");
  const route = routes[`${call.method} ${pathname}`];
  if (!route) return { status: 404, body: { error: `no route ${pathname}` } };
  const given = call.headers[route.header] ?? "";
  const isKnown = given === (route.header === "authorization" ? "Bearer good-key" : "good-key");
  if (!isKnown && !(route.isKeyless?.(call) ?? false)) return route.refusal;
  const unknown = Object.keys(call.body).filter((field) => !route.fields.includes(field));
  if (unknown.length > 0) return { status: 400, body: { error: `unknown field ${unknown.join(", ")}` } };
  return route.answer(call.body, searchParams);
}

interface Route {
  readonly header: string;
  readonly fields: readonly string[];
  readonly refusal: Answer;
  readonly isKeyless?: (call: ServiceCall) => boolean;
  answer(body: Readonly<Record<string, unknown>>, query: URLSearchParams): Answer;
}

const unauthorized = (body: unknown): Answer => ({ status: 401, body });
const ok = (body: unknown): Answer => ({ status: 200, body });
const many = (count: unknown) =>
  Array.from({ length: Number(count ?? 5) }, (_, index) => ({ ...page, url: `${page.url}/${index}` }));

const tavilyRefusal = unauthorized({ detail: { error: "Unauthorized: missing or invalid API key." } });
const exaRefusal = unauthorized({ requestId: "r1", error: "Invalid API key", tag: "INVALID_API_KEY" });
const firecrawlRefusal = unauthorized({ success: false, error: "Unauthorized: Invalid token" });
const parallelRefusal = unauthorized({ type: "error", error: { ref_id: "r1", message: "Invalid API key" } });

const routes: Readonly<Record<string, Route>> = {
  "POST /v2/search": {
    header: "authorization",
    fields: ["query", "limit", "sources", "origin", "integration", "timeout", "ignoreInvalidURLs"],
    refusal: firecrawlRefusal,
    answer: ({ limit }) =>
      ok({
        success: true,
        data: { web: many(limit).map((each) => ({ ...each, description: text, position: 1 })) },
        creditsUsed: 2,
      }),
  },
  "POST /v2/scrape": {
    header: "authorization",
    fields: ["url", "formats", "onlyMainContent", "origin", "integration", "timeout"],
    refusal: firecrawlRefusal,
    answer: ({ url }) =>
      String(url).endsWith("/gone")
        ? { status: 500, body: { success: false, error: "The page is gone." } }
        : ok({
            success: true,
            data: { markdown: text, metadata: { title: page.title, sourceURL: url, statusCode: 200 } },
          }),
  },
  "POST /v1/search": {
    header: "x-api-key",
    fields: ["objective", "search_queries", "mode", "advanced_settings", "max_chars_total"],
    refusal: parallelRefusal,
    answer({ search_queries: queries, mode, advanced_settings: settings }) {
      if (!Array.isArray(queries) || queries.length === 0)
        return { status: 422, body: { type: "error", error: { message: "search_queries is required" } } };
      if (mode !== undefined && !["turbo", "fast", "basic", "advanced"].includes(JSON.stringify(mode).slice(1, -1)))
        return { status: 422, body: { type: "error", error: { message: `mode ${JSON.stringify(mode)} is unknown` } } };
      const max = isObject(settings) ? settings["max_results"] : 5;
      const results = many(max).map((each) => ({
        ...each,
        excerpts: [text, "They sleep by day."],
        publish_date: null,
      }));
      return ok({ search_id: "search_1", session_id: "s1", results });
    },
  },
  "POST /v1/extract": {
    header: "x-api-key",
    fields: ["urls", "objective", "search_queries", "advanced_settings", "max_chars_total"],
    refusal: parallelRefusal,
    answer({ urls }) {
      const list = Array.isArray(urls) ? urls.map(String) : [];
      const removed = list.filter((url) => url.endsWith("/gone"));
      return ok({
        extract_id: "extract_1",
        session_id: "s1",
        results: list
          .filter((url) => !removed.includes(url))
          .map((url) => ({ url, title: page.title, excerpts: [], full_content: text })),
        errors: removed.map((url) => ({
          url,
          error_type: "fetch_error",
          http_status_code: 410,
          content: "The page is gone.",
        })),
      });
    },
  },
  "POST /search": {
    header: "authorization",
    fields: [
      [
        "query",
        "max_results",
        "search_depth",
        "topic",
        "days",
        "include_images",
        "include_answer",
        "numResults",
        "type",
        "contents",
      ],
    ].flat(),
    refusal: tavilyRefusal,
    isKeyless: ({ headers }) => headers["x-tavily-access-mode"] === "keyless" || headers["x-api-key"] === "good-key",
    // Tavily and Exa have the same path and different fields.
    answer: ({ max_results: max, numResults: count }) =>
      count === undefined
        ? ok({
            query: "q",
            images: [],
            results: many(max).map((each) => ({ ...each, content: text, score: 0.9 })),
            response_time: 0.1,
            request_id: "r",
          })
        : ok({
            requestId: "r",
            results: many(count).map((each) => ({ ...each, id: each.url, highlights: [text], score: 0.5 })),
          }),
  },
  "POST /extract": {
    header: "authorization",
    fields: ["urls", "extract_depth", "format", "include_images"],
    refusal: tavilyRefusal,
    answer({ urls }) {
      const list = [urls].flat().map(String);
      const removed = list.filter((url) => url.endsWith("/gone"));
      return ok({
        results: list
          .filter((url) => !removed.includes(url))
          .map((url) => ({ url, title: page.title, raw_content: text, images: [] })),
        failed_results: removed.map((url) => ({ url, error: "The page is gone." })),
        response_time: 0.2,
        request_id: "r",
      });
    },
  },
  "POST /contents": {
    header: "x-api-key",
    fields: ["urls", "ids", "text"],
    refusal: exaRefusal,
    answer({ urls, ids }) {
      const list = [urls ?? ids].flat().map(String);
      const removed = list.filter((url) => url.endsWith("/gone"));
      return ok({
        requestId: "r",
        results: list.filter((url) => !removed.includes(url)).map((url) => ({ id: url, url, title: page.title, text })),
        statuses: list.map((id) =>
          removed.includes(id)
            ? { id, status: "error", source: "crawled", error: { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 } }
            : { id, status: "success", source: "cached" },
        ),
      });
    },
  },
  "GET /res/v1/web/search": {
    header: "x-subscription-token",
    fields: [],
    refusal: {
      status: 422,
      body: {
        type: "ErrorResponse",
        error: {
          id: "1",
          status: 422,
          code: "SUBSCRIPTION_TOKEN_INVALID",
          detail: "The provided subscription token is invalid.",
        },
      },
    },
    answer: (_, query) =>
      ok({
        type: "search",
        web: {
          type: "search",
          results: many(query.get("count")).map((each) => ({
            ...each,
            description: `<strong>${text}</strong> &amp; more`,
          })),
        },
      }),
  },
  "POST /responses": {
    header: "authorization",
    fields: ["model", "input", "tools", "store"],
    refusal: { status: 400, body: { code: "invalid-argument", error: "Incorrect API key provided." } },
    answer({ model, tools }) {
      const tool = [tools].flat()[0];
      const isPosts = isObject(tool) && tool["type"] === "x_search";
      const written = isPosts
        ? "People like owls [[1]](https://x.com/a/status/1)."
        : `\`\`\`json\n${JSON.stringify([{ ...page, description: text }])}\n\`\`\``;
      const isEmpty =
        isObject(tool) && Array.isArray(tool["allowed_x_handles"]) && tool["allowed_x_handles"].includes("nobody");
      const annotations =
        isPosts && !isEmpty
          ? [{ type: "url_citation", url: "https://x.com/a/status/1", title: "1", start_index: 17, end_index: 50 }]
          : [];
      const message = {
        type: "message",
        role: "assistant",
        content: [{ type: "output_text", text: written, annotations }],
      };
      return ok({ id: "resp_1", model, output: [{ type: "custom_tool_call", name: "x_search" }, message] });
    },
  },
};

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}
