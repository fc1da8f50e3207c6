import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { createBoundedFolder } from "../../base/files/bounded-folder.ts";
import { homeFiles } from "../../config/home.ts";
import type { LoadedConfig } from "../../config/load.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import type { Pages } from "../../contracts/web/pages.ts";
import type { ToolGateway } from "../../contracts/web/tool-gateway.ts";
import { extractPages } from "../../web/extract/extract-pages.ts";
import type { RenderPage } from "../../web/extract/native-extract.ts";
import type { PageReading } from "../../web/extract/page-reading.ts";
import { createPageFetcher } from "../../web/fetch/fetch-page.ts";
import { createHostQueue } from "../../web/fetch/host-queue.ts";
import { createPageCache } from "../../web/fetch/page-cache.ts";
import { chooseSearch, type SearchDeps } from "../../web/search/choose-search.ts";
import { createPostSearch } from "../../web/search/search-posts.ts";
import { createSearch } from "../../web/search/search-web.ts";
import type { ServiceDeps } from "../../web/services/service-access.ts";
import type { OpenedBrowsers } from "../browser/open-browsers.ts";
import type { Models } from "../models/models.ts";
import { openWeb } from "../policy/open-web.ts";
import { urlRules } from "../policy/url-rules.ts";
import { accountToken } from "./account-token.ts";

/** Search and reading for all sessions of a program. */
export interface OpenedPages {
  /** The interface for a session, or for calls outside of sessions. */
  offered(of: PageHelpers): Pages;
  /** Which engine would search now, and why, as text for a person. */
  searchState(signal: AbortSignal, options?: { readonly isOffline?: boolean }): Promise<SearchState>;
}

export interface PageHelpers {
  /** Answers questions about a page, if the settings name a model for it. */
  readonly auxiliary?: Pick<AuxiliaryModel, "complete">;
  /** A browser for pages that need scripts. Default: the browser of the program. */
  readonly renderPage?: RenderPage;
}

export type SearchState =
  | { readonly backend: string; readonly why: string; readonly note?: string }
  | { readonly fault: string };

export interface WebPagesDeps {
  readonly cwd: string;
  readonly clock: Clock;
  readonly gateway: ToolGateway;
  readonly reading: PageReading;
  /** Browsers for pages that need scripts. Undefined: there is no browser. */
  readonly browsers?: () => Promise<OpenedBrowsers>;
  /** Undefined: the embedding program provides the model, and there are no accounts. */
  readonly models: () => Promise<Models | undefined>;
  readonly backends: () => Promise<readonly Backend[]>;
}

export function openWebPages(config: LoadedConfig, deps: WebPagesDeps): OpenedPages {
  const { values, home, secrets } = config;
  const { cwd, clock, browsers } = deps;
  const guarded = openWeb(config, { cwd, clock });
  const rules = urlRules(config, { cwd, clock });
  const folder = join(home.path, homeFiles.cache, "web");
  const cacheBytes = values.web.cache_mb * 1_000_000;
  const texts = createBoundedFolder(folder, { maxTotalBytes: Math.max(cacheBytes, minTextBytes), maxAgeMs }, clock);
  const pages = createBoundedFolder(join(folder, "pages"), { maxTotalBytes: cacheBytes, maxAgeMs }, clock);
  const services: ServiceDeps = {
    web: guarded,
    secret: (name) => secrets.get(name),
    gateway: deps.gateway,
    usesGateway: values.web.use_gateway,
    xaiAccount: async (signal) => accountToken(await deps.models(), "xai-oauth", signal),
  };
  const ofKind = async (kind: Backend["kind"]) => (await deps.backends()).filter((backend) => backend.kind === kind);
  const search: SearchDeps = {
    ...services,
    chosen: values.web.search_backend === "" ? values.web.backend : values.web.search_backend,
    findsSearxng: values.web.find_searxng,
    xaiModel: values.x_search.model,
    plugins: () => ofKind("search"),
  };
  const blockedBy = async (host: string) => (await rules()).blockedBy?.(host);
  const searchWeb = createSearch({ ...search, blockedBy, clock });
  const { model, timeout_seconds: seconds, retries } = values.x_search;
  const searchPosts = createPostSearch({ ...services, clock }, { model, timeoutMs: seconds * 1000, retries });
  const fetchPage = createPageFetcher({
    web: guarded,
    hosts: createHostQueue(clock),
    cache: cacheBytes === 0 ? undefined : createPageCache(pages),
    followsRobots: values.web.robots,
    timeoutMs: values.web.timeout * 1000,
    maxBytes: values.web.max_page_mb * 1_000_000,
    clock,
  });
  return {
    offered: (helpers) => ({
      ...searchWeb,
      searchPosts,
      extract: (wish, signal) =>
        extractPages(
          wish,
          {
            ...(browsers && { renderPage: renderLate(browsers, clock) }),
            ...helpers,
            services,
            fetchPage,
            reading: deps.reading,
            chosen: values.web.extract_backend,
            fallback: values.web.backend,
            plugins: () => ofKind("extract"),
            charLimit: values.web.extract_char_limit,
            texts,
          },
          signal,
        ),
    }),
    async searchState(signal, { isOffline = false } = {}) {
      const chosen = await chooseSearch(isOffline ? withoutLooking(search) : search, signal);
      if (!chosen.ok) return { fault: chosen.error.message };
      const { backend, why, note } = chosen.value;
      return { backend: backend.name, why, ...(note !== undefined && { note }) };
    },
  };
}

/** Chooses by settings and keys alone: sends nothing, and starts no plugin. */
function withoutLooking(search: SearchDeps): SearchDeps {
  return { ...search, findsSearxng: false, plugins: async () => (search.chosen === "" ? [] : search.plugins()) };
}

/** The first page that needs a browser loads its code. */
function renderLate(browsers: () => Promise<OpenedBrowsers>, clock: Clock): RenderPage {
  return async (url, signal) => {
    const { renderInBrowser } = await import("./render-page.ts");
    return renderInBrowser(await browsers(), clock)(url, signal);
  };
}

const maxAgeMs = 30 * 86_400_000;
/** Whole texts are saved even if pages are not cached. */
const minTextBytes = 20_000_000;
