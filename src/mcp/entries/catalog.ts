import type { JsonObject } from "../../base/json.ts";
import { packageOf } from "./package-of.ts";

/** An MCP server that Hermes can add by name. */
export interface CatalogServer {
  readonly name: string;
  readonly about: string;
  readonly settings: JsonObject;
  /** Permissions for the sandbox; undefined for a remote server, or for a program that does not work in a sandbox. */
  readonly permissions?: JsonObject;
  /** Environment variables that the server needs, and where the user gets their values. */
  readonly variables?: readonly { readonly name: string; readonly from: string }[];
}

/** The catalog of servers. Programs have a pinned version: the newest one at the time of this Hermes release. */
export const catalog: readonly CatalogServer[] = [
  npm(
    "everything",
    "@modelcontextprotocol/server-everything",
    "2026.8.31",
    "Shows every feature of the protocol; useful for experiments",
    {},
  ),
  npm(
    "filesystem",
    "@modelcontextprotocol/server-filesystem",
    "2026.8.31",
    "Reads and writes files below the current folder",
    { write: ["$WORKSPACE"] },
    ["."],
  ),
  npm(
    "memory",
    "@modelcontextprotocol/server-memory",
    "2026.8.31",
    "Stores a graph of facts that outlives a session",
    {},
  ),
  npm(
    "sequential-thinking",
    "@modelcontextprotocol/server-sequential-thinking",
    "2026.8.31",
    "Thinks in numbered steps that can be revised",
    {},
  ),
  npm("playwright", "@playwright/mcp", "0.0.83", "Controls a browser", undefined),
  npm(
    "chrome-devtools",
    "chrome-devtools-mcp",
    "1.11.0",
    "Inspects pages with the developer tools of Chrome",
    undefined,
  ),
  npm("context7", "@upstash/context7-mcp", "4.1.1", "Provides up-to-date documentation of libraries", {
    net: ["context7.com", "*.context7.com"],
  }),
  npm("mongodb", "mongodb-mcp-server", "3.0.4", "Queries MongoDB", undefined, ["--readOnly"], {
    name: "MDB_MCP_CONNECTION_STRING",
    from: "your MongoDB deployment",
  }),
  npm("firecrawl", "firecrawl-mcp", "3.26.0", "Crawls and extracts web pages", undefined, [], {
    name: "FIRECRAWL_API_KEY",
    from: "https://www.firecrawl.dev/app/api-keys",
  }),
  npm("tavily", "tavily-mcp", "0.2.22", "Web search", undefined, [], {
    name: "TAVILY_API_KEY",
    from: "https://app.tavily.com",
  }),
  npm("brave-search", "@brave/brave-search-mcp-server", "2.1.4", "Web search", undefined, [], {
    name: "BRAVE_API_KEY",
    from: "https://brave.com/search/api",
  }),
  remote("linear", "https://mcp.linear.app/mcp", "Issues and projects of Linear"),
  remote("notion", "https://mcp.notion.com/mcp", "Pages and databases of Notion"),
  remote("sentry", "https://mcp.sentry.dev/mcp", "Errors and performance from Sentry"),
  remote("atlassian", "https://mcp.atlassian.com/v1/mcp", "Jira and Confluence"),
  remote("stripe", "https://mcp.stripe.com", "Payments of Stripe"),
  remote("vercel", "https://mcp.vercel.com", "Projects and deployments of Vercel"),
  remote("hugging-face", "https://huggingface.co/mcp", "Models, data sets and papers of Hugging Face"),
  {
    name: "github",
    about: "Repositories, issues and pull requests of GitHub",
    settings: { url: "https://api.githubcopilot.com/mcp/", headers: { Authorization: "Bearer ${GITHUB_TOKEN}" } },
    variables: [{ name: "GITHUB_TOKEN", from: "https://github.com/settings/tokens" }],
  },
];

/** The catalog entry that runs the same package in any version, fetched or installed. */
export function knownProgram(command: string, args: readonly string[]): CatalogServer | undefined {
  const fetched = packageOf({ command, args })?.name;
  return catalog.find(({ settings }) => {
    const name = packageIn(settings);
    return name !== undefined && (name === fetched || args.some((arg) => arg.includes(`/node_modules/${name}/`)));
  });
}

function packageIn({ command, args }: JsonObject): string | undefined {
  return typeof command === "string" && Array.isArray(args)
    ? packageOf({ command, args: args.map(String) })?.name
    : undefined;
}

function npm(
  name: string,
  packageName: string,
  version: string,
  about: string,
  permissions: JsonObject | undefined,
  args: readonly string[] = [],
  variable?: { readonly name: string; readonly from: string },
): CatalogServer {
  return {
    name,
    about,
    settings: {
      command: "npx",
      args: ["-y", `${packageName}@${version}`, ...args],
      ...(variable && { env: { [variable.name]: `\${${variable.name}}` } }),
    },
    ...(permissions && { permissions }),
    ...(variable && { variables: [variable] }),
  };
}

function remote(name: string, url: string, about: string): CatalogServer {
  return { name, about, settings: { url, auth: "oauth" } };
}
