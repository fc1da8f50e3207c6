import { err, type Result } from "../../../base/result.ts";
import { allowFault } from "./allow-rules.ts";
import { isEveryCommand } from "./match-rule.ts";
import { type OldKey, oldKey } from "./old-allowlist.ts";
import { parseRule, type WordRule } from "./rule-text.ts";

export type RuleList = "allow" | "ask" | "deny";

/** The user's lists of rules as text. */
export interface RuleTexts extends Readonly<Record<RuleList, readonly string[]>> {
  /** The `command_allowlist` of the Python version. */
  readonly old: readonly string[];
}

export interface PolicyRules extends Readonly<Record<RuleList, readonly WordRule[]>> {
  /** Deny and ask rules that cannot be parsed. Until they are fixed, only reading is allowed. */
  readonly faults: readonly RuleFault[];
  /** Allow rules that cannot be parsed or may not allow anything. They are ignored. */
  readonly ignored: readonly RuleFault[];
  /** Keys of the old list, which need a user's confirmation. */
  readonly oldKeys: readonly OldKey[];
}

export interface RuleFault {
  readonly list: RuleList | "command_allowlist";
  readonly text: string;
  readonly why: string;
}

/** Parses the rules. Never throws. */
export function readRules(texts: RuleTexts, home: string): PolicyRules {
  const faults: RuleFault[] = [];
  const ignored: RuleFault[] = [];
  const refusing = (list: "ask" | "deny") =>
    texts[list].flatMap((text) => {
      const rule = parseRule(text, home);
      if (rule.ok) return [rule.value];
      faults.push({ list, text, why: rule.error });
      return [];
    });
  const allowing = (list: RuleFault["list"], entries: readonly string[]) =>
    entries.flatMap((text) => {
      const rule = list === "command_allowlist" ? readOldRule(text, home) : readAllowRule(text, home);
      if (rule.ok) return [rule.value];
      ignored.push({ list, text, why: rule.error });
      return [];
    });
  const oldKeys = texts.old.flatMap((text) => oldKey(text) ?? []);
  const confirmed = allowing("allow", texts.allow);
  const isConfirmed = ({ rules }: OldKey) =>
    rules.length > 0 && rules.every((id) => confirmed.some((rule) => isEveryCommand(rule) && rule.rule === id));
  return {
    allow: [
      ...confirmed,
      ...allowing(
        "command_allowlist",
        texts.old.filter((text) => oldKey(text) === undefined),
      ),
    ],
    ask: refusing("ask"),
    deny: refusing("deny"),
    faults,
    ignored,
    oldKeys: oldKeys.filter((key) => key.rules.length > 0 && !isConfirmed(key)),
  };
}

/** Returns a rule that may allow something, or why it may not. */
export function readAllowRule(text: string, home: string): Result<WordRule, string> {
  const rule = parseRule(text, home);
  const fault = rule.ok ? allowFault(rule.value) : undefined;
  return fault === undefined ? rule : err(fault);
}

/**
 * Converts a command or a glob of the old list. There, `git push*` matched text, so it also covered any further words.
 */
export function readOldRule(text: string, home: string): Result<WordRule, string> {
  const plain = readAllowRule(text, home);
  if (!/[^\s*\\]\*$/u.test(text)) return plain;
  const read = [`${text} *`, `${text.slice(0, -1)} *`].map((spelled) => readAllowRule(spelled, home));
  return read.find(({ ok }) => ok) ?? plain;
}
