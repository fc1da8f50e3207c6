import { isObject, type JsonValue } from "../../base/json.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import { type OpenedService, openService, type ServiceDeps } from "../services/service-access.ts";
import { exa, firecrawl, parallelWeb, type ServiceRow, tavily } from "../services/service-row.ts";
import type { ExtractBackend, Extracted } from "./extract-backend.ts";

/** A service that reads pages. */
interface ExtractRow {
  readonly service: ServiceRow;
  readonly path: string;
  /** True for one request per page, false for one request for all pages. */
  readonly isSingle?: boolean;
  body(urls: readonly string[]): JsonValue;
  read(answer: Readonly<Record<string, unknown>>, urls: readonly string[]): readonly Extracted[];
}

const rows: readonly ExtractRow[] = [
  {
    service: firecrawl,
    path: "/v2/scrape",
    isSingle: true,
    body: ([url = ""]) => ({ url, formats: ["markdown"], onlyMainContent: true }),
    read({ data, error }, [url = ""]) {
      const page = isObject(data) ? data : {};
      const facts = isObject(page["metadata"]) ? page["metadata"] : {};
      const markdown = textOf(page["markdown"]);
      const fault = textOf(facts["error"]) || textOf(error);
      if (markdown === "") return [{ url, error: fault === "" ? noText : fault }];
      return [{ url, title: textOf(facts["title"]), markdown }];
    },
  },
  {
    service: parallelWeb,
    path: "/v1/extract",
    body: (urls) => ({ urls, advanced_settings: { full_content: true } }),
    read: ({ results, errors }) => [
      ...objects(results).map((each) => {
        const excerpts = Array.isArray(each["excerpts"]) ? each["excerpts"].map(textOf).join("\n\n") : "";
        return pageOf(each, textOf(each["full_content"]) || excerpts);
      }),
      ...objects(errors).map(({ url, error_type: type, http_status_code: status, content }) => {
        const words = [textOf(type), typeof status === "number" ? `status ${status}` : "", textOf(content)];
        return { url: textOf(url), error: words.filter((word) => word !== "").join(": ") || noText };
      }),
    ],
  },
  {
    service: tavily,
    path: "/extract",
    body: (urls) => ({ urls, extract_depth: "basic", format: "markdown" }),
    read: ({ results, failed_results: failed }) => [
      ...objects(results).map((each) => pageOf(each, textOf(each["raw_content"]))),
      ...objects(failed).map(({ url, error }) => ({ url: textOf(url), error: textOf(error) || noText })),
    ],
  },
  {
    service: exa,
    path: "/contents",
    body: (urls) => ({ urls, text: true }),
    read: ({ results, statuses }) => [
      ...objects(results).map((each) => pageOf(each, textOf(each["text"]))),
      ...objects(statuses).flatMap(({ id, status, error }) => {
        if (status !== "error") return [];
        const tag = isObject(error) ? textOf(error["tag"]) : "";
        return [{ url: textOf(id), error: tag === "" ? noText : tag }];
      }),
    ],
  },
];

const noText = "The service found no text there.";

/** The services that read pages, by name. */
export function serviceExtracts(deps: ServiceDeps): readonly ExtractBackend[] {
  return rows.map((row) => ({
    name: row.service.name,
    async extract(pages, { signal }) {
      const urls = pages.map(({ url }) => url);
      const opened = await openService(row.service, deps, signal);
      if (!opened.ok) return urls.map((url) => ({ url, error: opened.error.message }));
      const groups = row.isSingle ? urls.map((url) => [url]) : [urls];
      const results = await Promise.all(groups.map((group) => ask(row, opened.value, group, signal)));
      return results.flat();
    },
  }));
}

async function ask(
  row: ExtractRow,
  service: OpenedService,
  urls: readonly string[],
  signal: AbortSignal,
): Promise<readonly Extracted[]> {
  const answered = await service.call({ path: row.path, json: row.body(urls), timeoutMs: 90_000 }, signal);
  if (!answered.ok) return urls.map((url) => ({ url, error: answered.error.message }));
  return row.read(answered.value, urls);
}

/** A page reader provided by a plugin. */
export function pluginExtract(backend: Backend): ExtractBackend {
  return {
    name: backend.id,
    async extract(pages, { signal }) {
      const urls = pages.map(({ url }) => url);
      const answered = await backend.run({ urls }, signal);
      if (!answered.ok) return urls.map((url) => ({ url, error: `${backend.title}: ${answered.error.message}` }));
      const results = isObject(answered.value) ? answered.value["results"] : undefined;
      return objects(results).map((each) =>
        typeof each["error"] === "string" && each["error"] !== ""
          ? { url: textOf(each["url"]), error: each["error"] }
          : pageOf(each, textOf(each["content"])),
      );
    },
  };
}

function pageOf(each: Readonly<Record<string, unknown>>, markdown: string): Extracted {
  const url = textOf(each["url"]);
  return markdown === "" ? { url, error: noText } : { url, title: textOf(each["title"]), markdown };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function objects(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
