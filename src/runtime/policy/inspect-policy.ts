import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { quoteForShellIfNeeded } from "../../base/text/shell-quote.ts";
import { type Home, userFolder } from "../../config/home.ts";
import { addToList, removeFromList } from "../../config/keys/change-list.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import type { ApprovalDesk } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import type { ChainedEntry } from "../../safety/audit/audit-chain.ts";
import { type AuditReport, readAudit, verifyAudit } from "../../safety/audit/verify-audit.ts";
import { rules as builtIn } from "../../safety/command/rules.ts";
import { describeRule } from "../../safety/policy/rules/describe-rule.ts";
import { oldKey, oldKeyText } from "../../safety/policy/rules/old-allowlist.ts";
import { readOldRule, readRules, type RuleList } from "../../safety/policy/rules/read-rules.ts";
import { allowFault } from "../../safety/policy/rules/remember.ts";
import { parseRule } from "../../safety/policy/rules/rule-text.ts";
import { shownWords } from "../../safety/policy/rules/subject.ts";
import { auditPlace, commandRequest, openAudit, openDesk, openPolicy, rememberRules, textsOf } from "./open-policy.ts";

/** One rule of the user's, with what it covers. */
export interface ShownRule {
  readonly list: RuleList | "command_allowlist";
  readonly text: string;
  readonly covers: string;
  /** It does nothing, or stops everything, and why. */
  readonly fault?: string;
}

/** The user's rules in the order in which they count: deny, ask, allow, then the old list. */
export function listRules(config: LoadedConfig): readonly ShownRule[] {
  const texts = textsOf(config);
  const { faults, ignored, oldKeys } = readRules(texts, userFolder(config.env));
  const shown = (list: ShownRule["list"], text: string): ShownRule => {
    const key = list === "command_allowlist" ? oldKey(text) : undefined;
    if (key) {
      const isWaiting = oldKeys.some((each) => each.text === text);
      const fault = isWaiting ? `waits for: hermes policy confirm ${quoteForShellIfNeeded(text)}` : "confirmed";
      return { list, text, covers: oldKeyText(key), ...(key.rules.length > 0 && { fault }) };
    }
    const fault = [...faults, ...ignored].find((each) => each.list === list && each.text === text)?.why;
    const isOld = list === "command_allowlist";
    const rule = (isOld ? readOldRule : parseRule)(text, userFolder(config.env));
    const covers = rule.ok ? describeRule(rule.value, isOld ? "allow" : list) : "nothing";
    return { list, text, covers, ...(fault !== undefined && { fault }) };
  };
  return [
    ...(["deny", "ask", "allow"] as const).flatMap((list) => texts[list].map((text) => shown(list, text))),
    ...texts.old.map((text) => shown("command_allowlist", text)),
  ];
}

export function builtInRules(): readonly {
  readonly id: string;
  readonly severity: string;
  readonly sentence: string;
}[] {
  return Object.entries(builtIn).map(([id, { severity, sentence }]) => ({ id, severity, sentence }));
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
  /** Every program that would run, as it would get its words. */
  readonly commands: readonly {
    readonly words: readonly string[];
    readonly via: readonly string[];
    readonly cwd: string;
  }[];
  readonly workspace: string | undefined;
}

/** What would be decided about a command of the agent's here. Runs nothing and asks nobody. */
export async function testCommand(
  config: LoadedConfig,
  command: string,
  { cwd, principal }: { readonly cwd: string; readonly principal: Principal },
  signal: AbortSignal,
): Promise<TestedCommand> {
  const { root } = await workspaceOf(cwd, userFolder(config.env));
  const redactor = { redact: (text: string) => text };
  const { policy } = openPolicy(config, { cwd, clock: systemClock, log: silentLog, redactor });
  const place = { cwd, backend: config.values.terminal.backend, ...(root !== undefined && { workspace: root }) };
  const { verdict, denials, asks, subjects } = await policy.explain(commandRequest(command, principal, place), signal);
  return {
    verdict,
    reasons: [
      ...denials.map(({ rule, message, isHardline }) => ({
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
    workspace: root,
  };
}

/** What a rule would cover, or why it cannot be stored. */
export function readRule(text: string, list: RuleList, config: LoadedConfig): Result<string, string> {
  const rule = parseRule(text, userFolder(config.env));
  if (!rule.ok) return rule;
  const fault = list === "allow" ? allowFault(rule.value) : undefined;
  return fault === undefined ? ok(describeRule(rule.value, list)) : err(fault);
}

/** As one rule: a text that is one already, or words that the shell took apart. */
export function ruleOf(words: readonly string[]): string {
  const [only = ""] = words;
  return words.length === 1 ? only : words.map((word) => (word === "*" ? word : quoteForShellIfNeeded(word))).join(" ");
}

type Written = Result<{ readonly file: string; readonly changed: readonly string[] }>;

export async function storeRule(
  home: Home,
  list: RuleList,
  text: string,
  who: Principal,
  signal: AbortSignal,
): Promise<Written> {
  const written = await addToList(home, ["approvals", list], [text], { signal, clock: systemClock });
  if (!written.ok) return err({ message: written.error.problems.map(problemText).join("; ") });
  if (written.value.changed.length > 0) await noteRules(home, who, `${list}: ${text}`);
  return written;
}

/** Takes a rule out of every list that has it. */
export async function forgetRule(home: Home, text: string, who: Principal, signal: AbortSignal): Promise<Written> {
  let file = "";
  const changed: string[] = [];
  for (const path of [["approvals", "allow"], ["approvals", "ask"], ["approvals", "deny"], ["command_allowlist"]]) {
    const written = await removeFromList(home, path, [text], { signal, clock: systemClock });
    if (!written.ok) return err({ message: written.error.problems.map(problemText).join("; ") });
    file = written.value.file;
    if (written.value.changed.length > 0) changed.push(path.join("."));
  }
  if (changed.length > 0) await noteRules(home, who, `forgot: ${text}`);
  return ok({ file, changed });
}

/** The rules that an old key stands for, and what they would allow; an error when it is none. */
export function readOldKey(
  text: string,
): Result<{ readonly covers: string; readonly rules: readonly string[] }, string> {
  const key = oldKey(text);
  if (!key || key.rules.length === 0)
    return err(`"${text}" is no key of an old command_allowlist that could be confirmed`);
  return ok({ covers: oldKeyText(key), rules: key.rules.map((id) => `* # rule=${id}`) });
}

export async function confirmRules(
  home: Home,
  texts: readonly string[],
  who: Principal,
  signal: AbortSignal,
): Promise<Result<void>> {
  return rememberRules(home, texts, { who, audit: openAudit(home, systemClock), clock: systemClock, signal });
}

async function noteRules(home: Home, who: Principal, note: string): Promise<void> {
  await openAudit(home, systemClock).append({ kind: "rules", who: who.id, note });
}

/** The questions of every program of this home. */
export function approvalDesk(config: LoadedConfig): ApprovalDesk {
  return openDesk(config, { clock: systemClock, log: silentLog });
}

export async function noteAnswer(home: Home, who: Principal, id: string, scope: string): Promise<void> {
  await openAudit(home, systemClock).append({ kind: "answer", who: who.id, note: `${id}: ${scope}` });
}

export type AuditRecord = ChainedEntry;

export function checkAudit(home: Home, noted?: { readonly seq: number; readonly hash: string }): Promise<AuditReport> {
  return verifyAudit(auditPlace(home), noted);
}

/** The newest entries as data, oldest first. */
export async function showAudit(
  home: Home,
  { limit, session, deniedOnly }: { readonly limit: number; readonly session?: string; readonly deniedOnly: boolean },
): Promise<readonly AuditRecord[]> {
  return readAudit(auditPlace(home), {
    limit,
    fits: (entry) => (session === undefined || entry.session === session) && (!deniedOnly || entry.decision === "deny"),
  });
}
