import { vendorTokens } from "../secrets/vendor-tokens.ts";
import { commandRules } from "./command-rules.ts";
import type { TextRange } from "./finding.ts";
import { invisibleText } from "./invisible-text.ts";
import { markupRules } from "./markup-rules.ts";
import { isMention } from "./mention.ts";
import type { TextReading } from "./readings.ts";
import type { InjectionRule, Surface } from "./rule.ts";

export interface RuleMatch extends TextRange {
  readonly rule: string;
}

/** Returns pattern matches in one interpretation of a text: commands, markup, imitated messages. */
export function shapesIn({ text, shown, hiddenAt }: TextReading, surface: Surface): RuleMatch[] {
  const matches: RuleMatch[] = [];
  for (const rule of [...commandRules, ...markupRules]) {
    if (rule.where && !rule.where.includes(surface)) continue;
    const place = firstPlace(text, shown, rule);
    if (place) matches.push({ rule: rule.rule, ...place });
  }
  if (hiddenAt && downloads.test(text)) matches.push({ rule: "runs_download", start: 0, end: text.length });
  return matches;
}

/** Returns matches of single characters: invisible text, and keys in memory. */
export function marksIn(text: string, surface: Surface): RuleMatch[] {
  return [
    ...invisibleText(text).map((place) => ({ rule: "invisible_text", ...place })),
    ...(surface === "memory"
      ? vendorTokens(text)
          .filter(({ start, end }) => !standIn.test(text.slice(start, end)))
          .map((place) => ({ rule: "secret_in_memory", ...place }))
      : []),
  ];
}

/** Words that show that a key is fake. */
const standIn = /example|demo|dummy|fake|sample|not_?secret|0000|x{4}/iu;

/** Commands that have no legitimate reason to be encoded. */
const downloads =
  /\b(?:curl|wget)\b[^\n]{0,300}\|\s*(?:sudo )?(?:ba|z)?sh\b|\brm -rf [~/$]|\/dev\/tcp\/|\bnc -e\b|\b(?:curl|wget|nc)\b[^\n]{0,200}(?:\$\(|@|\.ssh|\.env\b|\.aws|KEY|TOKEN)|\|\s*(?:curl|nc)\b/u;

function firstPlace(text: string, shown: TextReading["shown"], rule: InjectionRule): TextRange | undefined {
  const shape = new RegExp(rule.shape);
  for (let match = shape.exec(shown.text); match; match = shape.exec(shown.text)) {
    // A rejected match must not hide another match that starts inside it, so the search continues there.
    shape.lastIndex = match.index + 1;
    const last = match.index + Math.max(0, match[0].trimEnd().length - 1);
    const place = { start: shown.at(match.index), end: shown.at(last) + 1 };
    if (rule.holds && !rule.holds(match)) continue;
    if (!rule.isNeverMention && isMention(text, place.start, place.end)) continue;
    return place;
  }
  return undefined;
}
