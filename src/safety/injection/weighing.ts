import { inflateRawSync } from "node:zlib";

import weights from "../../../data/injection/weights.json" with { type: "json" };
import { once } from "../../base/async/once.ts";
import type { Surface } from "./rule.ts";
import { traitGroupCount } from "./traits.ts";

/** The learned weight of each group of features. */
export const learnedWeights = once((): Int8Array => {
  const all = new Int8Array(traitGroupCount);
  all.set(new Int8Array(inflateRawSync(Buffer.from(weights.packed, "base64"))));
  return all;
});

/**
 * The threshold above which a window counts as an instruction, wherever it is in the text. Each source has its own
 * threshold, because a skill consists of instructions and a document hardly contains any.
 */
export const orderLimits: Readonly<Record<Surface, number>> = weights.limits;
