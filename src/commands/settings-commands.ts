import { plural, oneLine } from "../base/text/text.ts";
import { version } from "../base/version.ts";
import type { Command, CommandReply } from "../contracts/host/command.ts";
import { rows } from "./reply-text.ts";
import { resolveCommand } from "./resolve-command.ts";
import type { SlashCommand } from "./slash-command.ts";

export const settingsCommands: readonly SlashCommand[] = [
  {
    name: "help",
    args: "[command]",
    maxWords: 1,
    summary: "List the commands, or explain one",
    async run(args, { commands }) {
      if (args !== "") {
        const resolved = resolveCommand(args.startsWith("/") ? args : `/${args}`, commands, true);
        if (resolved.kind !== "found") return { text: `There is no command /${args}.`, failed: true };
        return { text: about(resolved.command) };
      }
      const skills = ["/NAME …", "Use the skill with this name; /skills lists skills"] as const;
      return { text: rows([...commands.map((command) => [briefly(command), command.summary] as const), skills]) };
    },
  },
  {
    name: "tools",
    args: "[all]",
    maxWords: 1,
    summary: "Show the tools of this session, and why others are missing",
    async run(args, ctx) {
      if (args !== "" && args !== "all") return onlyAll("tools", args);
      const { tools } = await ctx.run("tools.inSession", {});
      const usable = tools.filter(({ state }) => state !== "missing");
      const shown = args === "all" ? tools : usable;
      const list = rows(
        shown.map(({ name, toolset, state, why }) => {
          if (state === "direct") return [name, toolset];
          return [name, `${toolset}, ${state === "searchable" ? "found by search" : why}`];
        }),
      );
      const missing = tools.length - usable.length;
      const rest = args === "all" || missing === 0 ? "" : `\n${plural(missing, "more tool")}: /tools all`;
      return { text: `${list}${rest}` };
    },
  },
  {
    name: "toolsets",
    args: "[all]",
    maxWords: 1,
    summary: "Show the toolsets",
    async run(args, ctx) {
      if (args !== "" && args !== "all") return onlyAll("toolsets", args);
      const { toolsets } = await ctx.run("toolsets.inSession", {});
      const shown = args === "all" ? toolsets : toolsets.filter(({ tools, role }) => tools > 0 && role !== "preset");
      const list = rows(
        shown.map(({ name, tools, description }) => [name, `${plural(tools, "tool")} · ${description}`]),
      );
      const hidden = toolsets.length - shown.length;
      return {
        text: hidden === 0 ? list : `${list}\n${hidden} more, empty here or for other platforms: /toolsets all`,
      };
    },
  },
  {
    name: "config",
    args: "[key]",
    maxWords: 1,
    summary: "Show changed settings, or the settings whose key contains a word",
    where: "terminal",
    async run(args, ctx) {
      const { settings } = await ctx.run("config.show", { changed: args === "" });
      const shown = settings.filter(({ key }) => key.includes(args));
      if (shown.length === 0)
        return { text: args === "" ? "All settings have their default values." : `No setting contains "${args}".` };
      const list = shown.slice(0, maxShown).map(({ key, value, origin }) => {
        const text = oneLine(typeof value === "string" ? value : JSON.stringify(value), 120);
        return [key, `${text}  (${origin.from === "environment" ? origin.name : origin.from})`] as const;
      });
      const more = shown.length > maxShown ? `\n  and ${shown.length - maxShown} more: hermes config show` : "";
      return { text: `${rows(list)}${more}` };
    },
  },
  {
    name: "version",
    aliases: ["v"],
    summary: "Show the version",
    run: async () => ({ text: `hermes ${version}` }),
  },
];

/** Toolsets are chosen when a chat starts. */
function onlyAll(name: string, args: string): CommandReply {
  return {
    text: `/${name} does not know "${args}", only "all". To choose toolsets: hermes -t NAMES, or hermes config set toolsets NAMES`,
    failed: true,
  };
}

function usage({ name, args }: Command): string {
  return args === undefined ? `/${name}` : `/${name} ${args}`;
}

/** A short usage that leaves space for the summary. */
function briefly(command: Command): string {
  const whole = usage(command);
  return whole.length <= maxUsageWidth ? whole : `/${command.name} …`;
}

const maxUsageWidth = 26;

const busyTexts = {
  now: "Works while a turn runs.",
  interrupt: "Stops the running turn first.",
  refuse: "Waits until no turn runs.",
} as const;

function about(command: Command): string {
  const { aliases = [], whileBusy, summary } = command;
  const also = aliases.length === 0 ? "" : ` Also: ${aliases.map((alias) => `/${alias}`).join(", ")}.`;
  return `${usage(command)}\n${summary}. ${busyTexts[whileBusy ?? "now"]}${also}`;
}

const maxShown = 40;
