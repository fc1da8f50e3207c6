import { vendorTokens } from "../secrets/vendor-tokens.ts";
import { demandsIn } from "./demands.ts";
import { encodedText } from "./encoded-text.ts";
import { type Finding, type Place, saysOf } from "./finding.ts";
import { type Folded, readable, withInvisibleBlanks, withoutLeet, withoutSpacing } from "./folded-text.ts";
import { invisibleText, tagText } from "./invisible-text.ts";
import { isMention } from "./mention.ts";
import type { InjectionRule, Surface } from "./rule.ts";
import { injectionRules } from "./rules.ts";

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
  const found =
    text.length <= head + tail
      ? foundIn(text, surface)
      : [
          ...foundIn(text.slice(0, head), surface),
          ...foundIn(text.slice(-tail), surface).map(({ rule, start, end }) => ({
            rule,
            start: start + text.length - tail,
            end: end + text.length - tail,
          })),
        ];
  const findings = onePerRule(found).map((place) => findingAt(text, place));
  return { verdict: findings.length > 0 ? "block" : "allow", findings };
}

const head = 131_072;
const tail = 65_536;
const longestQuote = 200;

interface Found extends Place {
  readonly rule: string;
}

function foundIn(text: string, surface: Surface): Found[] {
  return [
    ...spelledOut(text, surface),
    ...invisibleText(text).map((place) => ({ rule: "invisible_text", ...place })),
    ...encoded(text, surface),
    ...(surface === "memory" ? vendorTokens(text).map((place) => ({ rule: "secret_in_memory", ...place })) : []),
  ];
}

/** Only a text that reads as harmless is read again in other spellings. */
function spelledOut(text: string, surface: Surface): Found[] {
  const shown = readable(text);
  const found = inSpelling(text, shown, surface);
  if (found.length > 0) return found;
  for (const other of [withoutLeet(shown), withoutSpacing(shown)]) {
    if (other === undefined) continue;
    const again = inSpelling(text, other, surface);
    if (again.length > 0) return again;
  }
  const parted = withInvisibleBlanks(text);
  return parted === undefined ? [] : inSpelling(text, readable(parted), surface);
}

function inSpelling(text: string, shown: Folded, surface: Surface): Found[] {
  const found: Found[] = [];
  for (const rule of injectionRules) {
    if (rule.where && !rule.where.includes(surface)) continue;
    const place = firstPlace(text, shown, rule);
    if (place) found.push({ rule: rule.rule, start: place.start, end: place.end });
  }
  return [...found, ...demandsIn(text, shown, surface)];
}

function firstPlace(text: string, shown: Folded, rule: InjectionRule): Place | undefined {
  for (const match of shown.text.matchAll(rule.shape)) {
    const last = match.index + Math.max(0, match[0].trimEnd().length - 1);
    const place = { start: shown.at(match.index), end: shown.at(last) + 1 };
    if (rule.holds && !rule.holds(match)) continue;
    if (!rule.isNeverMention && isMention(text, place.start, place.end)) continue;
    return place;
  }
  return undefined;
}

/** What is encoded is no quotation, and nobody hides a harmless sentence; what is harmless decoded stays so. */
function encoded(text: string, surface: Surface): Found[] {
  const hidden = encodedText(text);
  const tags = tagText(text);
  if (tags !== "") hidden.push({ start: 0, end: text.length, decoded: tags });
  const found = hidden.find(({ decoded }) => downloads.test(decoded) || spelledOut(decoded, surface).length > 0);
  return found ? [{ rule: "encoded_instructions", start: found.start, end: found.end }] : [];
}

/** A command that nobody encodes for a good reason. */
const downloads = /\b(?:curl|wget)\b[^\n]{0,300}\|\s*(?:sudo )?(?:ba|z)?sh\b|\brm -rf [~/]|\/dev\/tcp\/|\bnc -e\b/u;

function findingAt(text: string, { rule, start, end }: Found): Finding {
  const quote = text.slice(start, Math.min(end, start + longestQuote));
  return { rule, says: saysOf(rule), line: lineOf(text, start), quote, start, end };
}

function lineOf(text: string, at: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < at; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

function onePerRule(found: readonly Found[]): Found[] {
  const byRule = new Map<string, Found>();
  for (const place of found.toSorted((a, b) => a.start - b.start)) {
    if (!byRule.has(place.rule)) byRule.set(place.rule, place);
  }
  return [...byRule.values()];
}
