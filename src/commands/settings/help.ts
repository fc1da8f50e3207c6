import type { Command } from "../../contracts/host/command.ts";
import { rows } from "../reply-text.ts";
import { resolveCommand } from "../resolve-command.ts";
import type { SlashCommand } from "../slash-command.ts";
import { type QuickCommand, quickSummary } from "./quick-command.ts";

export const helpCommand: SlashCommand = {
  name: "help",
  args: "[command|all|keys]",
  maxWords: 1,
  summary: "List the commands, or explain one",
  choices: (before, { commands }) =>
    before.length > 0 ? [] : ["all", "keys", ...commands.map(({ name, summary }) => ({ value: name, summary }))],
  async run(args, { commands, columns, hasPanels, run }) {
    if (args === "keys") return hasPanels ? { text: "", effect: { kind: "open", panel: "keys" } } : { text: fewKeys };
    if (args !== "" && args !== "all") {
      const resolved = resolveCommand(args.startsWith("/") ? args : `/${args}`, commands, true);
      if (resolved.kind !== "found") return { text: `There is no command /${args}.`, failed: true };
      return { text: about(resolved.command) };
    }
    const quick = (await run("quick.list", {})).commands;
    return { text: args === "all" ? explainAll(commands, quick) : overview(commands, quick, columns) };
  },
};

/** Lists only the names, so that they fit on a screen of 24 rows. */
function overview(commands: readonly Command[], quick: readonly QuickCommand[], columns: number): string {
  const groups = Map.groupBy(
    commands,
    ({ heading, plugin }) => heading ?? (plugin === undefined ? "Other" : "Plugins"),
  );
  const names = [...groups].map(([heading, members]) => [heading, members.map(({ name }) => name)] as const);
  const all = quick.length === 0 ? names : [...names, ["Quick", quick.map(({ name }) => name)] as const];
  const width = Math.max(...all.map(([heading]) => heading.length));
  const lines = all.flatMap(([heading, members]) =>
    wrapWords(
      members.map((name) => `/${name}`),
      columns - width - 4,
    ).map((line, index) => [index === 0 ? heading : "", line] as const),
  );
  return `${rows(lines)}\n\n/help NAME explains one, /help all explains all, /help keys lists the keys. /SKILL … uses a skill; /skills lists skills.`;
}

/** Keys of a chat without panels. */
const fewKeys =
  "Enter sends, ↑ shows earlier prompts, Tab completes. Ctrl-C interrupts, twice exits; Ctrl-D exits. The full screen has more keys: hermes --tui.";

function wrapWords(words: readonly string[], maxChars: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= maxChars) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

function explainAll(commands: readonly Command[], quick: readonly QuickCommand[]): string {
  const builtin = commands.map((command) => [briefly(command), command.summary] as const);
  const own = quick.map((each) => [`/${each.name}`, quickSummary(each)] as const);
  return rows([...builtin, ...own, ["/NAME …", "Use the skill with this name; /skills lists skills"]]);
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
