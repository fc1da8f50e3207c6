import type { Lexicon } from "./meanings.ts";
import { type TextPart, type Windows, windowsOf } from "./parts.ts";
import type { TextReading } from "./readings.ts";
import type { Surface } from "./rule.ts";
import { type Tokens, tokensOf } from "./tokens.ts";
import { groupOf, surfaceTrait, traitGroupCount, traitsOf } from "./traits.ts";

/** The features of an interpretation, in the order of its words, and its windows. */
export interface WindowTraits {
  readonly groups: Int32Array;
  /** The index at which the features of each word begin. */
  readonly begins: Uint32Array;
  /** For each feature, the previous index with the same group; -1 if there is none. */
  readonly before: Int32Array;
  /** The group that every window contains. */
  readonly surfaceGroup: number;
  readonly windows: readonly Windows[];
}

export interface TraitTable extends WindowTraits {
  readonly tokens: Tokens;
}

export interface WeighedWindow extends TextPart {
  readonly weight: number;
}

export function traitTable(reading: TextReading, surface: Surface, lexicon: Lexicon): TraitTable {
  const tokens = tokensOf(reading.shown, lexicon);
  const begins = new Uint32Array(tokens.words.length + 1);
  let groups = new Int32Array(64 + tokens.words.length * 16);
  let count = 0;
  traitsOf(tokens, reading.text, reading.shown, surface, {
    take(trait) {
      if (count === groups.length) {
        const larger = new Int32Array(count * 2);
        larger.set(groups);
        groups = larger;
      }
      groups[count++] = groupOf(trait);
    },
    endWord(index) {
      begins[index + 1] = count;
    },
  });
  groups = groups.subarray(0, count);
  const surfaceGroup = groupOf(surfaceTrait(surface));
  return { tokens, groups, begins, before: indexesBefore(groups), surfaceGroup, windows: windowsOf(tokens) };
}

/**
 * Returns the window with the highest weight for each start: the sum of its features, each group counted once, divided
 * by the root of their number. It depends only on the text inside the window.
 */
export function heaviestWindows(table: WindowTraits, weights: ArrayLike<number>): WeighedWindow[] {
  const { groups, begins, before, surfaceGroup, windows } = table;
  return windows.map(({ first, ends }) => {
    const from = begins[first] ?? 0;
    let sum = weights[surfaceGroup] ?? 0;
    let count = 1;
    let index = from;
    let heaviest = { end: first, weight: -Infinity };
    for (const end of ends) {
      for (const to = begins[end] ?? 0; index < to; index++) {
        if ((before[index] ?? 0) >= from) continue;
        sum += weights[groups[index] ?? 0] ?? 0;
        count++;
      }
      const weight = sum / rootOf(count);
      if (weight > heaviest.weight) heaviest = { end, weight };
    }
    return { first, ...heaviest };
  });
}

/** Returns the groups of a window, each once. */
export function groupsIn({ groups, begins, before, surfaceGroup }: WindowTraits, { first, end }: TextPart): Int32Array {
  const from = begins[first] ?? 0;
  const inside = groups.slice(from, begins[end]).filter((_, offset) => (before[from + offset] ?? 0) < from);
  return Int32Array.of(surfaceGroup, ...inside);
}

/** The divisor of the sum, so that few features alone have little weight. */
export function rootOf(traits: number): number {
  return Math.sqrt(Math.max(100, traits));
}

/** For few features, a table of all groups would cost more than it saves. */
function indexesBefore(groups: Int32Array): Int32Array {
  const before = new Int32Array(groups.length);
  if (groups.length < 10_000) {
    const last = new Map<number, number>();
    for (const [index, group] of groups.entries()) {
      before[index] = last.get(group) ?? -1;
      last.set(group, index);
    }
    return before;
  }
  const last = new Int32Array(traitGroupCount).fill(-1);
  for (let index = 0; index < groups.length; index++) {
    const group = groups[index] ?? 0;
    before[index] = last[group] ?? -1;
    last[group] = index;
  }
  return before;
}
