import { sha256 } from "../../../base/digest.ts";
import type { Ask, Reason, Span } from "../../../contracts/safety/approval.ts";
import type { Redactor } from "../../../contracts/tool/dispatch.ts";
import { allowRuleFor } from "../rules/allow-rules.ts";
import { ruleText } from "../rules/rule-text.ts";
import type { Subject } from "../rules/subject.ts";

/** A question with its subject. No rule can answer a question without a subject. */
export interface SubjectAsk extends Ask {
  readonly subject?: Subject;
  /** One approval is enough for all questions of the session with this key. */
  readonly sessionKey?: string;
}

export function askAbout(subject: Subject, { rule, message }: Reason, spans: readonly Span[] = []): SubjectAsk {
  const covers = allowRuleFor(subject, rule);
  return {
    key: `${rule} ${subjectText(subject)}`,
    rule,
    reason: message,
    spans,
    subject,
    ...(covers !== undefined && { covers }),
  };
}

/** Creates a question that no rule can answer, because no rule can describe its subject. */
export function askOnce(what: string, { rule, message }: Reason, spans: readonly Span[] = []): SubjectAsk {
  return { key: `${rule} ${sha256(what).slice(0, 16)}`, rule, reason: message, spans };
}

/** Creates a question that a person answers once per session for everything with the same name. */
export function askPerSession(ask: SubjectAsk, what: string): SubjectAsk {
  return { ...ask, sessionKey: `${ask.rule} ${sha256(what).slice(0, 16)}` };
}

/** Removes duplicate questions. */
export function distinct(asks: readonly SubjectAsk[]): readonly SubjectAsk[] {
  if (asks.length < 2) return asks;
  const byKey = new Map<string, SubjectAsk>();
  for (const ask of asks) {
    const first = byKey.get(ask.key);
    byKey.set(ask.key, first ? { ...first, spans: [...first.spans, ...ask.spans] } : ask);
  }
  return [...byKey.values()];
}

/** Returns a text that is equal for equal subjects. */
export function subjectText({ words, cwd, via, isFed }: Subject): string {
  const written = ruleText({
    words: words.map(({ text, isPattern, mark }) => ({ text, isGlob: isPattern, ...(mark !== undefined && { mark }) })),
    hasRest: false,
    in: cwd,
    via,
  });
  return isFed ? `${written} fed` : written;
}

/** Formats a question for the result of a denied call. */
export function describeQuestion(
  { rule, reason, covers: text }: Ask,
  redactor: Redactor,
): Pick<Ask, "rule" | "reason" | "covers"> {
  return {
    rule,
    reason: redactor.redact(reason),
    ...(text !== undefined && { covers: redactor.redact(text) }),
  };
}
