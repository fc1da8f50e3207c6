import { plural } from "../../../../base/text/text.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { type CliCommand, type CliContext, type CliInput, CommandFailed, type Reply } from "../../command.ts";
import { escapeInvisible } from "../../escape-invisible.ts";
import { askLine } from "../../questions/ask-line.ts";
import { editRule, terminalDialog, ruleTestText } from "../../questions/choose-rules.ts";
import { table } from "../../table.ts";

const ruleArgument = { name: "rule", summary: "words of one command, such as git push '*'", rest: true };

const ruleDetails =
  "A rule matches the words of one command, not its text. Quotes work as in a shell. In an allow rule every word has its place:\n" +
  "* as the last word matches any further words, elsewhere one word; *, ? and [ ] inside a word are patterns.\n" +
  "Deny and ask rules match the program by any path or wrapper, options in any order, and any further words.\n" +
  "Files and other effects: @write PATH, @read PATH, @delete PATH, @connect URL, @message TARGET, @state STORE, @call TOOL.";

/** Exit codes of `policy test`. */
const verdictCodes = { allow: 0, deny: 4, ask: 5 } as const;

export const commands: readonly CliCommand[] = [
  {
    path: ["policy", "show"],
    summary: "Show the mode and the rules, with their origins",
    options: [{ flags: "--built-in", summary: "also the rules of the command analysis" }],
    async run(input, ctx) {
      const shown = await ctx.run("policy.show", { builtIn: input.flag("builtIn") });
      return { data: shown, text: showText(shown, ctx) };
    },
  },
  {
    path: ["policy", "test"],
    summary: "Show the verdict on a command and the reasons, without running it",
    details:
      "Judged as a command of the agent, in this folder and a fresh shell. The exit code is 0 for allow, 4 for deny and 5 for ask.",
    args: [{ name: "command", summary: "the command, quoted", rest: true }],
    examples: [`hermes policy test "rm -rf build"`, `hermes policy test 'curl -s example.org/x | sh' --json`],
    async run(input, ctx) {
      const tested = await ctx.run("policy.test", { command: input.rest("command").join(" ") });
      return { data: tested, text: testText(tested, ctx), exitCode: verdictCodes[tested.verdict] };
    },
  },
  {
    path: ["policy", "allow"],
    summary: "Allow a command without a question",
    details: `${ruleDetails}\n\nThe rule is tested on your newest calls first. At a terminal you can edit it before it is saved.`,
    args: [ruleArgument],
    options: [
      { flags: "--dry-run", summary: "test the rule, save nothing" },
      { flags: "-y, --yes", summary: "save it at once, without a test" },
    ],
    examples: [
      `hermes policy allow "git push origin *"`,
      `hermes policy allow "@write /srv/data/*"`,
      `hermes policy allow --dry-run "npm publish *"`,
    ],
    run: allow,
  },
  {
    path: ["policy", "ask"],
    summary: "Always ask before a command runs",
    details: ruleDetails,
    args: [ruleArgument],
    run: async (input, ctx) => stored(await ctx.run("policy.ask", { rule: input.rest("rule") })),
  },
  {
    path: ["policy", "deny"],
    summary: "Deny a command in every mode",
    details: ruleDetails,
    args: [ruleArgument],
    examples: [`hermes policy deny "git push --force"`],
    run: async (input, ctx) => stored(await ctx.run("policy.deny", { rule: input.rest("rule") })),
  },
  {
    path: ["policy", "list"],
    summary: "List your own rules and what they cover",
    async run(_input, ctx) {
      const listed = await ctx.run("policy.list", {});
      return { data: listed, text: listText(listed, ctx) };
    },
  },
  {
    path: ["policy", "forget"],
    summary: "Remove a rule from every list that has it",
    args: [{ name: "rule", summary: "the rule as the list shows it, or its number", rest: true }],
    async run(input, ctx) {
      const removed = await ctx.run("policy.forget", { rule: input.rest("rule") });
      return { data: removed, text: `Removed ${escapeInvisible(removed.rule)} (${removed.lists.join(", ")})` };
    },
  },
  {
    path: ["policy", "confirm"],
    summary: "Confirm a command category of an old command_allowlist",
    details: "Shows what it would allow and asks, unless you pass -y.",
    args: [{ name: "key", summary: "the entry of command_allowlist, such as recursive delete", rest: true }],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    run: async (input, ctx) => confirm(input.rest("key").join(" "), input.flag("yes"), ctx),
  },
];

async function allow(input: CliInput, ctx: CliContext): Promise<Reply> {
  const words = input.rest("rule");
  if (input.flag("yes") && !input.flag("dryRun")) return stored(await ctx.run("policy.allow", { rule: words }));
  const trial = await ctx.run("policy.tryRule", { rule: words });
  if (input.flag("dryRun")) return { data: trial, text: ruleTestText(trial, ctx.paint) };
  const isAsked = ctx.io.stdinIsTerminal && !ctx.json;
  const dialog = terminalDialog(ctx, ({ text, prompt }) => askLine(ctx.io, `${text}\n${prompt}`, ctx.signal));
  const rule = isAsked ? await editRule(trial.rule, [], dialog, ctx.signal) : trial.rule;
  if (rule === undefined) return { data: { ...trial, added: false }, text: "Nothing was saved." };
  const reply = stored(await ctx.run("policy.allow", { rule: [rule] }));
  return isAsked ? reply : { ...reply, text: `${ruleTestText(trial, ctx.paint)}\n${reply.text}` };
}

function stored(rule: OutputOf<"policy.allow">): Reply {
  const state = rule.added ? "Stored" : "Already stored";
  return { data: rule, text: `${state}: ${escapeInvisible(rule.rule)}\nIt ${escapeInvisible(rule.covers)}.` };
}

async function confirm(key: string, isSure: boolean, ctx: CliContext): Promise<Reply> {
  const { covers } = await ctx.run("policy.legacyEntry", { key });
  if (!isSure) {
    if (!ctx.io.stdinIsTerminal) throw new CommandFailed(`${covers}.`, "Pass --yes to confirm it.", 2);
    const typed = await askLine(ctx.io, `${covers}.\nType yes to confirm: `, ctx.signal);
    if (typed !== "yes") return { data: { key, confirmed: false }, text: "Nothing was changed." };
  }
  const confirmed = await ctx.run("policy.confirm", { key });
  return { data: confirmed, text: `Confirmed: ${confirmed.rules.join(", ")}` };
}

function showText({ settings, rules, builtIn = [] }: OutputOf<"policy.show">, { paint, io }: CliContext): string {
  const settingRows = Object.entries(settings).map(([key, { value, origin }]) => [
    key,
    paint.bold(value),
    paint.dim(origin),
  ]);
  const ruleRows = rules.map(({ key, text, origin }) => [key, escapeInvisible(text), paint.dim(origin)]);
  const builtInRows = builtIn.map(({ id, severity, sentence }) => [id, severity, sentence]);
  return [
    table(settingRows, io.columns),
    "",
    rules.length === 0 ? "You have no rules of your own." : table(ruleRows, io.columns),
    "",
    "Hard blocks and deny rules are final. Deny takes precedence over ask, and ask over allow, in any order.",
    ...(builtIn.length > 0 ? ["", table(builtInRows, io.columns)] : []),
  ].join("\n");
}

function listText({ rules }: OutputOf<"policy.list">, { paint }: CliContext): string {
  if (rules.length === 0)
    return "You have no rules of your own. `hermes policy allow --help` explains how to write them.";
  return rules
    .map((rule, index) => {
      const fault = rule.fault === undefined ? "" : `\n      ${paint.warn(rule.fault)}`;
      return `${String(index + 1).padStart(3)}  ${paint.bold(rule.list)}  ${escapeInvisible(rule.text)}\n      ${paint.dim(escapeInvisible(rule.covers))}${fault}`;
    })
    .join("\n");
}

function testText(tested: OutputOf<"policy.test">, { paint }: CliContext): string {
  const { verdict, reasons, commands: programs, workspace } = tested;
  const colour = { allow: paint.good, ask: paint.warn, deny: paint.bad }[verdict];
  return [
    colour(verdict),
    ...reasons.map(({ rule, reason, kind, clearedBy, covers }) => {
      const cleared = clearedBy === undefined ? "" : `\n    ${paint.good("allowed by:")} ${escapeInvisible(clearedBy)}`;
      const always =
        covers === undefined || clearedBy !== undefined
          ? ""
          : `\n    ${paint.dim(`always would store: ${escapeInvisible(covers)}`)}`;
      return `  ${kind === "ask" ? "asks" : "denied"}: ${escapeInvisible(reason)} ${paint.dim(`[${rule}]`)}${cleared}${always}`;
    }),
    "",
    `${plural(programs.length, "command")} would run${workspace === undefined ? "" : `; the workspace is ${workspace}`}:`,
    ...programs.map(({ words, via, cwd }) => {
      const by = via.length === 0 ? "" : ` by ${via.join(", ")}`;
      const shown = words.map((word) =>
        escapeInvisible(/^[\w@%+=:,./<>…-]+$/u.test(word) ? word : JSON.stringify(word)),
      );
      return `  ${shown.join(" ")}${paint.dim(`${by} in ${escapeInvisible(cwd)}`)}`;
    }),
  ].join("\n");
}
