import { quoteForShellIfNeeded } from "../../../base/text/shell-quote.ts";
import { isEffectRule, isEveryCommand } from "./match-rule.ts";
import type { RuleList } from "./read-rules.ts";
import type { WordRule } from "./rule-text.ts";

/** Describes what a rule covers. Shown before a person saves it. */
export function describeRule(rule: WordRule, list: RuleList): string {
  if (isEveryCommand(rule)) return `${verbs[list]} every command${forRule(rule)}${where(rule)}`;
  const words = rule.words.map(({ text, isGlob, mark }) => {
    const word = isGlob ? text : quoteForShellIfNeeded(text);
    return mark === undefined || mark === "=" ? word : `${mark} ${word}`;
  });
  const free = rule.words.filter(({ isGlob }) => isGlob).length;
  const what = `${isEffectRule(rule) ? "the effect" : "the command"} \`${words.join(" ")}\``;
  const rest =
    list !== "allow"
      ? " by any path, with its options in any order and whatever words follow"
      : rule.hasRest
        ? ` with any further words${rule.rule === undefined ? ", except what a danger rule asks about" : ""}`
        : " with exactly these words";
  const patterns = free === 0 ? "" : `, ${free === 1 ? "one of them" : `${free} of them`} a pattern`;
  const via = rule.via.length === 0 ? "" : `, run by ${rule.via.join(", ")}`;
  return `${verbs[list]} ${what}${rest}${patterns}${via}${where(rule)}${forRule(rule)}`;
}

const verbs = { allow: "allows", ask: "asks about", deny: "denies" } as const;

function where({ in: folder }: WordRule): string {
  return folder === undefined ? ", in any folder" : `, in ${folder}`;
}

function forRule({ rule }: WordRule): string {
  return rule === undefined ? "" : `, as far as ${rule} asks about it`;
}
