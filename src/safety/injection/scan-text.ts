import { vendorTokens } from "../secrets/vendor-tokens.ts";
import { encodedText } from "./encoded-text.ts";
import type { Finding, Place } from "./finding.ts";
import { type Folded, readable, withInvisibleBlanks, withoutLeet, withoutSpacing, wordsOf } from "./folded-text.ts";
import { invisibleText, tagText } from "./invisible-text.ts";
import { isDescribed, isMention } from "./mention.ts";
import type { InjectionRule, Surface } from "./rule.ts";
import { injectionRules } from "./rules.ts";
import { signsTogether } from "./signals.ts";

export interface ScanResult {
  readonly verdict: "allow" | "block";
  /** In the order of the text; empty when it is allowed. */
  readonly findings: readonly Finding[];
}

/**
 * Does a text try to give the model orders that its user did not give? Of a text longer than both ends together only the
 * ends are read. Never throws.
 */
export function scanText(text: string, surface: Surface): ScanResult {
  const findings =
    text.length <= head + tail
      ? findingsIn(text, surface)
      : [
          ...findingsIn(text.slice(0, head), surface),
          ...moved(findingsIn(text.slice(-tail), surface), text.length - tail),
        ];
  return { verdict: findings.length > 0 ? "block" : "allow", findings };
}

const head = 131_072;
const tail = 65_536;
const longestQuote = 200;

function findingsIn(text: string, surface: Surface): Finding[] {
  const found = [
    ...ruleFindings(text, surface),
    ...invisibleText(text).map((place) => findingAt(text, "invisible_text", place)),
    ...encodedFindings(text, surface),
    ...(surface === "memory" ? vendorTokens(text).map((place) => findingAt(text, "secret_in_memory", place)) : []),
  ];
  return onePerRule(found);
}

function ruleFindings(text: string, surface: Surface): Finding[] {
  const shown = readable(text);
  const words = wordsOf(shown);
  const found = matches(text, words, shown, surface);
  if (found.length > 0) return found;
  // Only a text that reads as harmless is read again in other spellings.
  for (const other of [withoutLeet(words), withoutSpacing(shown)]) {
    if (other === undefined) continue;
    const again = matches(text, wordsOf(other), other, surface);
    if (again.length > 0) return again;
  }
  const parted = withInvisibleBlanks(text);
  if (parted === undefined) return [];
  const blank = readable(parted);
  return matches(text, wordsOf(blank), blank, surface);
}

function matches(text: string, words: Folded, shown: Folded, surface: Surface): Finding[] {
  const found: Finding[] = [];
  for (const rule of injectionRules) {
    if (rule.where && !rule.where.includes(surface)) continue;
    const place = firstPlace(text, rule.view === "words" ? words : shown, rule);
    if (place) found.push(findingAt(text, rule.rule, place));
  }
  const together = found.length > 0 ? undefined : signsTogether(text, words, surface);
  return together ? [findingAt(text, "signs_together", together)] : found;
}

function firstPlace(text: string, view: Folded, rule: InjectionRule): Place | undefined {
  for (const match of view.text.matchAll(rule.shape)) {
    const last = match.index + Math.max(0, match[0].trimEnd().length - 1);
    const place = { start: view.at(match.index), end: view.at(last) + 1 };
    if (rule.isOrder && isDescribed(view.text.slice(Math.max(0, match.index - 60), match.index))) continue;
    if (rule.holds && !rule.holds(match)) continue;
    if (!rule.isNeverMention && isMention(text, place.start, place.end)) continue;
    return place;
  }
  return undefined;
}

/** What is encoded is no quotation, and nobody hides a harmless sentence; what is harmless decoded stays so. */
function encodedFindings(text: string, surface: Surface): Finding[] {
  const hidden = encodedText(text);
  const tags = tagText(text);
  if (tags !== "") hidden.push({ start: 0, end: text.length, decoded: tags });
  return hidden
    .filter(({ decoded }) => downloads.test(decoded) || ruleFindings(decoded, surface).length > 0)
    .map((place) => findingAt(text, "encoded_instructions", place));
}

/** A command that nobody encodes for a good reason. */
const downloads = /\b(?:curl|wget)\b[^\n]{0,300}\|\s*(?:sudo )?(?:ba|z)?sh\b|\brm -rf [~/]|\/dev\/tcp\/|\bnc -e\b/u;

function findingAt(text: string, rule: string, { start, end }: Place): Finding {
  return { rule, quote: text.slice(start, Math.min(end, start + longestQuote)), start, end };
}

function moved(findings: readonly Finding[], by: number): Finding[] {
  return findings.map((finding) => ({ ...finding, start: finding.start + by, end: finding.end + by }));
}

function onePerRule(findings: readonly Finding[]): Finding[] {
  const byRule = new Map<string, Finding>();
  for (const finding of findings.toSorted((a, b) => a.start - b.start)) {
    if (!byRule.has(finding.rule)) byRule.set(finding.rule, finding);
  }
  return [...byRule.values()];
}
