import { exfiltrationPatterns } from "./exfiltration-patterns.ts";
import type { Place } from "./finding.ts";
import type { Folded } from "./folded-text.ts";
import { foreignPatterns } from "./foreign-patterns.ts";
import { createLexicon, type Lexicon } from "./meanings.ts";
import { isMention } from "./mention.ts";
import { type CompiledPattern, compile, enough, matchesOf, namesIn, weightIn } from "./pattern.ts";
import type { Surface } from "./rule.ts";
import { signPatterns } from "./sign-patterns.ts";
import { takeoverPatterns } from "./takeover-patterns.ts";
import { tamperingPatterns } from "./tampering-patterns.ts";
import { type Tokens, tokensOf } from "./tokens.ts";

export interface Demand extends Place {
  readonly rule: string;
}

/** What a text demands of a model that its user did not ask for; `original` is the text as it was given. */
export function demandsIn(original: string, shown: Folded, surface: Surface): Demand[] {
  const tokens = tokensOf(shown, lexicon);
  const found: Demand[] = [];
  const signs: Sign[] = [];
  const rules = new Set<string>();
  for (const pattern of compiled) {
    const weight = weightIn(pattern, surface);
    if (weight === 0 || rules.has(pattern.rule)) continue;
    for (const { first, last } of matchesOf(pattern, tokens)) {
      if (isTalk(tokens, first, last) || (pattern.rule === "hand_over_secrets" && isInterface(tokens, first))) continue;
      if (weight < enough) {
        signs.push({ rule: pattern.rule, weight, first, last, sentence: tokens.sentences[first] ?? 0 });
        continue;
      }
      const place = placeOf(tokens, shown, first, last);
      const ending = placeOf(tokens, shown, last, last);
      if (isMention(original, place.start, place.end) || isMention(original, ending.start, ending.end)) continue;
      rules.add(pattern.rule);
      found.push({ rule: pattern.rule, ...place });
      break;
    }
  }
  if (found.length > 0) return found;
  const together = signsTogether(signs, (first, last) => {
    const place = placeOf(tokens, shown, first, last);
    return isMention(original, place.start, place.end) ? undefined : place;
  });
  return together ? [{ rule: "signs_together", ...together }] : [];
}

interface Sign {
  readonly rule: string;
  readonly weight: number;
  readonly first: number;
  readonly last: number;
  readonly sentence: number;
}

/** Signs that only say what a text is about. */
const about: ReadonlySet<string> = new Set([
  "to a model",
  "secret",
  "every time",
  "pressure",
  "no question",
  "false authority",
]);

/** Signs belong together within about two sentences. */
function isFar(before: Sign, sign: Sign): boolean {
  return sign.first - before.first > 34 || sign.sentence - before.sentence > 4;
}

function signsTogether(
  signs: readonly Sign[],
  placeIn: (first: number, last: number) => Place | undefined,
): Place | undefined {
  const inOrder = signs.toSorted((a, b) => a.first - b.first);
  let from = 0;
  const inside: Sign[] = [];
  for (const sign of inOrder) {
    inside.push(sign);
    while (isFar(inside[from] ?? sign, sign)) from++;
    const near = new Map<string, number>();
    let acts = 0;
    for (let index = Math.max(from, inside.length - 60); index < inside.length; index++) {
      const { rule, weight } = inside[index] ?? sign;
      near.set(rule, Math.max(near.get(rule) ?? 0, weight));
      if (!about.has(rule)) acts++;
    }
    if (acts === 0 || near.size < 2) continue;
    let weight = 0;
    for (const part of near.values()) weight += part;
    if (weight < enough) continue;
    const place = placeIn(inside[from]?.first ?? sign.first, sign.last);
    if (place) return place;
  }
  return undefined;
}

function placeOf({ starts, ends }: Tokens, shown: Folded, first: number, last: number): Place {
  const start = starts[first] ?? 0;
  const end = Math.max(ends[last] ?? start + 1, start + 1);
  return { start: shown.at(start), end: shown.at(end - 1) + 1 };
}

/** Does the sentence itself say that it is about attacks? */
function isTalk({ words, sentences }: Tokens, first: number, last: number): boolean {
  for (let index = first - 1; index >= 0 && index >= first - 30 && sentences[index] === sentences[first]; index--) {
    if (talk.has(words[index] ?? "")) return true;
  }
  for (let index = last + 1; index <= last + 12 && sentences[index] === sentences[last]; index++) {
    if (talk.has(words[index] ?? "")) return true;
  }
  return false;
}

/** Documentation of an interface says where a key goes, too. */
function isInterface({ words, sentences }: Tokens, at: number): boolean {
  for (let index = Math.max(0, at - 12); index < at + 20; index++) {
    if (sentences[index] === sentences[at] && interfaces.has(words[index] ?? "")) return true;
  }
  return false;
}

const interfaces: ReadonlySet<string> = new Set(
  "header headers authorization bearer oauth x-api-key login signup".split(" "),
);

const talk: ReadonlySet<string> = new Set(
  "attack attacks attacker attackers injection injections malicious adversarial adversary vulnerability vulnerabilities exploit exploits scammer scammers scams hackers mitigation mitigations owasp jailbreak jailbreaks poisoned hostile untrusted victims victim angriff angriffe angreifer attaque attaques attaquant ataque ataques atacante attacco attacchi атака атаки злоумышленник тест".split(
    " ",
  ),
);

const all = [...takeoverPatterns, ...exfiltrationPatterns, ...tamperingPatterns, ...foreignPatterns, ...signPatterns];
const lexicon: Lexicon = createLexicon([":", "URL", "OUT", "NAME", ...all.flatMap(({ shape }) => namesIn(shape))]);
const compiled: readonly CompiledPattern[] = all.map((pattern) => compile(pattern, lexicon));
