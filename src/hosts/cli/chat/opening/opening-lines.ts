import { existsSync } from "node:fs";
import { join } from "node:path";

import { version } from "../../../../base/version.ts";
import type { Session } from "../../../../contracts/session/runtime.ts";
import type { RegisteredTool } from "../../../../contracts/tool/registry.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { pathInHome, type Settings } from "../../../../operations/settings/load-settings.ts";
import type { Paint } from "../../paint.ts";
import { englishTranscript } from "../../screen/texts/english-transcript.ts";
import { wrap } from "../../table.ts";
import { withoutControls } from "../../without-controls.ts";
import { tokenText } from "../feed/status-line.ts";

export interface OpeningFacts {
  readonly tools: readonly RegisteredTool[];
  readonly servers: OutputOf<"servers.states">["servers"];
  readonly columns: number;
  readonly paint: Paint;
}

/** The first lines of a chat. Without a configured model: an introduction, an example and the next step. */
export function openingLines(session: Session, { tools, servers, columns, paint }: OpeningFacts): string {
  const { provider, model, contextTokens, offline } = session.model();
  const { cwd, backend } = session.place();
  const folder = withoutControls(backend === "local" ? cwd : `${backend}:${cwd}`);
  const name = `${paint.bold("Hermes")} ${version}`;
  const head = `${name} · ${provider}/${model} (${offline ? "no AI" : tokenText(contextTokens)}) · ${folder} · ${paint.dim(session.id)}`;
  const first = offline && session.history().length === 0 ? newcomerLines(paint) : [head, paint.dim(keysLine)];
  return [...first, ...pluginLines(session, tools), ...serverLines(servers), ""]
    .map((line) => wrap(line, columns))
    .join("\n");
}

/** The toolsets of plugins with their tools in this session: `calculator: calculate, unit_convert`. */
function pluginLines({ catalog }: Session, tools: readonly RegisteredTool[]): readonly string[] {
  const usable = tools.filter(({ tool, source }) => source.kind === "plugin" && catalog.has(tool.name));
  return Array.from(
    Map.groupBy(usable, ({ tool }) => tool.toolset),
    ([toolset, own]) => withoutControls(`${toolset}: ${own.map(({ tool }) => tool.name).join(", ")}`),
  );
}

function serverLines(servers: OpeningFacts["servers"]): readonly string[] {
  const text = serverStates(servers);
  return text === "" ? [] : [`MCP: ${text}`];
}

/** The states of MCP servers on one line: `files, git ready · mail signed out (hermes mcp login mail)`. */
export function serverStates(
  servers: OpeningFacts["servers"],
  texts: OpeningTexts = englishTranscript.opening,
): string {
  const shown = servers.filter(({ state }) => state !== "disabled");
  if (shown.length === 0) return "";
  const groups = Array.from(
    Map.groupBy(shown, ({ state }) => texts.serverStates[state]),
    ([words, group]) => {
      const names = group.slice(0, maxServerNames).map(({ name }) => name);
      const more = group.length > names.length ? texts.moreServers(group.length - names.length) : "";
      const login =
        group[0]?.state === "signed_out" ? ` (hermes mcp login ${group.length === 1 ? names.join() : "NAME"})` : "";
      return `${names.join(", ")}${more} ${words}${login}`;
    },
  );
  return withoutControls(groups.join(" · "));
}

const maxServerNames = 6;
type OpeningTexts = (typeof englishTranscript)["opening"];

/** Introduction for a user without a model: five lines that fit 80 columns. */
export function newcomerLines(paint: Paint, { newcomer }: OpeningTexts = englishTranscript.opening): readonly string[] {
  const tries = ["list the files here", "run uname -a", "write hi to a.txt and then show it"];
  return [
    `${paint.bold("Hermes")} ${version}: ${newcomer.about}`,
    newcomer.noModel,
    newcomer.examples(tries.map(paint.accent).join(" · ")),
    newcomer.connect(paint.accent("hermes setup")),
    paint.dim(keysLine),
  ];
}

/** The lines for a chat that starts without a terminal and without piped input. */
export function noTerminalLines(paint: Paint): string {
  return [
    `${paint.bold("Hermes")} ${version}: an agent with real tools on this machine. It asks before it does anything dangerous.`,
    "There is no terminal for a chat, and no piped input.",
    `One prompt: ${paint.accent('hermes -z "list the files here"')}`,
    `To connect a real model: ${paint.accent("hermes setup")}, or without questions ${paint.accent("hermes setup --provider ID --model NAME")}`,
    paint.dim("hermes --help lists all commands"),
    "",
  ].join("\n");
}

/** Shown once, before this home has sessions: offers to import those of the Python version. */
export function importOffer({ home }: Settings, paint: Paint): string {
  if (existsSync(pathInHome(home, "sessions")) || !existsSync(join(home.path, "state.db"))) return "";
  return `Hermes in Python uses this home: ${paint.accent(`hermes import hermes-python ${home.path}`)} imports its sessions.\n`;
}

const keysLine = "/help lists commands · Ctrl-C interrupts, twice exits · Ctrl-D exits";
