import { PlainFailure } from "../../../base/plain-failure.ts";
import { err, ok, type Result } from "../../../base/result.ts";
import { oneLine, plural } from "../../../base/text/text.ts";
import type { Answer, PendingApproval } from "../../../contracts/safety/approval.ts";
import type { OutputOf } from "../../../operations/catalog.ts";
import { type CliContext, CommandFailed } from "../command.ts";
import { escapeInvisible } from "../escape-invisible.ts";
import type { Paint } from "../paint.ts";
import { wrap } from "../table.ts";

type TestedRule = OutputOf<"policy.tryRule">;

/** Tests a rule before it is saved. `question`: the exact rules that the question shows. */
export type TryRule = (
  rule: string,
  question: readonly string[],
  signal: AbortSignal,
) => Promise<Result<TestedRule, { readonly message: string }>>;

/** Shows a rule to a person and lets them edit it. */
export interface RuleDialog {
  readonly paint: Paint;
  columns(): number;
  readonly tryRule: TryRule;
  /** Reads one line. Enter alone returns `initial`. */
  ask(line: { readonly text: string; readonly prompt: string; readonly initial: string }): Promise<string>;
  say(sentence: string): void;
  /** True: the dialog itself explains how to save and exit, so the text does not. */
  readonly hasOwnHint?: boolean;
}

/** The answer "always" with the rules that the user saved. Undefined: the user returned to the question. */
export async function chooseRules(
  { asks }: Pick<PendingApproval, "asks">,
  dialog: RuleDialog,
  signal: AbortSignal,
): Promise<Answer | undefined> {
  const rules: string[] = [];
  for (const exact of new Set(asks.flatMap(({ covers }) => covers ?? []))) {
    const rule = await editRule(exact, [exact], dialog, signal);
    if (rule === undefined) return undefined;
    rules.push(rule);
  }
  dialog.say(
    ["Allowed: always. Saved:", ...rules.map((rule) => `  ${dialog.paint.accent(escapeInvisible(rule))}`)].join("\n"),
  );
  return { scope: "always", rules };
}

/**
 * Shows a rule and the calls that it would have allowed, until the user saves it. Undefined: the user returned to the
 * question.
 */
export async function editRule(
  rule: string,
  question: readonly string[],
  { tryRule, ask, paint, columns, hasOwnHint = false }: RuleDialog,
  signal: AbortSignal,
): Promise<string | undefined> {
  for (let shown = rule; ;) {
    const trial = await tryRule(shown, question, signal);
    const text = trial.ok ? ruleTestText(trial.value, paint) : `  ${paint.bad(escapeInvisible(trial.error.message))}`;
    const how = trial.ok ? "Enter saves this rule. Edit it to test another. back: do not save." : "Edit it, or: back.";
    const lines = `\n${text}${hasOwnHint ? "" : `\n  ${paint.dim(how)}`}`
      .split("\n")
      .map((line) => wrap(line, columns()));
    const typed = (await ask({ text: lines.join("\n"), prompt: "Rule: ", initial: shown })).trim();
    if (typed === "" || typed === "back") return undefined;
    if (typed === shown && trial.ok) return shown;
    shown = typed;
  }
}

/** Asks at a terminal that echoes the input. */
export function terminalDialog(
  { io, paint, run }: Pick<CliContext, "io" | "paint" | "run">,
  readLine: (question: { readonly text: string; readonly prompt: string }) => Promise<string>,
): RuleDialog {
  return {
    paint,
    columns: () => io.columns,
    async tryRule(rule, question) {
      try {
        return ok(await run("policy.tryRule", { rule: [rule], question }));
      } catch (thrown) {
        if (thrown instanceof CommandFailed || thrown instanceof PlainFailure) return err({ message: thrown.message });
        throw thrown;
      }
    },
    async ask({ text, prompt, initial }) {
      const line = await readLine({ text, prompt });
      return line.trim() === "" ? initial : line;
    },
    say: (sentence) => io.warn(`${sentence}\n`),
  };
}

const maxShown = 5;

/** Lists the coverage of a rule, the calls that it would have allowed, and those that it does not cover. */
export function ruleTestText({ rule, covers, uncovered, calls, allows, leaves }: TestedRule, paint: Paint): string {
  const count = (tried: TestedRule["allows"]) => tried.reduce((sum, { times }) => sum + times, 0);
  return [
    `  ${paint.accent(escapeInvisible(rule))}`,
    `  It ${escapeInvisible(covers)}.`,
    ...(uncovered.length === 0 ? [] : [`  ${paint.warn("It does not cover the call that needs approval now.")}`]),
    calls === 0
      ? "  There are no earlier calls to test it on."
      : `  Of your last ${plural(calls, "call")} it would have allowed ${count(allows)} that ask without it${allows.length === 0 ? "." : ":"}`,
    ...listed(allows, () => "", paint),
    ...(leaves.length === 0 ? [] : [`  It would not settle ${count(leaves)} of the same program:`]),
    ...listed(leaves, ({ reasons }) => reasons.map((each) => each.rule).join(", "), paint),
  ].join("\n");
}

function listed(
  tried: TestedRule["allows"],
  note: (call: TestedRule["allows"][number]) => string,
  paint: Paint,
): readonly string[] {
  const rest = tried.length - maxShown;
  return [
    ...tried.slice(0, maxShown).map((call) => {
      const times = call.times === 1 ? "" : ` ×${call.times}`;
      const why = note(call);
      return `    ${escapeInvisible(oneLine(call.text, 100))}${paint.dim(`${times}${why === "" ? "" : ` [${escapeInvisible(why)}]`}`)}`;
    }),
    ...(rest > 0 ? [paint.dim(`    … and ${rest} more`)] : []),
  ];
}
