import { inflateRawSync } from "node:zlib";

import weights from "../../../data/injection/weights.json" with { type: "json" };
import { once } from "../../base/async/once.ts";

/** Traits of one group share a weight. */
export function groupOf(trait: number): number {
  return trait & (traitGroupCount - 1);
}

/** The weight of a group; zero for an unknown one. */
export function weightOf(group: number): number {
  return table()[group] ?? 0;
}

/**
 * The weight of a window with this sum of traits. Normalizes by length, because a long window has more of every trait.
 */
export function partWeight(sum: number, traits: number): number {
  return (sum * weights.scale) / rootOf(traits) + weights.bias;
}

/** The weight above which a window counts as an order, in a text with this many windows. */
export function orderLimit(windows: number): number {
  return weights.limit + windowAllowance(windows);
}

/** Raises the limit for long documents, where the heaviest of many windows is heavy by chance. */
export function windowAllowance(windows: number): number {
  return 0.06 * Math.log2(Math.min(64, Math.max(1, windows / 8)));
}

/** Number of groups of traits with weights. */
export const traitGroupCount = 1 << 19;

/** The divisor of the sum. Few traits have little weight. */
export function rootOf(traits: number): number {
  return Math.sqrt(Math.max(100, traits));
}

const table = once(() => {
  const all = new Int8Array(traitGroupCount);
  all.set(new Int8Array(inflateRawSync(Buffer.from(weights.packed, "base64"))));
  return all;
});
