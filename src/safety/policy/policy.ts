import { whenReady } from "../../base/async/when-ready.ts";
import type { SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import type { Result } from "../../base/result.ts";
import { withoutUndefined } from "../../base/without-undefined.ts";
import type {
  ApprovalDesk,
  Ask,
  DenialCause,
  PolicyRequest,
  PolicySource,
  Question,
  SessionApprovals,
  Verdict,
  Approval,
} from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Policy, Redactor } from "../../contracts/tool/dispatch.ts";
import type { AuditLog } from "../audit/audit-log.ts";
import type { Surroundings } from "../surroundings.ts";
import { createDenialCount } from "./approvals/denial-count.ts";
import { approvingCommand, denialText, offeringNames } from "./approvals/denial-text.ts";
import { describeQuestion, type SubjectAsk } from "./approvals/question.ts";
import { reviewCommand } from "./approvals/review.ts";
import { sessionCodeRule } from "./commands/project-code.ts";
import { canStayUnanswered, unconfinedRule } from "./commands/sandbox-questions.ts";
import { createSessionChanges } from "./commands/session-changes.ts";
import { type Denial, gatherAsks, type GatheredAsks } from "./gather-asks.ts";
import type { PolicySettings } from "./policy-settings.ts";
import { rulesIn } from "./rules/allow-rules.ts";
import type { WordRule } from "./rules/rule-text.ts";
import type { Subject } from "./rules/subject.ts";
import {
  type AllowRuling,
  allowVerdict,
  byRule,
  clearingRule,
  decisionEntry,
  type Judged,
  fixedRefusal,
  hasTurns,
  needsPerson,
  ruleNames,
  type Ruling,
  unavailableRuling,
  withJudgements,
} from "./ruling.ts";

export interface PolicyDeps {
  /** Returns the current settings, with the rules for this principal. Another process may have changed them. */
  settings(who: Principal): Promise<PolicySettings> | PolicySettings;
  /** Returns the session that a call belongs to. Undefined for calls outside a session. */
  session?(id: SessionId): SessionApprovals | undefined;
  surroundings(request: PolicyRequest, signal: AbortSignal): Promise<Surroundings> | Surroundings;
  readonly desk: Pick<ApprovalDesk, "ask">;
  readonly audit: AuditLog;
  readonly redactor: Redactor;
  readonly log: Logger;
  /** Stores allow rules that the principal granted permanently. */
  remember(rules: readonly string[], who: Principal, signal: AbortSignal): Promise<Result<void>>;
  /** Decisions of plugins. */
  readonly sources?: readonly PolicySource[];
}

export interface ExplainedPolicy extends Policy {
  /**
   * Returns the decision that `decide` would make, with all of its reasons. Asks nothing, reviews nothing and stores
   * nothing. `tried`: an allow rule that is not stored yet.
   */
  explain(request: PolicyRequest, signal: AbortSignal, tried?: WordRule): Promise<Explanation>;
}

export interface Explanation {
  readonly verdict: "allow" | "ask" | "deny";
  readonly denials: readonly Denial[];
  /** Every question. `clearedBy` names the rule or mode that answers it. */
  readonly asks: readonly (Ask & { readonly clearedBy?: string })[];
  readonly subjects: readonly Subject[];
  readonly text: string;
}

/**
 * The single decision point. Hard blocks and deny rules are final. A question of the analysis or of an ask rule is
 * answered only by a rule or grant that covers it exactly. A person decides the others, one question at a time.
 */
export function createPolicy(deps: PolicyDeps): ExplainedPolicy {
  /** Grants for calls outside a session. They end when the program ends. */
  const grants = new Map<SessionId, readonly string[]>();
  const changes = createSessionChanges();
  const denials = createDenialCount();
  /** The last question of each session, so that questions are asked one at a time. */
  const asking = new Map<SessionId, Promise<unknown>>();

  function rule(request: PolicyRequest, signal: AbortSignal): Promise<Ruling> | Ruling {
    return whenReady(settingsFor(request), (settings) =>
      whenReady(gather(request, settings, signal), (gathered) =>
        whenReady(ruleOn(request, gathered, settings, signal), (ruling) => {
          if (ruling.decision === "allow") changes.allowed(rootOf(request.sessionId), gathered.written);
          return ruling;
        }),
      ),
    );
  }

  function gather(request: PolicyRequest, settings: PolicySettings, signal: AbortSignal) {
    return whenReady(deps.surroundings(request, signal), (around) => judgeAll(request, settings, around, signal));
  }

  function ruleOn(
    request: PolicyRequest,
    gathered: GatheredAsks & Judged,
    settings: PolicySettings,
    signal: AbortSignal,
  ): Promise<Ruling> | Ruling {
    const refused = fixedRefusal(gathered, settings, request);
    if (refused) return refused;
    const { asks, reads } = gathered;
    if (asks.length === 0) return { decision: "allow", approval: "none", reads };
    const allow = (approval: string): Ruling => ({ decision: "allow", approval, rule: ruleNames(asks), reads });
    const left = uncovered(asks, settings.rules.allow, request.sessionId);
    if (canStayUnanswered(left, request)) return byRule(gathered, left.length === 0);
    const canSkipPerson = !left.some(needsPerson);
    if (canSkipPerson && settings.mode === "yolo") return allow("yolo");
    if (canSkipPerson && request.origin === "schedule" && settings.scheduled === "approve") return allow("cron_mode");
    return inTurn(rootOf(request.sessionId), () => askPerson(request, gathered, signal));
  }

  function settingsFor({ sessionId, principal }: PolicyRequest): Promise<PolicySettings> | PolicySettings {
    return whenReady(deps.settings(principal), (settings) => {
      const session = deps.session?.(sessionId);
      if (!session) return settings;
      const mode = session.mode();
      if (mode === settings.mode && !session.isDeniedUnattended) return settings;
      return { ...settings, mode, ...(session.isDeniedUnattended && { unattended: "deny" as const }) };
    });
  }

  /** Returns the session that the user sees: child sessions share its answers. */
  function rootOf(id: SessionId): SessionId {
    return deps.session?.(id)?.id ?? id;
  }

  function grantsOf(id: SessionId): readonly WordRule[] {
    return rulesIn(deps.session?.(id)?.grants() ?? grants.get(id) ?? []);
  }

  function grantIn(id: SessionId, rules: readonly string[]): void {
    const session = deps.session?.(id);
    if (session) session.grant(rules);
    else grants.set(id, [...(grants.get(id) ?? []), ...rules]);
  }

  function judgeAll(
    request: PolicyRequest,
    { rules }: PolicySettings,
    around: Surroundings,
    signal: AbortSignal,
  ): Promise<GatheredAsks & Judged> | (GatheredAsks & Judged) {
    const written = changes.written(rootOf(request.sessionId));
    return whenReady(gatherAsks(request, rules, around, signal, written), (own) => {
      const sources = (deps.sources ?? []).filter((source) => source.concerns?.(request) ?? true);
      if (sources.length === 0) return { ...own, isClearedElsewhere: false };
      const judging = Promise.all(sources.map((source) => source.judge(request, signal)));
      return judging.then((judgements) => withJudgements(own, judgements));
    });
  }

  function uncovered(
    asks: readonly SubjectAsk[],
    allow: readonly WordRule[],
    session: SessionId,
  ): readonly SubjectAsk[] {
    const rules = [...allow, ...grantsOf(session)];
    const root = rootOf(session);
    return asks.filter(
      (ask) => !changes.isAnswered(root, ask) && clearingRule(ask.subject, ask.rule, rules) === undefined,
    );
  }

  /**
   * Asks one question at a time in a session and its children, because one answer may also answer the next question.
   */
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

  async function askPerson(
    request: PolicyRequest,
    gathered: GatheredAsks & Judged,
    signal: AbortSignal,
  ): Promise<Ruling> {
    const settings = await settingsFor(request);
    const asks = uncovered(gathered.asks, settings.rules.allow, request.sessionId);
    if (canStayUnanswered(asks, request)) return byRule(gathered, asks.length === 0);
    const { reads } = gathered;
    const yes = (approval: string): AllowRuling => ({ decision: "allow", approval, rule: ruleNames(asks), reads });
    const no = (cause: DenialCause, reply?: string): Ruling => ({
      decision: "deny",
      cause,
      rule: ruleNames(asks),
      reasons: asks.map(({ reason }) => reason),
      asks,
      ...(reply !== undefined && { said: reply }),
    });
    if (hasTurns(request) && denials.count(request) >= settings.denialLimit) return no("stopped");
    // An error of the tool can quote a file, so files whose reading needs approval are not read here.
    const isReadable = !asks.some(({ subject }) => subject?.words[0]?.text === "@read");
    if (isReadable && (await request.isRefused?.())) return no("refused");
    const opinion = await review(request, gathered.text, asks, settings, signal);
    if (opinion === "approve") return yes("smart");
    // An approval is valid only once for a command that the reviewing model calls harmful or that contains a secret.
    const shown = asks.map((ask) => (opinion === "deny" || hasSecret(ask, deps.redactor) ? onceOnly(ask) : ask));
    const preview = await request.preview?.(signal).catch(() => undefined);
    const question = questionOf(request, { ...gathered, asks: shown }, deps);
    const settled = await deps.desk.ask(
      { ...question, ...(preview !== undefined && { preview: deps.redactor.redact(preview, { kind: "file" }) }) },
      signal,
    );
    switch (settled.how) {
      case "no_approver":
        return settings.unattended === "allow" && !asks.some(needsPerson) ? yes("unattended") : no("no_approver");
      case "timeout":
        return no("timeout");
      case "aborted":
        return no("interrupted");
      case "answered": {
        const { answer, by } = settled;
        if (answer.scope === "deny") return no("person", answer.reason);
        await remember(shown, answer, request, signal);
        changes.answered(rootOf(request.sessionId), asks);
        denials.approved(request);
        return { ...yes(`person, ${answer.scope}, ${by}`), byPerson: true };
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
    // If a user, a hook or an ask rule requires a person's decision, a model must not answer.
    const isForPerson = asks.some(({ rule: id }) => personOnly.has(id));
    const isCommand = request.effects.length === 1 && request.effects[0]?.kind === "exec";
    const reviewer = deps.session?.(request.sessionId)?.reviewer;
    if (mode !== "smart" || !reviewer || isForPerson || !isCommand) return "escalate";
    const question = { command: deps.redactor.redact(command), asks, policy: smartPolicy };
    return reviewCommand(reviewer, question, signal);
  }

  async function remember(
    asks: readonly SubjectAsk[],
    answer: Approval,
    { sessionId: session, principal }: PolicyRequest,
    signal: AbortSignal,
  ): Promise<void> {
    const exact = asks.map(({ covers: text }) => text).filter((text) => text !== undefined);
    if (answer.scope === "once" || exact.length === 0) return;
    if (answer.scope === "session") return grantIn(session, exact);
    const texts = answer.rules ? rulesIn(answer.rules).map(({ text }) => text) : exact;
    if (texts.length === 0) return;
    const written = await deps.remember(texts, principal, signal);
    if (written.ok) return;
    deps.log.error("policy.not_remembered", { error: written.error.message });
    grantIn(session, texts);
  }

  function rulingFor(request: PolicyRequest, signal: AbortSignal): Promise<Ruling> | Ruling {
    try {
      const ruled = rule(request, signal);
      return ruled instanceof Promise ? ruled.catch(unavailableRuling) : ruled;
    } catch (thrown) {
      return unavailableRuling(thrown);
    }
  }

  function recorded(request: PolicyRequest, ruling: Ruling): Promise<Verdict> | Verdict {
    const entry = () => decisionEntry(request, ruling);
    // Nothing depends on the log entry of such a call, so the call does not wait for the disk.
    const isLate = ruling.decision === "allow" && !ruling.byPerson && request.isRecordedLate === true;
    if (!isLate) return deps.audit.append(entry()).then((written) => verdictOn(request, ruling, written));
    deps.audit.appendLate(entry);
    return allowVerdict(ruling);
  }

  async function verdictOn(request: PolicyRequest, ruling: Ruling, written: Result<void>): Promise<Verdict> {
    if (ruling.decision === "allow") {
      if (written.ok || request.effects.every(({ kind }) => kind === "read")) return allowVerdict(ruling);
      const reason = `Denied: ${request.tool} was not run: the audit log cannot be written (${written.error.message})`;
      return { decision: "deny", reason, rule: "audit", cause: "rule" };
    }
    const { cause, reasons, rule: id, said: comment, asks } = ruling;
    const count = hasTurns(request) && cause !== "interrupted" && cause !== "refused" ? denials.denied(request) : 0;
    const { denialLimit } = await deps.settings(request.principal);
    const once = approvingCommand(request, (text) => deps.redactor.redact(text));
    const more = {
      ...(comment !== undefined && { said: comment }),
      ...(asks && { asks }),
      ...(once !== undefined && { once }),
      stop: count >= denialLimit,
    };
    return {
      decision: "deny",
      reason: deps.redactor.redact(denialText(cause, reasons, request, more)),
      rule: id,
      cause,
      ...(asks && { asks: asks.map((ask) => describeQuestion(ask, deps.redactor)) }),
    };
  }

  return {
    async explain(request, signal, tried) {
      const settings = await settingsFor(request);
      const gathered = await gather(request, settings, signal);
      const refused = fixedRefusal(gathered, settings, request);
      const rules = [...settings.rules.allow, ...grantsOf(request.sessionId)];
      const asks = gathered.asks.map(({ subject, ...ask }) => {
        const first = tried && clearingRule(subject, ask.rule, [tried])?.text;
        const isYolo = settings.mode === "yolo" && !needsPerson(ask);
        const by = first ?? (isYolo ? "approvals.mode yolo" : clearingRule(subject, ask.rule, rules)?.text);
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
    decide: (request, signal) => whenReady(rulingFor(request, signal), (ruling) => recorded(request, ruling)),
  };
}

const personOnly: ReadonlySet<string> = new Set([
  "user_ask",
  "hook",
  "tainted",
  "outside",
  unconfinedRule,
  sessionCodeRule,
]);

function hasSecret({ covers: text = "" }: SubjectAsk, redactor: Redactor): boolean {
  return redactor.redact(text) !== text;
}

function onceOnly({ covers: _, ...ask }: SubjectAsk): SubjectAsk {
  return ask;
}

function questionOf(request: PolicyRequest, { text, asks }: GatheredAsks, { redactor, session }: PolicyDeps): Question {
  const masked = redactor.redact(text);
  const own = session?.(request.sessionId);
  return {
    sessionId: request.sessionId,
    shownIn: own?.id ?? request.sessionId,
    ...withoutUndefined({
      agent: own?.agent && redactor.redact(own.agent),
      background: own?.background && redactor.redact(own.background),
      owner: request.principal.owner,
    }),
    ...withoutUndefined({ turnId: request.turnId, parentCallId: request.parentCallId }),
    callId: request.callId,
    principal: request.principal.id,
    origin: request.origin,
    tool: request.tool,
    text: masked,
    cwd: request.place.cwd,
    backend: request.place.backend,
    ...(request.place.isolated === true &&
      request.effects.some(({ kind }) => kind === "exec") && { leavesSandbox: true }),
    asks: asks.map(({ key, rule, reason, spans, covers: rememberedAs }) => ({
      key: redactor.redact(key),
      rule,
      reason: redactor.redact(offeringNames(reason)),
      // The spans refer to the original text, so they are dropped if the text was masked.
      spans: masked === text ? spans : [],
      ...(rememberedAs !== undefined && { covers: rememberedAs }),
    })),
  };
}
