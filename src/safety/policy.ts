import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { whenReady } from "../base/async/when-ready.ts";
import type { Clock } from "../base/clock.ts";
import { sha256 } from "../base/digest.ts";
import { makeFolderSync } from "../base/files/make-folder.ts";
import { asId, type CallId, type SessionId } from "../base/ids.ts";
import { ok, type Result } from "../base/result.ts";
import type { PolicyRequest } from "../contracts/safety/approval.ts";
import type { Principal } from "../contracts/safety/principal.ts";
import type { Ledger } from "../contracts/tool/ledger.ts";
import { auditLedger } from "./audit/audit-ledger.ts";
import { createPrincipalGrants } from "./policy/approvals/principal-grants.ts";
import type { PolicySettings } from "./policy/policy-settings.ts";
import { createPolicy, type ExplainedPolicy, type PolicyDeps } from "./policy/policy.ts";
import { rulesIn } from "./policy/rules/allow-rules.ts";
import { oldKeyText } from "./policy/rules/old-allowlist.ts";
import { type PolicyRules, readAllowRule, readRules, type RuleTexts } from "./policy/rules/read-rules.ts";
import { shownWords } from "./policy/rules/subject.ts";
import { type RuleTrial, tryRule } from "./policy/rules/try-rule.ts";

export type { RuleTrial } from "./policy/rules/try-rule.ts";

export interface PolicyParts extends Omit<PolicyDeps, "settings"> {
  readonly settings: Omit<PolicySettings, "rules">;
  /** Returns the user's rules as currently stored. Returns a new object only after a change. */
  readonly ruleTexts: () => Promise<RuleTexts> | RuleTexts;
  /** The home folder of the user. */
  readonly home: string;
  /** The folder with pending questions and with the rules of principals other than the owner. */
  readonly folder: string;
  readonly clock: Clock;
  /** Returns whether this is the owner, whose rules are settings that `remember` stores. */
  readonly isOwner: (who: Principal) => boolean;
}

/** The decision point of one program, with the log of its decisions. */
export interface AssembledPolicy {
  readonly policy: ExplainedPolicy;
  readonly ledger: Ledger;
  /** Returns the verdict on a command of the agent. Runs nothing and asks no question. `environment`: its files. */
  test(
    command: string,
    principal: Principal,
    place: PolicyRequest["place"],
    signal: AbortSignal,
    environment?: PolicyRequest["environment"],
  ): Promise<TestedCommand>;
  /** Tests an allow rule on past calls. Runs nothing, asks nothing and stores nothing. */
  tryRule(rule: string, past: readonly PolicyRequest[], signal: AbortSignal): Promise<Result<RuleTrial, string>>;
  /** Returns warnings about these rules, one sentence each. Keys of an old list are reported once. */
  notices(texts: RuleTexts): readonly string[];
}

export interface TestedCommand {
  readonly verdict: "allow" | "ask" | "deny";
  readonly reasons: readonly {
    readonly rule: string;
    readonly reason: string;
    readonly kind: "hardline" | "deny" | "ask";
    readonly clearedBy?: string;
    readonly covers?: string;
    readonly spans: readonly { readonly from: number; readonly to: number }[];
  }[];
  /** Every program that would run, with its arguments. */
  readonly commands: readonly {
    readonly words: readonly string[];
    readonly via: readonly string[];
    readonly cwd: string;
  }[];
}

export function assemblePolicy(parts: PolicyParts): AssembledPolicy {
  const { settings, home, folder, clock, audit, isOwner, ruleTexts } = parts;
  const people = createPrincipalGrants(join(folder, "people"), clock);
  let read: { readonly texts: RuleTexts; readonly rules: PolicyRules } | undefined;
  function rulesOf(texts: RuleTexts): PolicyRules {
    if (read?.texts !== texts) read = { texts, rules: readRules(texts, home) };
    return read.rules;
  }
  const policy = createPolicy({
    ...parts,
    settings: (who) =>
      whenReady(ruleTexts(), (texts) => {
        const shared = rulesOf(texts);
        return whenReady(isOwner(who) ? [] : people.read(who), (own) => {
          const rules = own.length === 0 ? shared : { ...shared, allow: [...shared.allow, ...rulesIn(own)] };
          return { ...settings, rules };
        });
      }),
    async remember(texts, who, signal) {
      if (isOwner(who)) return parts.remember(texts, who, signal);
      const added = await people.add(who, texts, signal);
      if (added.ok) await audit.append({ kind: "rules", who: who.id, note: `allow: ${texts.join("; ")}` });
      return added;
    },
    get sources() {
      return parts.sources ?? [];
    },
  });
  return {
    policy,
    ledger: auditLedger(audit),
    test: (command, principal, place, signal, environment) =>
      testCommand(
        policy,
        { ...commandRequest(command, principal, place), ...(environment && { environment }) },
        signal,
      ),
    async tryRule(text, past, signal) {
      const rule = readAllowRule(text, home);
      return rule.ok ? ok(await tryRule(policy, rule.value, past, signal)) : rule;
    },
    notices: (texts) => [
      ...(settings.mode === "smart" && !parts.session
        ? ["approvals.mode is smart and no model is here to review: a person is asked"]
        : []),
      ...ruleNotices(readRules(texts, home), folder),
    ],
  };
}

async function testCommand(
  policy: ExplainedPolicy,
  request: PolicyRequest,
  signal: AbortSignal,
): Promise<TestedCommand> {
  const { verdict, denials, asks, subjects } = await policy.explain(request, signal);
  return {
    verdict,
    reasons: [
      ...distinct(denials).map(({ rule, message, isHardline }) => ({
        rule,
        reason: message,
        kind: isHardline ? ("hardline" as const) : ("deny" as const),
        spans: [],
      })),
      ...asks.map(({ rule, reason, spans, covers, clearedBy }) => ({
        rule,
        reason,
        kind: "ask" as const,
        spans,
        ...(covers !== undefined && { covers }),
        ...(clearedBy !== undefined && { clearedBy }),
      })),
    ],
    commands: subjects.map((subject) => ({ words: shownWords(subject), via: subject.via, cwd: subject.cwd })),
  };
}

/** Leaves out a denial whose words are all in another denial by the same rule. */
function distinct<Denial extends { readonly rule: string; readonly message: string }>(
  denials: readonly Denial[],
): readonly Denial[] {
  const wordsOf = ({ message }: Denial) => new Set(message.split(/\s+/u));
  return denials.filter((denial, index) => {
    const own = wordsOf(denial);
    return !denials.some((other, place) => {
      const words = wordsOf(other);
      const isRepeated = place !== index && other.rule === denial.rule && own.isSubsetOf(words);
      return isRepeated && (words.size > own.size || place < index);
    });
  });
}

/** Creates a request for one command, as a model would make it. */
export function commandRequest(command: string, principal: Principal, place: PolicyRequest["place"]): PolicyRequest {
  return {
    sessionId: asId<SessionId>("ses_test"),
    callId: asId<CallId>("call_test"),
    principal,
    tool: "terminal",
    readOnly: false,
    args: { command },
    effects: [{ kind: "exec", command, cwd: place.cwd, background: false }],
    origin: "model",
    place,
    tainted: [],
  };
}

function ruleNotices({ oldKeys, faults, ignored }: PolicyRules, folder: string): readonly string[] {
  const keys = oldKeys.map(
    (key) => `command_allowlist: ${oldKeyText(key)}; confirm with: hermes policy confirm "${key.text}"`,
  );
  return [
    ...faults.map(
      ({ list, text, why }) =>
        `approvals.${list}: "${text}" cannot be understood (${why}); until it is fixed, only reading is allowed`,
    ),
    ...ignored.map(
      ({ list, text, why }) =>
        `${list === "command_allowlist" ? list : `approvals.${list}`}: "${text}" allows nothing: ${why}`,
    ),
    ...(keys.length > 0 && isNews(folder, keys) ? keys : []),
  ];
}

/** Returns whether this is the first call with these texts. */
function isNews(folder: string, texts: readonly string[]): boolean {
  const file = join(folder, "old-keys-shown");
  const stamp = sha256(texts.join("\n"));
  try {
    if (existsSync(file) && readFileSync(file, "utf8") === stamp) return false;
    makeFolderSync(folder, 0o700);
    writeFileSync(file, stamp, { mode: 0o600 });
  } catch {
    // If writing fails, the notice appears again next time.
  }
  return true;
}
