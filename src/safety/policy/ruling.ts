import type { DenialCause, PolicyRequest } from "../../contracts/safety/approval.ts";
import type { TextSource } from "../../contracts/safety/text-source.ts";
import type { Gathered } from "./gather.ts";
import { covers } from "./match-rule.ts";
import type { PolicySettings } from "./policy-settings.ts";
import { type SubjectAsk, subjectText } from "./question.ts";
import type { WordRule } from "./rule-text.ts";
import { isHarmless } from "./subject.ts";

/** The decision about a call. */
export type Ruling =
  | AllowRuling
  | {
      readonly decision: "deny";
      readonly cause: DenialCause;
      readonly rule: string;
      readonly reasons: readonly string[];
      readonly said?: string;
      readonly asks?: readonly SubjectAsk[];
    };

export interface AllowRuling {
  readonly decision: "allow";
  /** The person, rule or mode that allowed it. */
  readonly approval: string;
  readonly rule?: string;
  readonly byPerson?: true;
  readonly reads: readonly TextSource[];
}

/**
 * What a person allowed before covers every question. It is their yes to the whole call only where it covers every command
 * of it: what stands beside a command that they allowed was never before them. `isAll`: nothing is left to be asked.
 */
export function byRule({ asks, subjects, reads, isClearedElsewhere }: Gathered & Judged, isAll: boolean): Ruling {
  const asked = new Set(asks.flatMap(({ subject }) => (subject ? [subjectText(subject)] : [])));
  const isWhole = subjects.every((subject) => isHarmless(subject) || asked.has(subjectText(subject)));
  return {
    decision: "allow",
    approval: "rule",
    rule: ruleNames(asks),
    reads,
    ...(isAll && isWhole && !isClearedElsewhere && { byPerson: true }),
  };
}

export interface Judged {
  /** A plugin answered a question. */
  readonly isClearedElsewhere: boolean;
}

/** Denials that no answer can change. */
export function refusal(
  { denials, isReading }: Gathered,
  { mode, rules }: PolicySettings,
  { tool }: PolicyRequest,
): Ruling | undefined {
  const [first] = denials;
  if (first) {
    const cause = first.isHardline ? ("hardline" as const) : ("rule" as const);
    return { decision: "deny", cause, rule: first.rule, reasons: [...new Set(denials.map(({ message }) => message))] };
  }
  if (isReading) return undefined;
  const [fault] = rules.faults;
  if (fault) {
    const message = `approvals.${fault.list} has a rule that cannot be understood, "${fault.text}": ${fault.why}; mend or remove it (hermes policy list)`;
    return { decision: "deny", cause: "rule", rule: "unreadable_rule", reasons: [message] };
  }
  if (mode !== "readonly") return undefined;
  return { decision: "deny", cause: "readonly", rule: "readonly", reasons: [`${tool} is not known to change nothing`] };
}

/** The rule that answers the question, if any. */
export function clearing(subject: SubjectAsk["subject"], id: string, rules: readonly WordRule[]): WordRule | undefined {
  return subject && rules.find((each) => covers(each, subject, id));
}

export function ruleNames(asks: readonly { readonly rule: string }[]): string {
  return [...new Set(asks.map(({ rule }) => rule))].join(", ");
}
