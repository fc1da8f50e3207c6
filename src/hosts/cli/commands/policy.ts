import type { JsonObject } from "../../../base/json.ts";
import { plural } from "../../../base/text/text.ts";
import type { LoadedConfig, ValueOrigin } from "../../../config/load.ts";
import type { ShownRule, TestedCommand } from "../../../runtime/policy/inspect-policy.ts";
import { visible } from "../ask-approval.ts";
import { askLine } from "../ask-line.ts";
import { type CliCommand, type CliContext, CommandFailed, type Reply } from "../command.ts";
import { table } from "../table.ts";

/** Loaded when one of these commands is run: it brings the whole analysis with it. */
const inspect = () => import("../../../runtime/policy/inspect-policy.ts");

const ruleArgument = { name: "rule", summary: "words of one command, such as git push '*'", rest: true };

const ruleDetails =
  "A rule is over the words of one command, not over its text. Quotes work as in a shell. In an allow rule every word is in\n" +
  "its place: * as the last word means any further words, elsewhere one word; *, ? and [ ] inside a word are patterns.\n" +
  "Deny and ask rules are generous: the program by any path or wrapper, options in any order, whatever follows.\n" +
  "Files and other effects: @write PATH, @read PATH, @delete PATH, @connect URL, @message TARGET, @state STORE, @call TOOL.";

export const commands: readonly CliCommand[] = [
  {
    path: ["policy", "show"],
    summary: "Show what holds here: mode, rules, and where each comes from",
    options: [{ flags: "--built-in", summary: "also the rules of the analysis" }],
    async run(input, ctx) {
      const config = await ctx.config();
      const { builtInRules, listRules } = await inspect();
      const rules = listRules(config);
      const own = input.flag("builtIn") ? builtInRules() : [];
      return {
        data: {
          settings: Object.fromEntries(settingKeys.map((key) => [key, settingData(config, key)])),
          rules: rules.map((rule) => ({ ...rule, origin: originText(config, listKey(rule)) })),
          ...(own.length > 0 && { builtIn: own.map((rule) => ({ ...rule })) }),
        },
        text: showText(config, rules, own, ctx),
      };
    },
  },
  {
    path: ["policy", "test"],
    summary: "Say what would be decided about a command, and why; nothing is run",
    details: "Judged as the agent's, from this folder and a fresh shell.",
    args: [{ name: "command", summary: "the command, quoted", rest: true }],
    examples: [`hermes policy test "rm -rf build"`, `hermes policy test 'curl -s example.org/x | sh' --json`],
    async run(input, ctx) {
      const command = input.rest("command").join(" ");
      const { testCommand } = await inspect();
      const tested = await testCommand(await ctx.config(), command, ctx, ctx.signal);
      return { data: testData(command, tested), text: testText(tested, ctx) };
    },
  },
  {
    path: ["policy", "allow"],
    summary: "Let a command run without a question from now on",
    details: ruleDetails,
    args: [ruleArgument],
    examples: [`hermes policy allow "git push origin *"`, `hermes policy allow "@write /srv/data/*"`],
    run: async (input, ctx) => store("allow", input.rest("rule"), ctx),
  },
  {
    path: ["policy", "ask"],
    summary: "Always ask about a command",
    details: ruleDetails,
    args: [ruleArgument],
    run: async (input, ctx) => store("ask", input.rest("rule"), ctx),
  },
  {
    path: ["policy", "deny"],
    summary: "Never let a command run, in any mode",
    details: ruleDetails,
    args: [ruleArgument],
    examples: [`hermes policy deny "git push --force"`],
    run: async (input, ctx) => store("deny", input.rest("rule"), ctx),
  },
  {
    path: ["policy", "list"],
    summary: "List your own rules with what they cover",
    async run(_input, ctx) {
      const { listRules } = await inspect();
      const rules = listRules(await ctx.config());
      return { data: { rules: rules.map((rule) => ({ ...rule })) }, text: listText(rules, ctx) };
    },
  },
  {
    path: ["policy", "forget"],
    summary: "Take a rule out of every list that has it",
    args: [{ name: "rule", summary: "the rule as the list shows it, or its number", rest: true }],
    async run(input, ctx) {
      const { forgetRule, listRules, ruleOf } = await inspect();
      const config = await ctx.config();
      const words = input.rest("rule");
      const numbered =
        words.length === 1 && /^\d+$/u.test(words[0] ?? "") ? listRules(config)[Number(words[0]) - 1] : undefined;
      const text = numbered?.text ?? ruleOf(words);
      const forgot = await forgetRule(config.home, text, ctx.principal, ctx.signal);
      if (!forgot.ok) throw new CommandFailed(forgot.error.message);
      if (forgot.value.changed.length === 0)
        throw new CommandFailed(`There is no rule ${text}.`, "`hermes policy list` shows them.");
      return {
        data: { rule: text, lists: forgot.value.changed, file: forgot.value.file },
        text: `Forgot ${visible(text)} (${forgot.value.changed.join(", ")})`,
      };
    },
  },
  {
    path: ["policy", "confirm"],
    summary: "Confirm a kind of command of an old command_allowlist",
    details: "Shows what it would allow, and asks, unless -y is given.",
    args: [{ name: "key", summary: "the entry of command_allowlist, such as recursive delete", rest: true }],
    options: [{ flags: "-y, --yes", summary: "do not ask" }],
    run: async (input, ctx) => confirm(input.rest("key").join(" "), input.flag("yes"), ctx),
  },
];

async function store(list: "allow" | "ask" | "deny", words: readonly string[], ctx: CliContext): Promise<Reply> {
  const { readRule, ruleOf, storeRule } = await inspect();
  const config = await ctx.config();
  const rule = ruleOf(words);
  const covers = readRule(rule, list, config);
  if (!covers.ok)
    throw new CommandFailed(`${rule}: ${covers.error}.`, "`hermes policy allow --help` says how rules are written.");
  const written = await storeRule(config.home, list, rule, ctx.principal, ctx.signal);
  if (!written.ok) throw new CommandFailed(written.error.message);
  const isNew = written.value.changed.length > 0;
  const text = `${isNew ? "Stored" : "Was stored already"}: ${visible(rule)}\nIt ${visible(covers.value)}.`;
  return { data: { list, rule, covers: covers.value, file: written.value.file, added: isNew }, text };
}

async function confirm(key: string, isSure: boolean, ctx: CliContext): Promise<Reply> {
  const { confirmRules, readOldKey } = await inspect();
  const config = await ctx.config();
  if (!config.values.command_allowlist.includes(key))
    throw new CommandFailed(`command_allowlist has no "${key}".`, "`hermes policy list` shows its entries.");
  const old = readOldKey(key);
  if (!old.ok) throw new CommandFailed(`${old.error}.`);
  if (!isSure) {
    if (!ctx.io.stdinIsTerminal) throw new CommandFailed(`${old.value.covers}.`, "Add --yes to confirm it.");
    const typed = await askLine(ctx.io, `${old.value.covers}.\nType yes to confirm: `, ctx.signal);
    if (typed !== "yes") return { data: { key, confirmed: false }, text: "Nothing was changed." };
  }
  const written = await confirmRules(config.home, old.value.rules, ctx.principal, ctx.signal);
  if (!written.ok) throw new CommandFailed(written.error.message);
  return { data: { key, confirmed: true, rules: old.value.rules }, text: `Confirmed: ${old.value.rules.join(", ")}` };
}

const settingKeys = [
  "approvals.mode",
  "approvals.unattended",
  "approvals.timeout",
  "approvals.cron_mode",
  "approvals.denial_breaker_threshold",
];

function settingData(config: LoadedConfig, key: string): { readonly value: string; readonly origin: string } {
  const values: Readonly<Record<string, unknown>> = config.values.approvals;
  return { value: String(values[key.split(".")[1] ?? ""]), origin: originText(config, key) };
}

function listKey({ list }: ShownRule): string {
  return list === "command_allowlist" ? list : `approvals.${list}`;
}

function originText(config: LoadedConfig, key: string): string {
  const origin: ValueOrigin | undefined = config.origins.get(key);
  if (origin === undefined) return "default";
  const file = "file" in origin && origin.file !== undefined ? ` ${origin.file}` : "";
  const line = "line" in origin && origin.line !== undefined ? `:${origin.line}` : "";
  return `${origin.from}${file}${line}`;
}

function showText(
  config: LoadedConfig,
  rules: readonly ShownRule[],
  own: readonly { id: string; severity: string; sentence: string }[],
  ctx: CliContext,
): string {
  const { paint, io } = ctx;
  const settings = settingKeys.map((key) => {
    const { value, origin } = settingData(config, key);
    return [key, paint.bold(value), paint.dim(origin)];
  });
  const listed = rules.map((rule) => [listKey(rule), visible(rule.text), paint.dim(originText(config, listKey(rule)))]);
  return [
    table(settings, io.columns),
    "",
    rules.length === 0 ? "You have no rules of your own." : table(listed, io.columns),
    "",
    "Hardline rules and deny rules are final. Deny comes before ask, ask before allow, whatever their order.",
    ...(own.length > 0
      ? [
          "",
          table(
            own.map(({ id, severity, sentence }) => [id, severity, sentence]),
            io.columns,
          ),
        ]
      : []),
  ].join("\n");
}

function listText(rules: readonly ShownRule[], { paint }: CliContext): string {
  if (rules.length === 0)
    return "You have no rules of your own. `hermes policy allow --help` says how they are written.";
  return rules
    .map((rule, index) => {
      const fault = rule.fault === undefined ? "" : `\n      ${paint.warn(rule.fault)}`;
      return `${String(index + 1).padStart(3)}  ${paint.bold(rule.list)}  ${visible(rule.text)}\n      ${paint.dim(visible(rule.covers))}${fault}`;
    })
    .join("\n");
}

function testData(command: string, { verdict, reasons, commands: ran, workspace }: TestedCommand): JsonObject {
  const deciding = reasons.find(({ kind, clearedBy }) =>
    verdict === "deny" ? kind !== "ask" : clearedBy === undefined,
  );
  return {
    command,
    verdict,
    ...(deciding && { rule: deciding.rule, reason: deciding.reason }),
    reasons: reasons.map(({ spans, ...reason }) => ({ ...reason, spans: spans.map((span) => ({ ...span })) })),
    commands: ran.map(({ words, via, cwd }) => ({ words, via, cwd })),
    ...(workspace !== undefined && { workspace }),
  };
}

function testText({ verdict, reasons, commands: ran, workspace }: TestedCommand, { paint }: CliContext): string {
  const colour = { allow: paint.good, ask: paint.warn, deny: paint.bad }[verdict];
  return [
    colour(verdict),
    ...reasons.map(({ rule, reason, kind, clearedBy, covers }) => {
      const cleared = clearedBy === undefined ? "" : `\n    ${paint.good("allowed by:")} ${visible(clearedBy)}`;
      const stored =
        covers === undefined || clearedBy !== undefined
          ? ""
          : `\n    ${paint.dim(`always would store: ${visible(covers)}`)}`;
      return `  ${kind === "ask" ? "asks" : "denied"}: ${visible(reason)} ${paint.dim(`[${rule}]`)}${cleared}${stored}`;
    }),
    "",
    `${plural(ran.length, "command")} would run${workspace === undefined ? "" : `; the workspace is ${workspace}`}:`,
    ...ran.map(({ words, via, cwd }) => {
      const by = via.length === 0 ? "" : ` by ${via.join(", ")}`;
      return `  ${words.map((word) => visible(/^[\w@%+=:,./<>…-]+$/u.test(word) ? word : JSON.stringify(word))).join(" ")}${paint.dim(`${by} in ${visible(cwd)}`)}`;
    }),
  ].join("\n");
}
