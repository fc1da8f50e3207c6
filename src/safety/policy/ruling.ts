import type { DenialCause, PolicyRequest, PolicySource, Verdict } from "../../contracts/safety/approval.ts";
import type { TextSource } from "../../contracts/safety/text-source.ts";
import { argumentsHash, type AuditEntry } from "../audit/audit-chain.ts";
import { Unreachable } from "../surroundings.ts";
import { type SubjectAsk, subjectText } from "./approvals/question.ts";
import type { GatheredAsks } from "./gather-asks.ts";
import type { PolicySettings } from "./policy-settings.ts";
import { covers } from "./rules/match-rule.ts";
import type { WordRule } from "./rules/rule-text.ts";
import { isHarmless } from "./rules/subject.ts";

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
  /** The person, rule or mode that allowed the call. */
  readonly approval: string;
  readonly rule?: string;
  readonly byPerson?: true;
  readonly reads: readonly TextSource[];
}

/**
 * Returns whether allow rules of a person cover every question. They approve the whole call only if they cover each of
 * its commands, because the person never saw the others. `isAll`: no question is left.
 */
export function byRule({ asks, subjects, reads, isClearedElsewhere }: GatheredAsks & Judged, isAll: boolean): Ruling {
  const questioned = new Set(asks.flatMap(({ subject }) => (subject ? [subjectText(subject)] : [])));
  const isWhole = subjects.every((subject) => isHarmless(subject) || questioned.has(subjectText(subject)));
  return {
    decision: "allow",
    approval: "rule",
    rule: ruleNames(asks),
    reads,
    ...(isAll && isWhole && !isClearedElsewhere && { byPerson: true }),
  };
}

export interface Judged {
  /** True if a plugin answered a question. */
  readonly isClearedElsewhere: boolean;
}

/** Adds the opinions of plugins, which may also clear questions. */
export function withJudgements(
  own: GatheredAsks,
  judgements: readonly Awaited<ReturnType<PolicySource["judge"]>>[],
): GatheredAsks & Judged {
  const cleared = new Set(judgements.flatMap(({ clears }) => clears ?? []));
  const asks = [...own.asks, ...judgements.flatMap((each) => each.asks ?? [])];
  return {
    ...own,
    denials: [...own.denials, ...judgements.flatMap(({ deny }) => (deny ? [{ ...deny, isHardline: false }] : []))],
    asks: asks.filter(({ key }) => !cleared.has(key)),
    isClearedElsewhere: asks.some(({ key }) => cleared.has(key)),
  };
}

/** Returns denials that no answer can change. */
export function fixedRefusal(
  { denials, isReading }: GatheredAsks,
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
    const message = `approvals.${fault.list} has a rule that cannot be understood, "${fault.text}": ${fault.why}; fix or remove it (hermes policy list)`;
    return { decision: "deny", cause: "rule", rule: "unreadable_rule", reasons: [message] };
  }
  if (mode !== "readonly") return undefined;
  return { decision: "deny", cause: "readonly", rule: "readonly", reasons: [`${tool} may change something`] };
}

/** Returns the rule that answers the question, if any. */
export function clearingRule(
  subject: SubjectAsk["subject"],
  id: string,
  rules: readonly WordRule[],
): WordRule | undefined {
  return subject && rules.find((each) => covers(each, subject, id));
}

export function ruleNames(asks: readonly { readonly rule: string }[]): string {
  return [...new Set(asks.map(({ rule }) => rule))].join(", ");
}

/** A server may use the model only with a person's consent, given now or by a stored rule. No mode replaces it. */
export function needsPerson({ rule }: { readonly rule: string }): boolean {
  return rule === "effect_sample";
}

/** The ruling as an entry of the audit log. */
export function decisionEntry(request: PolicyRequest, ruling: Ruling): AuditEntry {
  return {
    kind: "decision",
    session: request.sessionId,
    call: request.callId,
    ...(request.parentCallId !== undefined && { parent: request.parentCallId }),
    who: request.principal.id,
    origin: request.origin,
    tool: request.tool,
    args: argumentsHash(request.args),
    backend: request.place.backend,
    effects: [...new Set(request.effects.map(({ kind }) => kind))],
    decision: ruling.decision,
    ...(ruling.rule !== undefined && { rule: ruling.rule }),
    ...(ruling.decision === "allow" ? { approval: ruling.approval } : { cause: ruling.cause }),
  };
}

/** The verdict of a call that may run. */
export function allowVerdict({ byPerson, reads }: AllowRuling): Verdict {
  return { decision: "allow", ...(byPerson && { byPerson }), ...(reads.length > 0 && { reads }) };
}

/** Users and clients decide themselves when to stop; only turns of the agent end after too many denials. */
export function hasTurns({ origin }: PolicyRequest): boolean {
  return origin !== "user" && origin !== "client";
}

/** The denial of a call whose environment cannot be reached. Other errors are thrown again. */
export function unavailableRuling(thrown: unknown): Ruling {
  if (!(thrown instanceof Unreachable)) throw thrown;
  return { decision: "deny", cause: "unavailable", rule: "unavailable", reasons: [thrown.message] };
}
