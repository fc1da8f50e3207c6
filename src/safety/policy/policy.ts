import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log.ts";
import type { Result } from "../../base/result.ts";
import type {
  ApprovalDesk,
  ApprovalReviewer,
  Ask,
  DenialCause,
  PolicyRequest,
  PolicySource,
  Question,
  Verdict,
} from "../../contracts/approval.ts";
import type { Policy, Redactor } from "../../contracts/dispatch.ts";
import { argumentsHash } from "../audit/audit-chain.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import { createDenialCount } from "./denial-count.ts";
import { denialText } from "./denial-text.ts";
import { type Denial, gather, type Gathered, type Surroundings, Unreachable } from "./gather.ts";
import { covers } from "./match-rule.ts";
import type { SubjectAsk } from "./question.ts";
import type { PolicyRules } from "./read-rules.ts";
import { reviewCommand } from "./review.ts";
import { parseRule, type WordRule } from "./rule-text.ts";
import type { Subject } from "./subject.ts";

export interface PolicySettings {
  readonly mode: "manual" | "smart" | "yolo" | "readonly";
  /** What a question gets when there is nobody to ask. */
  readonly unattended: "deny" | "allow";
  /** What a question of a scheduled job gets. */
  readonly scheduled: "deny" | "approve";
  /** The user's words for the reviewer. */
  readonly smartPolicy: string;
  /** So many denials in a row are a hard stop. */
  readonly denialLimit: number;
  readonly rules: PolicyRules;
}

export interface PolicyDeps {
  /** As they are now: another program may have changed them. */
  settings(): Promise<PolicySettings>;
  surroundings(request: PolicyRequest): Surroundings;
  readonly desk: Pick<ApprovalDesk, "ask">;
  readonly audit: AuditLog;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Writes allow rules into the settings. */
  remember(rules: readonly string[], signal: AbortSignal): Promise<Result<void, { readonly message: string }>>;
  /** Of plugins. */
  readonly sources?: readonly PolicySource[];
  readonly reviewer?: ApprovalReviewer;
}

export interface ExplainedPolicy extends Policy {
  /** What would be decided, with everything that was heard. Asks nobody, reviews nothing and writes nothing down. */
  explain(request: PolicyRequest, signal: AbortSignal): Promise<Explanation>;
}

export interface Explanation {
  readonly verdict: "allow" | "ask" | "deny";
  readonly denials: readonly Denial[];
  /** Every question; `clearedBy` says what takes it away. */
  readonly asks: readonly (Ask & { readonly clearedBy?: string })[];
  readonly subjects: readonly Subject[];
  readonly text: string;
}

/** How the questions about a call ended. */
type Ruling =
  | { readonly decision: "allow"; readonly approval: string; readonly rule?: string }
  | {
      readonly decision: "deny";
      readonly cause: DenialCause;
      readonly rule: string;
      readonly reasons: readonly string[];
      readonly said?: string;
      readonly asks?: readonly SubjectAsk[];
    };

/**
 * The one decision point. Hardline and deny rules are final; what analysis and ask rules ask is taken away only by what
 * covers it exactly; what is left is asked, one question at a time.
 */
export function createPolicy(deps: PolicyDeps): ExplainedPolicy {
  const grants = new Map<SessionId, WordRule[]>();
  const denials = createDenialCount();
  /** The last question of each conversation. */
  const asking = new Map<SessionId, Promise<unknown>>();

  async function rule(request: PolicyRequest, signal: AbortSignal): Promise<Ruling> {
    const settings = await deps.settings();
    const around = deps.surroundings(request);
    const gathered = await hearAll(request, settings, around, signal);
    const refused = refusal(gathered, settings, request);
    if (refused) return refused;
    if (gathered.asks.length === 0) return { decision: "allow", approval: "none" };
    const rules = ruleNames(gathered.asks);
    if (settings.mode === "yolo") return { decision: "allow", approval: "yolo", rule: rules };
    const left = uncovered(gathered.asks, settings.rules.allow, request.sessionId);
    if (left.length === 0) return { decision: "allow", approval: "rule", rule: rules };
    if (request.origin === "schedule" && settings.scheduled === "approve")
      return { decision: "allow", approval: "cron_mode", rule: rules };
    return inTurn(request.sessionId, () => askPerson(request, { ...gathered, asks: left }, signal));
  }

  async function hearAll(
    request: PolicyRequest,
    { rules }: PolicySettings,
    around: Surroundings,
    signal: AbortSignal,
  ): Promise<Gathered> {
    const own = await gather(request, rules, around, signal);
    if (!deps.sources?.length) return own;
    const heard = await Promise.all(
      deps.sources.map(async (source) => ({ source, ...(await source.judge(request, signal)) })),
    );
    const cleared = new Set(heard.flatMap(({ clears }) => clears ?? []));
    return {
      ...own,
      denials: [...own.denials, ...heard.flatMap(({ deny }) => (deny ? [{ ...deny, isHardline: false }] : []))],
      asks: [...own.asks, ...heard.flatMap(({ asks }) => asks ?? [])].filter(({ key }) => !cleared.has(key)),
    };
  }

  function uncovered(
    asks: readonly SubjectAsk[],
    allow: readonly WordRule[],
    session: SessionId,
  ): readonly SubjectAsk[] {
    const known = [...allow, ...(grants.get(session) ?? [])];
    return asks.filter(({ subject, rule: id }) => clearing(subject, id, known) === undefined);
  }

  /** One at a time in a conversation: the answer to one question may be the answer to the next. */
  function inTurn<T>(session: SessionId, work: () => Promise<T>): Promise<T> {
    const next = (asking.get(session) ?? Promise.resolve()).then(work);
    const over = next.then(
      () => undefined,
      () => undefined,
    );
    asking.set(session, over);
    void over.then(() => asking.get(session) === over && asking.delete(session));
    return next;
  }

  async function askPerson(request: PolicyRequest, gathered: Gathered, signal: AbortSignal): Promise<Ruling> {
    const settings = await deps.settings();
    const asks = uncovered(gathered.asks, settings.rules.allow, request.sessionId);
    if (asks.length === 0) return { decision: "allow", approval: "rule", rule: ruleNames(gathered.asks) };
    const no = (cause: DenialCause, said?: string): Ruling => ({
      decision: "deny",
      cause,
      rule: ruleNames(asks),
      reasons: asks.map(({ reason }) => reason),
      asks,
      ...(said !== undefined && { said }),
    });
    if (request.origin !== "user" && denials.count(request) >= settings.denialLimit) return no("stopped");
    const opinion = await review(request, gathered.text, asks, settings, signal);
    if (opinion === "approve") return { decision: "allow", approval: "smart", rule: ruleNames(asks) };
    // What a model calls harmful, and what has a secret in it, is never remembered.
    const shown = asks.map((ask) => (opinion === "deny" || hasSecret(ask, deps.redactor) ? onceOnly(ask) : ask));
    const settled = await deps.desk.ask(questionOf(request, { ...gathered, asks: shown }, deps.redactor), signal);
    switch (settled.how) {
      case "no_approver":
        if (settings.unattended === "allow")
          return { decision: "allow", approval: "unattended", rule: ruleNames(asks) };
        return no("no_approver");
      case "timeout":
        return no("timeout");
      case "aborted":
        return no("person", "the question was withdrawn");
      case "answered": {
        const { answer, by } = settled;
        if (answer.scope === "deny") return no("person", answer.reason);
        await remember(shown, answer.scope, request.sessionId, signal);
        denials.approved(request);
        return { decision: "allow", approval: `person, ${answer.scope}, ${by}`, rule: ruleNames(asks) };
      }
    }
  }

  async function review(
    request: PolicyRequest,
    command: string,
    asks: readonly SubjectAsk[],
    { mode, smartPolicy }: PolicySettings,
    signal: AbortSignal,
  ) {
    // A person, a hook or a rule of the user's wants to be asked: no model answers for them.
    const isForPerson = asks.some(({ rule: id }) => personOnly.has(id));
    const isCommand = request.effects.length === 1 && request.effects[0]?.kind === "exec";
    if (mode !== "smart" || !deps.reviewer || isForPerson || !isCommand) return "escalate";
    return reviewCommand(deps.reviewer, { command: deps.redactor.redact(command), asks, policy: smartPolicy }, signal);
  }

  async function remember(
    asks: readonly SubjectAsk[],
    scope: "once" | "session" | "always",
    session: SessionId,
    signal: AbortSignal,
  ): Promise<void> {
    const texts = scope === "once" ? [] : asks.map(({ covers: text }) => text).filter((text) => text !== undefined);
    if (texts.length === 0) return;
    const rules = texts.flatMap((text) => {
      const read = parseRule(text, "/");
      return read.ok ? [read.value] : [];
    });
    grants.set(session, [...(grants.get(session) ?? []), ...rules]);
    if (scope !== "always") return;
    const written = await deps.remember(texts, signal);
    if (!written.ok) deps.log.error("policy.not_remembered", { error: written.error.message });
  }

  return {
    async explain(request, signal) {
      const settings = await deps.settings();
      const gathered = await hearAll(request, settings, deps.surroundings(request), signal);
      const refused = refusal(gathered, settings, request);
      const known = [...settings.rules.allow, ...(grants.get(request.sessionId) ?? [])];
      const asks = gathered.asks.map(({ subject, ...ask }) => {
        const by = settings.mode === "yolo" ? "approvals.mode yolo" : clearing(subject, ask.rule, known)?.text;
        return { ...ask, ...(by !== undefined && { clearedBy: by }) };
      });
      const left = asks.filter(({ clearedBy }) => clearedBy === undefined);
      const denials =
        refused?.decision === "deny" && gathered.denials.length === 0
          ? [{ rule: refused.rule, message: refused.reasons.join("; "), isHardline: false }]
          : gathered.denials;
      return {
        verdict: refused ? "deny" : left.length > 0 ? "ask" : "allow",
        denials,
        asks,
        subjects: gathered.subjects,
        text: gathered.text,
      };
    },
    async decide(request, signal): Promise<Verdict> {
      const ruling = await rule(request, signal).catch((thrown: unknown): Ruling => {
        if (!(thrown instanceof Unreachable)) throw thrown;
        return { decision: "deny", cause: "unavailable", rule: "unavailable", reasons: [thrown.message] };
      });
      const written = await deps.audit.append({
        kind: "decision",
        session: request.sessionId,
        call: request.callId,
        who: request.principal.id,
        origin: request.origin,
        tool: request.tool,
        args: argumentsHash(request.args),
        backend: request.place.backend,
        effects: [...new Set(request.effects.map(({ kind }) => kind))],
        decision: ruling.decision,
        ...(ruling.rule !== undefined && { rule: ruling.rule }),
        ...(ruling.decision === "allow" ? { approval: ruling.approval } : { cause: ruling.cause }),
      });
      if (ruling.decision === "allow") {
        if (written.ok || request.effects.every(({ kind }) => kind === "read")) return { decision: "allow" };
        const reason = `Denied: ${request.tool} was not run: the audit log cannot be written (${written.error.message})`;
        return { decision: "deny", reason, rule: "audit", cause: "rule" };
      }
      const { cause, reasons, rule: id, said, asks } = ruling;
      const count = request.origin === "user" ? 0 : denials.denied(request);
      const { denialLimit } = await deps.settings();
      const more = { ...(said !== undefined && { said }), ...(asks && { asks }), stop: count >= denialLimit };
      return {
        decision: "deny",
        reason: deps.redactor.redact(denialText(cause, reasons, request, more)),
        rule: id,
        cause,
      };
    },
  };
}

/** The rule that takes a question away, if there is one. */
function clearing(subject: SubjectAsk["subject"], id: string, rules: readonly WordRule[]): WordRule | undefined {
  return subject && rules.find((each) => covers(each, subject, id));
}

const personOnly: ReadonlySet<string> = new Set(["user_ask", "hook", "tainted"]);

/** What is final before anyone could be asked. */
function refusal(
  { denials, isReading }: Gathered,
  { mode, rules }: PolicySettings,
  { tool }: PolicyRequest,
): Ruling | undefined {
  const [first] = denials;
  if (first) {
    const cause = first.isHardline ? ("hardline" as const) : ("rule" as const);
    return { decision: "deny", cause, rule: first.rule, reasons: denials.map(({ message }) => message) };
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

function hasSecret({ covers: text = "" }: SubjectAsk, redactor: Redactor): boolean {
  return redactor.redact(text) !== text;
}

function onceOnly({ covers: _, ...ask }: SubjectAsk): SubjectAsk {
  return ask;
}

function questionOf(request: PolicyRequest, { text, asks }: Gathered, redactor: Redactor): Question {
  const masked = redactor.redact(text);
  return {
    sessionId: request.sessionId,
    callId: request.callId,
    principal: request.principal.id,
    origin: request.origin,
    tool: request.tool,
    text: masked,
    cwd: request.place.cwd,
    backend: request.place.backend,
    asks: asks.map(({ key, rule, reason, spans, covers: rememberedAs }) => ({
      key: redactor.redact(key),
      rule,
      reason: redactor.redact(reason),
      // Of the text as it was; a masked one is another.
      spans: masked === text ? spans : [],
      ...(rememberedAs !== undefined && { covers: rememberedAs }),
    })),
  };
}

function ruleNames(asks: readonly { readonly rule: string }[]): string {
  return [...new Set(asks.map(({ rule }) => rule))].join(", ");
}
