import { err, ok, type Result } from "../base/result.ts";
import { quoteForShellIfNeeded } from "../base/text/shell-quote.ts";
import { rules as builtIn } from "./command/rules.ts";
import { allowFault } from "./policy/rules/allow-rules.ts";
import { describeRule } from "./policy/rules/describe-rule.ts";
import { covers, isEffectRule } from "./policy/rules/match-rule.ts";
import { oldKey, oldKeyText } from "./policy/rules/old-allowlist.ts";
import { readOldRule, readRules, type RuleList, type RuleTexts } from "./policy/rules/read-rules.ts";
import { parseRule } from "./policy/rules/rule-text.ts";
import type { Subject } from "./policy/rules/subject.ts";

export type { RuleList, RuleTexts } from "./policy/rules/read-rules.ts";

/** One rule of the user, with a description of what it covers. */
export interface ShownRule {
  readonly list: RuleList | "command_allowlist";
  readonly text: string;
  readonly covers: string;
  /** The reason why the rule has no effect, or blocks everything. */
  readonly fault?: string;
}

/**
 * Returns the user's rules in the order of precedence: deny, ask, allow, then the old list. `home` is the user's
 * folder.
 */
export function showRules(texts: RuleTexts, home: string): readonly ShownRule[] {
  const { faults, ignored, oldKeys } = readRules(texts, home);
  const shown = (list: ShownRule["list"], text: string): ShownRule => {
    const key = list === "command_allowlist" ? oldKey(text) : undefined;
    if (key) {
      const isWaiting = oldKeys.some((each) => each.text === text);
      const fault = isWaiting ? `waits for: hermes policy confirm ${quoteForShellIfNeeded(text)}` : "confirmed";
      return { list, text, covers: oldKeyText(key), ...(key.rules.length > 0 && { fault }) };
    }
    const fault = [...faults, ...ignored].find((each) => each.list === list && each.text === text)?.why;
    const isOld = list === "command_allowlist";
    const rule = (isOld ? readOldRule : parseRule)(text, home);
    const covers = rule.ok ? describeRule(rule.value, isOld ? "allow" : list) : "nothing";
    return { list, text, covers, ...(fault !== undefined && { fault }) };
  };
  return [
    ...(["deny", "ask", "allow"] as const).flatMap((list) => texts[list].map((text) => shown(list, text))),
    ...texts.old.map((text) => shown("command_allowlist", text)),
  ];
}

/** The rules of the command analysis. */
export function builtInRules(): readonly {
  readonly id: string;
  readonly severity: string;
  readonly sentence: string;
}[] {
  return Object.entries(builtIn).map(([id, { severity, sentence }]) => ({ id, severity, sentence }));
}

/** Describes what a rule would cover in this list, or why the list cannot store it. */
export function coverageOf(text: string, list: RuleList, home: string): Result<string, string> {
  const rule = parseRule(text, home);
  if (!rule.ok) return rule;
  const fault = list === "allow" ? allowFault(rule.value) : undefined;
  return fault === undefined ? ok(describeRule(rule.value, list)) : err(fault);
}

/** Returns whether an allow rule answers the question that this exact rule would answer. */
export function answersAs(text: string, exact: string, home: string): boolean {
  const rule = parseRule(text, home);
  const question = parseRule(exact, home);
  if (!rule.ok || !question.ok) return false;
  const { words, via, in: cwd = rule.value.in ?? "/", rule: id = "" } = question.value;
  const subject: Subject = {
    kind: isEffectRule(question.value) ? "effect" : "command",
    words: words.map(({ isGlob, ...word }) => ({ ...word, isPattern: isGlob, isKnown: true, maySplit: false })),
    cwd,
    via,
    isFed: false,
  };
  return covers(rule.value, subject, id);
}

/** Converts a text that is already a rule, or words that the shell split, to one rule. */
export function ruleOf(words: readonly string[]): string {
  const [only = ""] = words;
  return words.length === 1 ? only : words.map((word) => (word === "*" ? word : quoteForShellIfNeeded(word))).join(" ");
}

/** Returns the rules of a key of the old list and what they would allow, or an error if the text is not such a key. */
export function readOldKey(
  text: string,
): Result<{ readonly covers: string; readonly rules: readonly string[] }, string> {
  const key = oldKey(text);
  if (!key || key.rules.length === 0)
    return err(`"${text}" is not a key of an old command_allowlist that can be confirmed`);
  return ok({ covers: oldKeyText(key), rules: key.rules.map((id) => `* # rule=${id}`) });
}
