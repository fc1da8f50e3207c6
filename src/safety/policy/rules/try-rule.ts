import type { PolicyRequest } from "../../../contracts/safety/approval.ts";
import type { ExplainedPolicy } from "../policy.ts";
import { indexRules } from "./match-rule.ts";
import type { WordRule } from "./rule-text.ts";

/** The past calls that an allow rule would have affected. */
export interface RuleTrial {
  /** The number of calls that were judged. */
  readonly calls: number;
  /** Calls that would have run without the question that they cause now. */
  readonly allows: readonly TriedCall[];
  /** Calls of the same program or kind that the rule does not cover: they still need approval, or are denied. */
  readonly leaves: readonly TriedCall[];
}

export interface TriedCall {
  /** The command, or the effects if the call is not a command. */
  readonly text: string;
  readonly cwd: string;
  readonly times: number;
  /** The questions that the rule answers, or those that remain. */
  readonly reasons: readonly { readonly rule: string; readonly reason: string }[];
}

/** Judges each distinct call by the current rules, with and without the new rule. */
export async function tryRule(
  policy: Pick<ExplainedPolicy, "explain">,
  rule: WordRule,
  past: readonly PolicyRequest[],
  signal: AbortSignal,
): Promise<RuleTrial> {
  const allows: TriedCall[] = [];
  const leaves: TriedCall[] = [];
  const concerned = indexRules([anyUseOf(rule)]);
  const distinct = Map.groupBy(past, ({ tool, effects, place }) => JSON.stringify([tool, effects, place.cwd]));
  for (const requests of distinct.values()) {
    signal.throwIfAborted();
    const [request] = requests;
    if (!request) continue;
    const { verdict, asks, denials, subjects, text } = await policy.explain(request, signal, rule);
    const answered = asks.filter(({ clearedBy }) => clearedBy === rule.text);
    const left = asks.filter(({ clearedBy }) => clearedBy === undefined);
    const tried = (reasons: TriedCall["reasons"]): TriedCall => ({
      text,
      cwd: request.place.cwd,
      times: requests.length,
      reasons: reasons.map(({ rule: id, reason }) => ({ rule: id, reason })),
    });
    if (verdict === "allow" && answered.length > 0) allows.push(tried(answered));
    else if (verdict !== "allow" && (answered.length > 0 || subjects.some((subject) => concerned(subject).length > 0)))
      leaves.push(tried([...denials.map((denial) => ({ rule: denial.rule, reason: denial.message })), ...left]));
  }
  return { calls: past.length, allows, leaves };
}

/** Returns whether a subject has the same program or kind of effect, with any words and any runner. */
function anyUseOf({ words, text }: WordRule): WordRule {
  return { words: words.filter(({ mark }) => mark === undefined).slice(0, 1), hasRest: true, via: [], text };
}
