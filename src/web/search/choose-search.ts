import { err, ok, type Result } from "../../base/result.ts";
import { didYouMean } from "../../base/text/nearest.ts";
import type { Backend } from "../../contracts/plugin/backend.ts";
import { isConfigured, isThroughGateway, type ServiceDeps } from "../services/service-access.ts";
import { brave, exa, firecrawl, parallelWeb, tavily } from "../services/service-row.ts";
import { createDuckDuckGo } from "./duckduckgo.ts";
import { pluginSearch } from "./plugin-search.ts";
import type { SearchBackend } from "./search-backend.ts";
import { createSearxng, findSearxng } from "./searxng.ts";
import { serviceBackends } from "./service-backends.ts";
import { createXaiSearch } from "./xai-search.ts";

export interface SearchDeps extends ServiceDeps {
  /** The setting `web.search_backend`, or else `web.backend`. If empty, the first backend that works is used. */
  readonly chosen: string;
  /** Whether to look for a SearXNG server if none is configured. */
  readonly findsSearxng: boolean;
  /** The addresses to check. Default: the usual ones. */
  readonly searxngAddresses?: readonly string[];
  readonly xaiModel: string;
  /** Search engines of plugins. */
  plugins(): Promise<readonly Backend[]>;
}

export interface ChosenSearch {
  readonly backend: SearchBackend;
  /** The reason as text for a person: `FIRECRAWL_API_KEY is set`. */
  readonly why: string;
  /** A note about the choice, for the reader of the results. */
  readonly note?: string;
}

/** The names that the settings accept, without those of plugins. */
const searchBackendNames: readonly string[] = [
  "firecrawl",
  "parallel",
  "tavily",
  "exa",
  "searxng",
  "brave",
  "ddgs",
  "xai",
];

/** The search engine that the settings name, or the first that works. Never rejects. */
export async function chooseSearch(deps: SearchDeps, signal: AbortSignal): Promise<Result<ChosenSearch>> {
  const name = spelled(deps.chosen);
  return name === "" ? ok(await firstUsable(deps, signal)) : byName(name, deps);
}

async function byName(name: string, deps: SearchDeps): Promise<Result<ChosenSearch>> {
  const why = "the settings name it";
  if (name === "searxng") {
    const address = addressOf(deps);
    if (address !== "") return ok({ backend: createSearxng(address, deps.web), why });
    return err({ message: "SearXNG needs the address of a server: hermes config set SEARXNG_URL http://…" });
  }
  const backend = [
    ...serviceBackends(deps),
    createDuckDuckGo(deps.web, deps.secret("DDGS_URL")),
    createXaiSearch(deps, deps.xaiModel),
  ].find((each) => each.name === name);
  if (backend) return ok({ backend, why });
  const others = await deps.plugins();
  const plugin = others.find(({ id }) => id === name);
  if (plugin) return ok({ backend: pluginSearch(plugin), why });
  const names = [...searchBackendNames, ...others.map(({ id }) => id)];
  const hint = didYouMean(name, names);
  return err({
    message: `web.search_backend: there is no search engine "${name}". ${hint === "" ? "" : `${hint} `}Known: ${names.join(", ")}.`,
  });
}

async function firstUsable(deps: SearchDeps, signal: AbortSignal): Promise<ChosenSearch> {
  const services = serviceBackends(deps);
  const ofService = (row: typeof firecrawl, why: string): ChosenSearch | undefined => {
    const backend = services.find(({ name }) => name === row.name);
    return backend && { backend, why };
  };
  if (deps.usesGateway) {
    const chosen = ofService(firecrawl, "web.use_gateway is on");
    if (chosen) return chosen;
  }
  const row = [firecrawl, parallelWeb, tavily, exa].find((each) => isConfigured(each, deps));
  const chosen = row && ofService(row, `${row.keyVar} or its address is set`);
  if (chosen) return chosen;
  const address = addressOf(deps);
  if (address !== "") return { backend: createSearxng(address, deps.web), why: "SEARXNG_URL is set" };
  const last = isConfigured(brave, deps)
    ? ofService(brave, "BRAVE_SEARCH_API_KEY is set")
    : isThroughGateway(firecrawl, deps)
      ? ofService(firecrawl, "the Nous tool gateway is set up")
      : undefined;
  if (last) return last;
  for (const plugin of await deps.plugins())
    if (await plugin.isAvailable(signal))
      return { backend: pluginSearch(plugin), why: `the plugin brings ${plugin.title}` };
  const local = deps.findsSearxng ? await findSearxng(deps.web, signal, deps.searxngAddresses) : undefined;
  if (local !== undefined)
    return {
      backend: createSearxng(local, deps.web),
      why: `a SearXNG answers at ${local}`,
      note: `The SearXNG that answers at ${local} was used. \`hermes config set SEARXNG_URL ${local}\` keeps it.`,
    };
  return { backend: createDuckDuckGo(deps.web, deps.secret("DDGS_URL")), why: "no key is set; best effort" };
}

function addressOf({ secret }: SearchDeps): string {
  return (secret("SEARXNG_URL") ?? "").trim();
}

/** Accepts the names of the Python version too. */
function spelled(name: string): string {
  const word = name.trim().toLowerCase();
  if (/^brave[-_ ](?:free|search)$/u.test(word)) return "brave";
  if (word === "duckduckgo" || word === "ddg") return "ddgs";
  if (word === "searx") return "searxng";
  return word === "auto" ? "" : word;
}
