import type { GatewayVendor } from "../../contracts/web/tool-gateway.ts";

/** A service with an HTTP API, and how requests to it are authenticated. */
export interface ServiceRow {
  /** The name in the settings. */
  readonly name: string;
  readonly title: string;
  readonly keyVar: string;
  /** The variable that replaces the address, for a server of one's own or a proxy. */
  readonly addressVar: string;
  readonly baseUrl: string;
  /** The header with the key. `authorization`: with `Bearer`. */
  readonly keyHeader: string;
  /** A server at one's own address works without a key. */
  readonly isKeyOptional?: boolean;
  readonly gateway?: GatewayVendor;
  /** Where a person gets a key. */
  readonly keysUrl: string;
}

export const firecrawl: ServiceRow = {
  name: "firecrawl",
  title: "Firecrawl",
  keyVar: "FIRECRAWL_API_KEY",
  addressVar: "FIRECRAWL_API_URL",
  baseUrl: "https://api.firecrawl.dev",
  keyHeader: "authorization",
  isKeyOptional: true,
  gateway: "firecrawl",
  keysUrl: "https://www.firecrawl.dev",
};

export const parallelWeb: ServiceRow = {
  name: "parallel",
  title: "Parallel",
  keyVar: "PARALLEL_API_KEY",
  addressVar: "PARALLEL_BASE_URL",
  baseUrl: "https://api.parallel.ai",
  keyHeader: "x-api-key",
  keysUrl: "https://platform.parallel.ai",
};

export const tavily: ServiceRow = {
  name: "tavily",
  title: "Tavily",
  keyVar: "TAVILY_API_KEY",
  addressVar: "TAVILY_BASE_URL",
  baseUrl: "https://api.tavily.com",
  keyHeader: "authorization",
  keysUrl: "https://app.tavily.com",
};

export const exa: ServiceRow = {
  name: "exa",
  title: "Exa",
  keyVar: "EXA_API_KEY",
  addressVar: "EXA_BASE_URL",
  baseUrl: "https://api.exa.ai",
  keyHeader: "x-api-key",
  keysUrl: "https://dashboard.exa.ai",
};

export const brave: ServiceRow = {
  name: "brave",
  title: "Brave Search",
  keyVar: "BRAVE_SEARCH_API_KEY",
  addressVar: "BRAVE_BASE_URL",
  baseUrl: "https://api.search.brave.com",
  keyHeader: "x-subscription-token",
  keysUrl: "https://api-dashboard.search.brave.com",
};

export const xai: ServiceRow = {
  name: "xai",
  title: "xAI",
  keyVar: "XAI_API_KEY",
  addressVar: "XAI_BASE_URL",
  baseUrl: "https://api.x.ai/v1",
  keyHeader: "authorization",
  keysUrl: "https://console.x.ai",
};
