import { findDemands } from "./demands.ts";
import { type TextFinding, describeFinding } from "./finding.ts";
import { readingsOf } from "./readings.ts";
import type { Surface } from "./rule.ts";
import { type RuleMatch, marksIn, shapesIn } from "./shapes.ts";

export interface ScanResult {
  readonly verdict: "allow" | "block";
  /** The findings in the order of the text. Empty if the text is allowed. */
  readonly findings: readonly TextFinding[];
}

/**
 * Finds instructions to the model that its user did not give. Scans only the beginning and the end of a very long text.
 * Never throws.
 */
export function scanText(text: string, surface: Surface): ScanResult {
  const matches =
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
  const findings = onePerRule(matches).map((place) => findingAt(text, place));
  return { verdict: findings.length > 0 ? "block" : "allow", findings };
}

const head = 131_072;
const tail = 65_536;
const maxQuote = 200;

function foundIn(text: string, surface: Surface): RuleMatch[] {
  return [...firstFound(text, surface), ...marksIn(text, surface)];
}

/** Other interpretations are checked only if the visible text is harmless. */
function firstFound(text: string, surface: Surface): RuleMatch[] {
  for (const reading of readingsOf(text)) {
    const matches = [...shapesIn(reading, surface), ...findDemands(reading, surface)];
    if (matches.length === 0) continue;
    return reading.hiddenAt ? [{ rule: "encoded_instructions", ...reading.hiddenAt }] : matches;
  }
  return [];
}

function findingAt(text: string, { rule, start, end }: RuleMatch): TextFinding {
  const quote = text.slice(start, Math.min(end, start + maxQuote));
  return { rule, says: describeFinding(rule), line: lineOf(text, start), quote, start, end };
}

function lineOf(text: string, index: number): number {
  let line = 1;
  for (let end = text.indexOf("\n"); end !== -1 && end < index; end = text.indexOf("\n", end + 1)) line++;
  return line;
}

function onePerRule(matches: readonly RuleMatch[]): RuleMatch[] {
  const byRule = new Map<string, RuleMatch>();
  for (const place of matches.toSorted((a, b) => a.start - b.start)) {
    if (!byRule.has(place.rule)) byRule.set(place.rule, place);
  }
  return [...byRule.values()];
}
