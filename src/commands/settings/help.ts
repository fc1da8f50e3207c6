import type { Command } from "../../contracts/host/command.ts";
import { rows } from "../reply-text.ts";
import { resolveCommand } from "../resolve-command.ts";
import type { SlashCommand } from "../slash-command.ts";
import { quickSummary } from "./quick-command.ts";

export const helpCommand: SlashCommand = {
  name: "help",
  args: "[command]",
  maxWords: 1,
  summary: "List the commands, or explain one",
  choices: (before, { commands }) =>
    before.length > 0 ? [] : commands.map(({ name, summary }) => ({ value: name, summary })),
  async run(args, { commands, run }) {
    if (args !== "") {
      const resolved = resolveCommand(args.startsWith("/") ? args : `/${args}`, commands, true);
      if (resolved.kind !== "found") return { text: `There is no command /${args}.`, failed: true };
      return { text: about(resolved.command) };
    }
    const quick = (await run("quick.list", {})).commands.map((each) => [`/${each.name}`, quickSummary(each)] as const);
    const skills = ["/NAME …", "Use the skill with this name; /skills lists skills"] as const;
    return {
      text: rows([...commands.map((command) => [briefly(command), command.summary] as const), ...quick, skills]),
    };
  },
};

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
