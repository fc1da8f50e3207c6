import { err, ok } from "../../base/result.ts";
import type { LoadedConfig } from "../../config/load.ts";
import { flag, integer, list, object, optional, string } from "../../contracts/host/input-schema.ts";
import type { RuleTrial } from "../../safety/policy.ts";
import { recentCalls } from "../../sessions/recent-calls.ts";
import { readOperation, writeOperation } from "../operation.ts";
import { originText } from "../settings/config-values.ts";

/** Loaded by the first operation that runs, because it includes the whole command analysis. */
const inspect = () => import("../../runtime/policy/inspect-policy.ts");

const words = list(
  "A rule: one text, or the words of a command. `*` as the last word matches any further words",
  string("A word"),
);

const settingKeys = [
  "approvals.mode",
  "approvals.unattended",
  "approvals.timeout",
  "approvals.cron_mode",
  "approvals.denial_breaker_threshold",
];

export const operations = {
  show: readOperation({
    summary: "Show the approval settings and the rules, with their origins",
    input: object({ builtIn: optional(flag("Include the rules of the command analysis")) }),
    needs: ["config"],
    async run({ builtIn = false }, { config }) {
      const { builtInRules, listRules } = await inspect();
      const rules = listRules(config).map((rule) => ({
        ...rule,
        key: rule.list === "command_allowlist" ? rule.list : `approvals.${rule.list}`,
      }));
      return ok({
        settings: Object.fromEntries(settingKeys.map((key) => [key, settingOf(config, key)])),
        rules: rules.map((rule) => ({ ...rule, origin: originOf(config, rule.key) })),
        ...(builtIn && { builtIn: builtInRules() }),
      });
    },
  }),

  test: readOperation({
    summary: "Show the verdict on a command of the agent and its reasons, without running it",
    input: object({ command: string("The command line") }),
    needs: ["config"],
    async run({ command }, { config }, { cwd, principal, signal }) {
      const { testCommandHere } = await inspect();
      const { verdict, reasons, commands, workspace } = await testCommandHere(
        config,
        command,
        { cwd, principal },
        signal,
      );
      const deciding = reasons.find(({ kind, clearedBy }) =>
        verdict === "deny" ? kind !== "ask" : clearedBy === undefined,
      );
      return ok({
        command,
        verdict,
        ...(deciding && { rule: deciding.rule, reason: deciding.reason }),
        reasons,
        commands,
        ...(workspace !== undefined && { workspace }),
      });
    },
  }),

  tryRule: readOperation({
    summary: "Show what an allow rule would cover, and test it on your newest calls, before it is saved",
    input: object({
      rule: words,
      question: optional(list("The exact rules that a question shows", string("A rule"))),
      calls: optional(integer("Number of newest calls to test it on; default 200")),
    }),
    needs: ["config", "sessions", "redactor"],
    async run(
      { rule: given, question = [], calls: limit = 200 },
      { config, sessions, redactor },
      { cwd, principal, signal },
    ) {
      const { readRule, ruleOf, tryRuleHere, uncoveredBy } = await inspect();
      const rule = ruleOf(given);
      const covers = readRule(rule, "allow", config);
      if (!covers.ok) return ruleFault(rule, covers.error);
      const calls = sessions ? await recentCalls(sessions, principal, limit, signal) : [];
      const trial = await tryRuleHere(config, rule, { calls, principal, cwd }, signal);
      if (!trial.ok) return ruleFault(rule, trial.error);
      const masked = (each: RuleTrial["allows"][number]) => ({
        ...each,
        text: redactor.redact(each.text),
        reasons: each.reasons.map(({ rule: id, reason }) => ({ rule: id, reason: redactor.redact(reason) })),
      });
      const { allows, leaves } = trial.value;
      return ok({
        rule,
        covers: covers.value,
        /** Parts of the question that the rule does not cover. */
        uncovered: uncoveredBy(rule, question, config),
        calls: trial.value.calls,
        allows: allows.map(masked),
        leaves: leaves.map(masked),
      });
    },
  }),

  list: readOperation({
    summary: "List your own rules and what they cover",
    needs: ["config"],
    run: async (_input, { config }) => ok({ rules: (await inspect()).listRules(config) }),
  }),

  allow: storing("allow", "Allow a command without a question"),
  ask: storing("ask", "Always ask before a command runs"),
  deny: storing("deny", "Deny a command in every mode"),

  forget: writeOperation({
    summary: "Remove a rule from every list that has it",
    input: object({ rule: list("The rule as policy.list shows it, or its number from 1", string("A word")) }),
    needs: ["config"],
    async run({ rule: given }, { config }, { principal, signal }) {
      const { forgetRule, listRules, ruleOf } = await inspect();
      const [only = ""] = given;
      const numbered = given.length === 1 && /^\d+$/u.test(only) ? listRules(config)[Number(only) - 1] : undefined;
      const rule = numbered?.text ?? ruleOf(given);
      const written = await forgetRule(config.home, rule, principal, signal);
      if (!written.ok) return written;
      const { changed, file } = written.value;
      if (changed.length > 0) return ok({ rule, lists: changed, file });
      return err({ message: `There is no rule ${rule}.`, hint: "`hermes policy list` shows them." });
    },
  }),

  legacyEntry: readOperation({
    summary: "Show what a command category of an old command_allowlist would allow",
    input: object({ key: string("The entry, such as recursive delete") }),
    needs: ["config"],
    async run({ key }, { config }) {
      if (!config.values.command_allowlist.includes(key))
        return err({ message: `command_allowlist has no "${key}".`, hint: "`hermes policy list` shows its entries." });
      const entry = (await inspect()).readOldKey(key);
      return entry.ok ? ok({ key, ...entry.value }) : err({ message: `${entry.error}.` });
    },
  }),

  confirm: writeOperation({
    summary: "Allow a command category of an old command_allowlist",
    input: object({ key: string("The entry, such as recursive delete") }),
    needs: ["config"],
    async run({ key }, { config }, { principal, signal }) {
      const { confirmRules, readOldKey } = await inspect();
      const entry = readOldKey(key);
      if (!entry.ok) return err({ message: `${entry.error}.` });
      const written = await confirmRules(config.home, entry.value.rules, principal, signal);
      return written.ok ? ok({ key, confirmed: true, rules: entry.value.rules }) : written;
    },
  }),
};

function storing(name: "allow" | "ask" | "deny", summary: string) {
  return writeOperation({
    summary,
    input: object({ rule: words }),
    needs: ["config"],
    async run({ rule: given }, { config }, { principal, signal }) {
      const { readRule, ruleOf, storeRule } = await inspect();
      const rule = ruleOf(given);
      const covers = readRule(rule, name, config);
      if (!covers.ok) return ruleFault(rule, covers.error);
      const written = await storeRule(config.home, name, rule, principal, signal);
      if (!written.ok) return written;
      const { file, changed } = written.value;
      return ok({ list: name, rule, covers: covers.value, file, added: changed.length > 0 });
    },
  });
}

function ruleFault(rule: string, why: string) {
  return err({ message: `${rule}: ${why}.`, hint: "`hermes policy allow --help` explains how to write rules." });
}

function settingOf(config: LoadedConfig, key: string): { readonly value: string; readonly origin: string } {
  const values: Readonly<Record<string, unknown>> = config.values.approvals;
  return { value: String(values[key.split(".")[1] ?? ""]), origin: originOf(config, key) };
}

function originOf(config: LoadedConfig, key: string): string {
  const origin = config.origins.get(key);
  return origin === undefined ? "default" : originText(origin);
}
