import type { Session } from "../../../../contracts/session/runtime.ts";
import type { RegisteredTool } from "../../../../contracts/tool/registry.ts";
import type { Settings } from "../../../../operations/settings/load-settings.ts";
import type { OpeningBlockFacts } from "./opening-block.ts";

export interface OpeningSources {
  readonly session: Session;
  readonly config: Settings;
  readonly tools: readonly RegisteredTool[];
  readonly servers: OpeningBlockFacts["servers"];
  readonly skills: number;
}

/** The facts of the first lines, from a session that is open. */
export function openingFacts({ session, config, tools, servers, skills }: OpeningSources): OpeningBlockFacts {
  const { provider, model, contextTokens, offline } = session.model();
  const { cwd, backend } = session.place();
  const { profile } = config.home;
  const usable = tools.filter(({ tool, source }) => source.kind !== "mcp" && session.catalog.has(tool.name));
  const groups = Map.groupBy(usable, ({ tool }) => tool.toolset);
  return {
    model: `${provider}/${model}`,
    contextTokens,
    isOffline: offline === true,
    isNewcomer: offline === true && session.history().length === 0,
    folder: backend === "local" ? shortFolder(cwd, config.env["HOME"] ?? "") : `${backend}:${cwd}`,
    sessionId: session.id,
    ...(profile !== "default" && { profile }),
    toolsets: Array.from(groups, ([name, own]) => ({
      name,
      tools: own.map(({ tool }) => tool.name).toSorted(),
    })).toSorted((a, b) => placeOf(a.name) - placeOf(b.name) || (a.name < b.name ? -1 : 1)),
    servers,
    skills,
  };
}

/** Popular toolsets come first. */
const firstToolsets = ["file", "terminal", "web", "browser", "code_execution", "delegation", "memory"];

function placeOf(toolset: string): number {
  const index = firstToolsets.indexOf(toolset);
  return index < 0 ? firstToolsets.length : index;
}

function shortFolder(folder: string, home: string): string {
  if (home === "" || home === "/") return folder;
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}
