import type { Lexicon } from "./meanings.ts";
import { isOrder } from "./order.ts";
import type { Surface } from "./rule.ts";
import type { Tokens } from "./tokens.ts";

/**
 * Meanings (big letters) and words (small letters) that follow each other: `IGNORE 4 PRIOR|YOUR RULES`. A number is how
 * many other words may stand before the next one, two without a number; `~` before it lets the next one stand in a
 * later sentence. `!` before words: none of these may follow.
 */
export interface Pattern {
  readonly rule: string;
  readonly shape: string;
  /** What it counts; `enough` alone. */
  readonly weight: Weight;
  /** The first word is an order to the reader. */
  readonly isOrder: boolean;
  /** In any order, for languages with other ones. */
  readonly isLoose?: boolean;
}

/** The same everywhere, or by where the text comes from. */
export type Weight = number | Readonly<Record<Surface, number>>;

export function weightIn({ weight }: Pattern, surface: Surface): number {
  return typeof weight === "number" ? weight : weight[surface];
}

/** The weight at which a text is blocked. */
export const enough = 4;

interface Step {
  readonly ids: readonly number[];
  readonly gap: number;
  readonly crosses: boolean;
  /** None of these may stand there. */
  readonly isBarred: boolean;
}

export interface CompiledPattern extends Pattern {
  readonly steps: readonly Step[];
  /** The meaning "not", where the pattern itself has none. */
  readonly barredNot: number | undefined;
  readonly not: number;
}

/** From the first to the last of the words that matched. */
export interface Match {
  readonly first: number;
  readonly last: number;
}

/** The names that a shape uses, for the lexicon. */
export function namesIn(shape: string): string[] {
  return shape
    .split(" ")
    .filter((piece) => !gapShape.test(piece))
    .flatMap((piece) => piece.replace("!", "").split("|"));
}

export function compile(pattern: Pattern, lexicon: Lexicon): CompiledPattern {
  const steps: Step[] = [];
  let gap = 2;
  let crosses = false;
  for (const piece of pattern.shape.split(" ")) {
    if (gapShape.test(piece)) {
      crosses = piece.startsWith("~");
      gap = Number.parseInt(piece.replace("~", ""), 10);
      continue;
    }
    const isBarred = piece.startsWith("!");
    const ids = piece
      .replace("!", "")
      .split("|")
      .map((name) => lexicon.idOf(name));
    steps.push({ ids, gap, crosses, isBarred });
    gap = 2;
    crosses = false;
  }
  const not = lexicon.idOf("NOT");
  const hasNot = steps.some(({ ids }) => ids.includes(not) || ids.includes(lexicon.idOf("WITHOUT")));
  return { ...pattern, steps, barredNot: hasNot ? undefined : not, not };
}

/** Every match, at most one for each place where one can begin. */
export function* matchesOf(
  { steps, isOrder: mustOrder, isLoose, barredNot, not }: CompiledPattern,
  tokens: Tokens,
): Generator<Match> {
  const [begin, ...rest] = steps;
  if (!begin || !steps.every(({ ids, isBarred }) => isBarred || ids.some((id) => tokens.places.has(id)))) return;
  for (const id of begin.ids) {
    for (const at of tokens.places.get(id) ?? []) {
      if (isLoose && isSpokenOf(tokens, at, barredNot)) continue;
      const last = isLoose ? looseEnd(steps, tokens, at) : endOf(rest, tokens, at, begin, not);
      if (last === undefined || (mustOrder && !isOrder(tokens, at))) continue;
      yield isLoose ? last : { first: at, last: last.last };
    }
  }
}

const gapShape = /^~?\d+$/u;

/** All ways at once, so that the time does not depend on how often words are repeated. */
function endOf(steps: readonly Step[], tokens: Tokens, from: number, begin: Step, not: number): Match | undefined {
  const { sentences, meanings } = tokens;
  // The last word of each way so far.
  let reached = [from + spanOf(tokens, from, begin.ids)];
  for (const { ids, gap, crosses, isBarred } of steps) {
    const next: number[] = [];
    let tried = from;
    for (const at of reached) {
      const furthest = Math.min(at + gap + 1, meanings.length - 1);
      let isNear = false;
      for (let place = isBarred ? at + 1 : Math.max(at, tried) + 1; place <= furthest; place++) {
        if (!crosses && sentences[place] !== sentences[at]) break;
        if (!isBarred) tried = place;
        const span = spanOf(tokens, place, ids);
        if (span < 0 || (crosses && meanings[place - 1]?.includes(not))) continue;
        if (isBarred) isNear = true;
        else next.push(place + span);
      }
      if (isBarred && !isNear) next.push(at);
    }
    if (next.length === 0) return undefined;
    reached = next;
  }
  return { first: from, last: reached[0] ?? from };
}

/** How many more words a phrase with one of these meanings has here; -1 when there is none. */
function spanOf({ meanings, spans }: Tokens, at: number, ids: readonly number[]): number {
  const means = meanings[at];
  if (means === undefined) return -1;
  for (let index = 0; index < means.length; index++) {
    if (ids.includes(means[index] ?? -1)) return spans[at]?.[index] ?? 0;
  }
  return -1;
}

/** All meanings near the first, in one sentence, at least two of them in another language or known by their shape. */
function looseEnd(steps: readonly Step[], tokens: Tokens, at: number): Match | undefined {
  const { sentences, isForeign, isSpecial } = tokens;
  let first = at;
  let last = at;
  let foreign = isForeign[at] ? 1 : 0;
  let special = isSpecial[at] ? 1 : 0;
  const taken = new Set([at]);
  for (const { ids } of steps.slice(1)) {
    const place = nearest(
      at,
      looseReach,
      (index) => sentences[index] === sentences[at] && !taken.has(index) && spanOf(tokens, index, ids) >= 0,
    );
    if (place === undefined) return undefined;
    taken.add(place);
    if (isForeign[place]) foreign++;
    else if (isSpecial[place]) special++;
    first = Math.min(first, place);
    last = Math.max(last, place + spanOf(tokens, place, ids));
  }
  return foreign > 0 && foreign + special >= 2 ? { first, last } : undefined;
}

const looseReach = 12;

/** "Do not forget the rules", "the model ignores rules": a negation close by, or a subject before it. */
function isSpokenOf({ words, sentences, meanings, spans }: Tokens, at: number, not: number | undefined): boolean {
  if (sentences[at - 1] === sentences[at] && subjects.has(words[at - 1] ?? "")) return true;
  if (sentences[at - 2] === sentences[at] && articles.has(words[at - 2] ?? "")) return true;
  if (not === undefined) return false;
  const last = at + Math.max(0, ...(spans[at] ?? []));
  for (let place = at - 2; place <= last + 2; place++) {
    const isOutside = place < at || place > last;
    if (isOutside && sentences[place] === sentences[at] && meanings[place]?.includes(not)) return true;
  }
  return false;
}

const articles: ReadonlySet<string> = new Set("el los il lo o os le der das het de el una".split(" "));
const subjects: ReadonlySet<string> = new Set(
  "modele modelo modello modell model модель он она они il elle on ils er sie man wir es el ella lui lei ele ela hij zij 模型 有时 会 可能 manchmal parfois".split(
    " ",
  ),
);

function nearest(at: number, most: number, holds: (index: number) => boolean): number | undefined {
  for (let away = 1; away <= most; away++) {
    if (holds(at + away)) return at + away;
    if (at - away >= 0 && holds(at - away)) return at - away;
  }
  return undefined;
}

/** Patterns of one rule; `weight` may differ by where the text comes from. */
export function patterns(
  rule: string,
  shapes: readonly string[],
  { weight = enough, isOrder: mustOrder = true }: { weight?: Weight; isOrder?: boolean } = {},
): Pattern[] {
  return shapes.map((shape) => ({ rule, shape: shape.trim(), weight, isOrder: mustOrder }));
}
