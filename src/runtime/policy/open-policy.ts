import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/digest.ts";
import { makeFolderSync } from "../../base/files/make-folder.ts";
import { asId, type CallId, type SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { createNamedList, type NamedList } from "../../base/named-list.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Home, homeFiles, userFolder } from "../../config/home.ts";
import { addToList } from "../../config/keys/change-list.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { isOwner } from "../../config/owner.ts";
import { problemText } from "../../config/problem.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ApprovalDesk, PolicyRequest, PolicySource, Question } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import type { Ledger } from "../../contracts/tool/ledger.ts";
import type { AuditPlace } from "../../safety/audit/audit-files.ts";
import { auditLedger } from "../../safety/audit/audit-ledger.ts";
import { type AuditLog, createAuditLog } from "../../safety/audit/audit-log.ts";
import { createApprovalDesk } from "../../safety/policy/approvals/approval-desk.ts";
import { createApprovalStore } from "../../safety/policy/approvals/approval-store.ts";
import { createPrincipalGrants } from "../../safety/policy/approvals/principal-grants.ts";
import type { PolicySettings } from "../../safety/policy/policy-settings.ts";
import { createPolicy, type ExplainedPolicy, type PolicyDeps, rulesIn } from "../../safety/policy/policy.ts";
import { oldKeyText } from "../../safety/policy/rules/old-allowlist.ts";
import { type PolicyRules, readRules, type RuleTexts } from "../../safety/policy/rules/read-rules.ts";
import { builtinPolicies } from "./builtin-policies.ts";
import { policySurroundings } from "./policy-surroundings.ts";

/** The decision point of one program, with where its questions go and what is written down of it. */
export interface OpenedPolicy {
  readonly policy: ExplainedPolicy;
  readonly desk: ApprovalDesk;
  readonly ledger: Ledger;
  /** What the person should know before anything runs, a sentence each. Kinds of commands of an old list are told once. */
  notices(): readonly string[];
}

export interface PolicyContext {
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor: Redactor;
  /** Where questions wait. Default: a desk of its own. */
  readonly desk?: ApprovalDesk;
  /** Default: the log of the home. */
  readonly audit?: AuditLog;
  /** Told of questions and answers. */
  readonly hooks?: HookBus;
  /** The open sessions. Absent: calls belong to no session, and the mode of the settings holds. */
  readonly session?: PolicyDeps["session"];
  /** Default: the built-in ones. */
  readonly sources?: Pick<NamedList<PolicySource>, "list">;
}

export function openPolicy(config: LoadedConfig, context: PolicyContext): OpenedPolicy {
  const { approvals } = config.values;
  const { clock, log } = context;
  const { desk = openDesk(config, context), audit = openAudit(config.home, clock) } = context;
  const { sources = createNamedList(builtinPolicies(config, context)) } = context;
  const rules = liveRules(config, context);
  const people = createPrincipalGrants(join(config.home.path, homeFiles.approvals, "people"), clock);
  const policy = createPolicy({
    async settings(who): Promise<PolicySettings> {
      const shared = await rules();
      const own = isOwner(config, who) ? [] : await people.read(who);
      return {
        mode: approvals.mode,
        unattended: approvals.unattended,
        scheduled: approvals.cron_mode,
        smartPolicy: approvals.smart_policy,
        denialLimit: approvals.denial_breaker_threshold,
        rules: own.length === 0 ? shared : { ...shared, allow: [...shared.allow, ...rulesIn(own)] },
      };
    },
    surroundings: policySurroundings(config),
    desk,
    audit,
    redactor: context.redactor,
    log,
    async remember(texts, who, signal) {
      if (isOwner(config, who)) return rememberRules(config.home, texts, { who, audit, clock, signal });
      const added = await people.add(who, texts, signal);
      if (added.ok) await audit.append({ kind: "rules", who: who.id, note: `allow: ${texts.join("; ")}` });
      return added;
    },
    ...(context.session && { session: context.session }),
    get sources() {
      return sources.list();
    },
  });
  return {
    policy,
    desk,
    ledger: auditLedger(audit),
    notices: () => noticesOf(config, readRules(textsOf(config), userFolder(config.env)), context),
  };
}

export function openDesk(
  config: LoadedConfig,
  { clock, log, hooks }: Pick<PolicyContext, "clock" | "log" | "hooks">,
): ApprovalDesk {
  const never = new AbortController().signal;
  return createApprovalDesk({
    store: createApprovalStore({
      folder: join(config.home.path, homeFiles.approvals),
      now: clock.now,
      pid: process.pid,
      isAlive,
    }),
    clock,
    log,
    timeoutMs: config.values.approvals.timeout * 1000,
    ...(hooks && {
      asked: ({ asks, ...question }) => void hooks.notify("approvalRequested", { ...callIds(question), asks }, never),
      settled: (question, settled) => {
        const answer = settled.how === "answered" ? settled.answer : ({ scope: "deny", reason: settled.how } as const);
        void hooks.notify("approvalAnswered", { ...callIds(question), answer }, never);
      },
    }),
  });
}

function callIds({ sessionId, callId, parentCallId }: Pick<Question, "sessionId" | "callId" | "parentCallId">) {
  return { sessionId, callId, ...(parentCallId !== undefined && { parentCallId }) };
}

export function auditPlace(home: Home): AuditPlace {
  return { folder: join(home.path, homeFiles.audit), headFile: join(home.path, homeFiles.auditHead) };
}

export function openAudit(home: Home, clock: Clock): AuditLog {
  return createAuditLog({ ...auditPlace(home), clock });
}

/** A change of the rules is written down like a decision. */
export async function rememberRules(
  home: Home,
  texts: readonly string[],
  {
    who,
    audit,
    clock,
    signal,
  }: { readonly who: Principal; readonly audit: AuditLog; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<void>> {
  const written = await addToList(home, ["approvals", "allow"], texts, { signal, clock });
  if (!written.ok) return err({ message: written.error.problems.map(problemText).join("; ") });
  await audit.append({ kind: "rules", who: who.id, note: `allow: ${texts.join("; ")}` });
  return ok(undefined);
}

/** A request about one command, as the agent would make it here. */
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

export function textsOf({ values }: LoadedConfig): RuleTexts {
  const { allow, ask, deny } = values.approvals;
  return { allow, ask, deny, old: values.command_allowlist };
}

/** The rules as the files have them now: what another program allowed or forbade counts from the next call on. */
function liveRules(config: LoadedConfig, { cwd, log }: PolicyContext): () => Promise<PolicyRules> {
  const home = userFolder(config.env);
  const file = join(config.home.path, homeFiles.config);
  let stamp = stampOf(file);
  let texts = textsOf(config);
  let rules = readRules(texts, home);
  return async () => {
    const now = stampOf(file);
    if (now === stamp) return rules;
    const loaded = await loadConfig({ env: config.env, cwd, profile: config.home.profile });
    if (!loaded.ok) {
      log.warn("policy.rules_not_read", { error: loaded.error.problems.map(problemText).join("; ") });
      return rules;
    }
    stamp = now;
    texts = { ...textsOf(loaded.value), ...fromFlags(config) };
    rules = readRules(texts, home);
    return rules;
  };
}

/** Lists that were given for this call alone. */
function fromFlags(config: LoadedConfig): Partial<RuleTexts> {
  const isFlag = (key: string) => config.origins.get(key)?.from === "flag";
  const { allow, ask, deny, old } = textsOf(config);
  return {
    ...(isFlag("approvals.allow") && { allow }),
    ...(isFlag("approvals.ask") && { ask }),
    ...(isFlag("approvals.deny") && { deny }),
    ...(isFlag("command_allowlist") && { old }),
  };
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats ? `${stats.mtimeNs} ${stats.size} ${stats.ino}` : "";
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return thrown instanceof Error && "code" in thrown && thrown.code === "EPERM";
  }
}

function noticesOf(config: LoadedConfig, rules: PolicyRules, { session }: PolicyContext): readonly string[] {
  const isSmart = config.values.approvals.mode === "smart" && !session;
  const keys = rules.oldKeys.map(
    (key) => `command_allowlist: ${oldKeyText(key)}; confirm with: hermes policy confirm "${key.text}"`,
  );
  return [
    ...(isSmart ? ["approvals.mode is smart and no model is here to review: a person is asked"] : []),
    ...rules.faults.map(
      ({ list, text, why }) =>
        `approvals.${list}: "${text}" cannot be understood (${why}); until it is mended only reading is allowed`,
    ),
    ...rules.ignored.map(
      ({ list, text, why }) =>
        `${list === "command_allowlist" ? list : `approvals.${list}`}: "${text}" allows nothing: ${why}`,
    ),
    ...(keys.length > 0 && isNews(config.home, keys) ? keys : []),
  ];
}

/** True once for the same texts. */
function isNews(home: Home, texts: readonly string[]): boolean {
  const folder = join(home.path, homeFiles.approvals);
  const file = join(folder, "old-keys-shown");
  const stamp = sha256(texts.join("\n"));
  try {
    if (existsSync(file) && readFileSync(file, "utf8") === stamp) return false;
    makeFolderSync(folder, 0o700);
    writeFileSync(file, stamp, { mode: 0o600 });
  } catch {
    // Told again next time.
  }
  return true;
}
