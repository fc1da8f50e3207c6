import { asId, type CallId, type SessionId, type TurnId } from "../../src/base/ids.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { ok } from "../../src/base/result.ts";
import type {
  Answer,
  ApprovalReviewer,
  PolicyRequest,
  Question,
  SessionApprovals,
  QuestionOutcome,
  Verdict,
} from "../../src/contracts/safety/approval.ts";
import type { Effect } from "../../src/contracts/tool/effect.ts";
import type { AuditEntry } from "../../src/safety/audit/audit-chain.ts";
import type { PolicySettings } from "../../src/safety/policy/policy-settings.ts";
import { createPolicy, type ExplainedPolicy, type PolicyDeps } from "../../src/safety/policy/policy.ts";
import { readRules, type RuleTexts } from "../../src/safety/policy/rules/read-rules.ts";

export interface PolicyRig {
  readonly policy: ExplainedPolicy;
  readonly questions: Question[];
  readonly remembered: string[];
  readonly entries: AuditEntry[];
  decide(effects: readonly Effect[], more?: Partial<PolicyRequest>): Promise<Verdict>;
  /** A command of the model in /project. */
  run(command: string, more?: Partial<PolicyRequest>): Promise<Verdict>;
}

/** A policy with scripted answers of a user; after the script, nobody answers. */
export function policyRig(
  given: Partial<RuleTexts> & {
    readonly settings?: Partial<PolicySettings>;
    readonly answers?: readonly (Answer["scope"] | QuestionOutcome)[];
    /** Calls belong to a session with this reviewer. */
    readonly reviewer?: ApprovalReviewer;
  } = {},
  deps: Partial<PolicyDeps> = {},
): PolicyRig {
  const questions: Question[] = [];
  const remembered: string[] = [];
  const entries: AuditEntry[] = [];
  const answers = [...(given.answers ?? [])];
  const read = () =>
    readRules(
      {
        allow: [...(given.allow ?? []), ...remembered],
        ask: given.ask ?? [],
        deny: given.deny ?? [],
        old: given.old ?? [],
      },
      "/home/anna",
    );
  let rules = read();
  const policy = createPolicy({
    settings: async () => ({
      mode: "manual",
      unattended: "deny",
      scheduled: "deny",
      smartPolicy: "",
      denialLimit: 3,
      ...given.settings,
      rules,
    }),
    ...(given.reviewer && { session: () => sessionApprovals(given) }),
    surroundings: async () => ({
      files: { home: "/home/anna", workspace: "/project", hermes: ["/home/anna/.hermes"] },
      user: "anna",
      reachesHost: true,
    }),
    desk: {
      async ask(question): Promise<QuestionOutcome> {
        questions.push(question);
        const next = answers.shift();
        if (next === undefined) return { how: "no_approver" };
        return typeof next === "string" ? { how: "answered", answer: { scope: next }, by: "test" } : next;
      },
    },
    audit: {
      async append(entry) {
        entries.push(entry);
        return ok(undefined);
      },
      appendLate: (compose) => void entries.push(compose()),
      flush: async () => ok(undefined),
    },
    redactor: { redact: (text) => text.replaceAll("hunter2", "***") },
    log: silentLog,
    async remember(texts) {
      remembered.push(...texts);
      rules = read();
      return ok(undefined);
    },
    ...deps,
  });
  const decide: PolicyRig["decide"] = async (effects, more = {}) =>
    policy.decide(
      {
        sessionId: asId<SessionId>("ses_1"),
        turnId: asId<TurnId>("turn_1"),
        callId: asId<CallId>("call_1"),
        principal: { id: "local:anna" },
        tool: "terminal",
        readOnly: false,
        args: {},
        effects,
        origin: "model",
        place: { cwd: "/project", backend: "local", workspace: "/project" },
        tainted: [],
        ...more,
      },
      new AbortController().signal,
    );
  return {
    policy,
    questions,
    remembered,
    entries,
    decide,
    run: (command, more) => decide([{ kind: "exec", command, cwd: "/project", background: false }], more),
  };
}

function sessionApprovals({
  settings,
  reviewer,
}: {
  readonly settings?: Partial<PolicySettings>;
  readonly reviewer?: ApprovalReviewer;
}): SessionApprovals {
  let grants: readonly string[] = [];
  return {
    id: asId<SessionId>("ses_1"),
    mode: () => settings?.mode ?? "manual",
    grants: () => grants,
    grant: (rules) => void (grants = [...grants, ...rules]),
    ...(reviewer && { reviewer }),
  };
}
