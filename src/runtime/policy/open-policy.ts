import { join } from "node:path";

import type { Clock } from "../../base/clock.ts";
import { fileStamp } from "../../base/files/file-stamp.ts";
import type { Logger } from "../../base/log/log.ts";
import { createNamedList, type NamedList } from "../../base/named-list.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Home, homeFiles, userFolder } from "../../config/home.ts";
import { addToList } from "../../config/keys/change-list.ts";
import { loadConfig, type LoadedConfig } from "../../config/load.ts";
import { isOwner } from "../../config/owner.ts";
import { problemText } from "../../config/problem.ts";
import type { HookBus } from "../../contracts/host/hook.ts";
import type { ApprovalDesk, PolicySource } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import type { Redactor } from "../../contracts/tool/dispatch.ts";
import { openApprovalDesk } from "../../safety/approvals.ts";
import type { AuditTrail } from "../../safety/audit.ts";
import { type AssembledPolicy, assemblePolicy, type PolicyParts } from "../../safety/policy.ts";
import type { RuleTexts } from "../../safety/rules.ts";
import { builtinPolicies } from "./builtin-policies.ts";
import { openAudit } from "./open-audit.ts";
import { policySurroundings } from "./policy-surroundings.ts";

/** The policy of one program, with the desk that holds its open questions. */
export interface OpenedPolicy extends Omit<AssembledPolicy, "notices"> {
  readonly desk: ApprovalDesk;
  /** Warnings to show to the user before anything runs, one sentence each. */
  notices(): readonly string[];
}

export interface PolicyContext {
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly redactor: Redactor;
  /** The desk that keeps open questions. Default: a new one. */
  readonly desk?: ApprovalDesk;
  /** Default: the log of the home. */
  readonly audit?: AuditTrail;
  /** Receives questions and answers as events. */
  readonly hooks?: HookBus;
  /** The open sessions. Undefined: calls belong to no session, and the mode of the settings applies. */
  readonly session?: PolicyParts["session"];
  /** Default: the built-in ones. */
  readonly sources?: Pick<NamedList<PolicySource>, "list">;
}

export function openPolicy(config: LoadedConfig, context: PolicyContext): OpenedPolicy {
  const { approvals } = config.values;
  const { clock, log, redactor, session } = context;
  const { desk = openDesk(config, context), audit = openAudit(config.home, clock) } = context;
  const { sources = createNamedList(builtinPolicies(config, context)) } = context;
  const assembled = assemblePolicy({
    settings: {
      mode: approvals.mode,
      unattended: approvals.unattended,
      scheduled: approvals.cron_mode,
      smartPolicy: approvals.smart_policy,
      denialLimit: approvals.denial_breaker_threshold,
    },
    ruleTexts: liveTexts(config, context),
    home: userFolder(config.env),
    folder: join(config.home.path, homeFiles.approvals),
    isOwner: (who) => isOwner(config, who),
    remember: (texts, who, signal) => rememberRules(config.home, texts, { who, audit, clock, signal }),
    surroundings: policySurroundings(config),
    desk,
    audit,
    redactor,
    clock,
    log,
    ...(session && { session }),
    get sources() {
      return sources.list();
    },
  });
  return { ...assembled, desk, notices: () => assembled.notices(textsOf(config)) };
}

export function openDesk(
  { home, values }: LoadedConfig,
  { clock, log, hooks }: Pick<PolicyContext, "clock" | "log" | "hooks">,
): ApprovalDesk {
  const folder = join(home.path, homeFiles.approvals);
  return openApprovalDesk({ folder, clock, log, timeoutMs: values.approvals.timeout * 1000, hooks });
}

/** Stores allow rules in the settings and notes the change in the audit log. */
export async function rememberRules(
  home: Home,
  texts: readonly string[],
  {
    who,
    audit,
    clock,
    signal,
  }: { readonly who: Principal; readonly audit: AuditTrail; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result<void, { readonly message: string }>> {
  const written = await addToList(home, ["approvals", "allow"], texts, { signal, clock });
  if (!written.ok) return err({ message: written.error.problems.map(problemText).join("; ") });
  await audit.append({ kind: "rules", who: who.id, note: `allow: ${texts.join("; ")}` });
  return ok(undefined);
}

export function textsOf({ values }: LoadedConfig): RuleTexts {
  const { allow, ask, deny } = values.approvals;
  return { allow, ask, deny, old: values.command_allowlist };
}

/** The current rules of the files: a rule that another process stores applies from the next call on. */
function liveTexts(config: LoadedConfig, { cwd, log }: PolicyContext): () => Promise<RuleTexts> | RuleTexts {
  const file = join(config.home.path, homeFiles.config);
  let stamp = fileStamp(file);
  let texts = textsOf(config);
  return () => {
    const now = fileStamp(file);
    return now === stamp ? texts : read(now);
  };
  async function read(now: string): Promise<RuleTexts> {
    const loaded = await loadConfig({ env: config.env, cwd, profile: config.home.profile });
    if (!loaded.ok) {
      log.warn("policy.rules_not_read", { error: loaded.error.problems.map(problemText).join("; ") });
      return texts;
    }
    stamp = now;
    texts = { ...textsOf(loaded.value), ...fromFlags(config) };
    return texts;
  }
}

/** Rules from the command line, which apply to this call only. */
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
