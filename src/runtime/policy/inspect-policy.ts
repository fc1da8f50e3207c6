import { systemClock } from "../../base/clock.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { type Home, userFolder } from "../../config/home.ts";
import { addToList, removeFromList } from "../../config/keys/change-list.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { problemText } from "../../config/problem.ts";
import type { ShellState } from "../../contracts/environment/environment.ts";
import type { ApprovalDesk } from "../../contracts/safety/approval.ts";
import type { Principal } from "../../contracts/safety/principal.ts";
import { localFiles } from "../../environments/local/local-files.ts";
import { workspaceOf } from "../../environments/workspace.ts";
import { commandRequest, type RuleTrial, type TestedCommand } from "../../safety/policy.ts";
import { answersAs, coverageOf, type RuleList, type ShownRule, showRules } from "../../safety/rules.ts";
import type { RecentCall } from "../../sessions/recent-calls.ts";
import { backendOf } from "../environment/backends.ts";
import { describeIsolation } from "../environment/open-isolation.ts";
import { openAudit } from "./open-audit.ts";
import { openDesk, type OpenedPolicy, openPolicy, rememberRules, textsOf } from "./open-policy.ts";

export { builtInRules, readOldKey, ruleOf } from "../../safety/rules.ts";

/** The user's rules in order of precedence. */
export function listRules(config: LoadedConfig): readonly ShownRule[] {
  return showRules(textsOf(config), userFolder(config.env));
}

/** The verdict on a command of the agent in this folder. Runs nothing and asks no question. */
export async function testCommandHere(
  config: LoadedConfig,
  command: string,
  { cwd, principal }: { readonly cwd: string; readonly principal: Principal },
  signal: AbortSignal,
): Promise<TestedCommand & { readonly workspace: string | undefined }> {
  const { root } = await workspaceOf(cwd, userFolder(config.env));
  const policy = policyHere(config, cwd);
  const backend = backendOf(config);
  // Without a sandbox more commands need approval.
  const isOpen = backend === "local" && (await describeIsolation(config, cwd, signal)).mode === "off";
  const place = { cwd, backend, ...(root !== undefined && { workspace: root }), ...(isOpen && { isolated: false }) };
  const environment =
    backend === "local" ? { files: localFiles(() => cwd), state: async () => freshShell(cwd) } : undefined;
  return { ...(await policy.test(command, principal, place, signal, environment)), workspace: root };
}

function freshShell(cwd: string): ShellState {
  return { cwd, path: "", functions: {}, aliases: {}, programs: {} };
}

/** Tests an allow rule on the newest calls of a principal, judged with the current rules. */
export async function tryRuleHere(
  config: LoadedConfig,
  rule: string,
  past: { readonly calls: readonly RecentCall[]; readonly principal: Principal; readonly cwd: string },
  signal: AbortSignal,
): Promise<Result<RuleTrial, string>> {
  const home = userFolder(config.env);
  const { backend } = config.values.terminal;
  const policy = policyHere(config, past.cwd);
  const folders = [...new Set(past.calls.map(({ cwd }) => cwd))];
  const roots = new Map(
    await Promise.all(folders.map(async (cwd) => [cwd, (await workspaceOf(cwd, home)).root] as const)),
  );
  const requests = past.calls.map(({ tool, args, effects, cwd }) => {
    const workspace = roots.get(cwd);
    const place = { cwd, backend, ...(workspace !== undefined && { workspace }) };
    return { ...commandRequest("", past.principal, place), tool, args, effects };
  });
  return policy.tryRule(rule, requests, signal);
}

function policyHere(config: LoadedConfig, cwd: string): OpenedPolicy {
  const redactor = { redact: (text: string) => text };
  return openPolicy(config, { cwd, clock: systemClock, log: silentLog, redactor });
}

/** Describes the commands that a rule covers, or the reason why it cannot be stored. */
export function readRule(text: string, list: RuleList, config: LoadedConfig): Result<string, string> {
  return coverageOf(text, list, userFolder(config.env));
}

/** The exact rules of a question that the rule does not cover. */
export function uncoveredBy(rule: string, exact: readonly string[], config: LoadedConfig): readonly string[] {
  return exact.filter((each) => !answersAs(rule, each, userFolder(config.env)));
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

/** Removes a rule from every list that has it. */
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

/** The open questions of all programs that use this home. */
export function approvalDesk(config: LoadedConfig): ApprovalDesk {
  return openDesk(config, { clock: systemClock, log: silentLog });
}

export async function auditAnswer(home: Home, who: Principal, id: string, scope: string): Promise<void> {
  await openAudit(home, systemClock).append({ kind: "answer", who: who.id, note: `${id}: ${scope}` });
}
