// `node scripts/injection-weights.ts FOLDER`: trains the weights for injected text on test/fixtures/injection and on
// the texts of other authors in FOLDER/learn, sets the limits on FOLDER/tune (see injection-corpus.ts), and writes
// data/injection/weights.json. Training continues from the weights in that file, so that texts which are no longer
// available still count; `--from-zero` starts without them.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";

import { createLexicon } from "../src/safety/injection/meanings.ts";
import type { TextPart } from "../src/safety/injection/parts.ts";
import { readingsOf } from "../src/safety/injection/readings.ts";
import type { Surface } from "../src/safety/injection/rule.ts";
import { marksIn, shapesIn } from "../src/safety/injection/shapes.ts";
import {
  groupsIn,
  heaviestWindows,
  rootOf,
  type TraitTable,
  traitTable,
  type WindowTraits,
} from "../src/safety/injection/trait-table.ts";
import { traitGroupCount } from "../src/safety/injection/traits.ts";
import { learnedWeights } from "../src/safety/injection/weighing.ts";
import { folderSamples, heldOutAuthors, type Sample, samplesIn } from "./injection-corpus.ts";
import { type Bag, type Example, learn, type Learned } from "./learned-weights.ts";

/** The share of harmless texts of each kind that may be blocked when the limits are set. */
const acceptable: Readonly<Record<string, number>> = { prose: 0.0175, documents: 0.01, skills: 0.005, rules: 0.005 };
/** More false alarms are acceptable in tool results, because these are marked as untrusted text anyway. */
const acceptableInResults = { ...acceptable, documents: 0.0175 };
/** The minimum number of heavy windows that training adds per harmless text and round; long texts add more. */
const minWindows = 4;
const maxWindows = 24;
/** The maximum number of sentences of an attack that is used as a whole at first. */
const shortText = 8;
/** In the stored scale, a learned instruction has a weight of about 72, a learned harmless window about 15. */
const middle = 43.5;
const unit = 1 / 28.5;

const root = join(import.meta.dirname, "..");
const lexicon = createLexicon();
const folder = process.argv[2];
if (folder === undefined) throw new Error("Name the folder with the texts of others: injection-weights.ts FOLDER");

const bags = [...samplesIn(root), ...folderSamples(join(folder, "learn"))].flatMap(bagsOf);
console.log(`${bags.length} texts`);
const start = process.argv.includes("--from-zero") ? undefined : presentWeights();
const { weights } = learn(bags, traitGroupCount, console.log, start);
const small = smallWeights(weights);
const limits = limitsFor([...heldOutAuthors(root), ...folderSamples(join(folder, "tune"))]);
const packed = deflateRawSync(small, { level: 9 }).toString("base64");
const file = JSON.stringify({ limits, packed }, null, 2);
writeFileSync(join(root, "data/injection/weights.json"), `${file}\n`);
console.log(`${file.length} bytes, ${small.filter((weight) => weight !== 0).length} weights`);

/** The stored weights in the scale of the training: an instruction has more than 1, a harmless window less than -1. */
function presentWeights(): Learned {
  return { weights: Float32Array.from(learnedWeights(), (weight) => weight * unit), bias: -middle * unit };
}

/** Omits tokens, which take much memory. */
function windowTraits({ groups, begins, before, surfaceGroup, windows }: TraitTable): WindowTraits {
  return { groups, begins, before, surfaceGroup, windows };
}

/**
 * Training uses the last visible form of a text, because a hidden instruction reveals nothing about the visible words.
 */
function bagsOf(sample: Sample): Bag[] {
  const readings = [...readingsOf(sample.text)];
  const plain = readings.filter(({ hiddenAt }) => !hiddenAt);
  const isHidden = readings.length > plain.length || marksIn(sample.text, sample.surface).length > 0;
  const reading = plain.at(-1);
  if (!reading || (sample.isAttack && isHidden)) return [];
  const table = windowTraits(traitTable(reading, sample.surface, lexicon));
  const examples = new Map<string, Example>();
  const exampleOf = (window: TextPart): Example => {
    const key = `${window.first} ${window.end}`;
    const groups = examples.get(key)?.groups ?? groupsIn(table, window);
    const example = examples.get(key) ?? { groups, unit: 1 / rootOf(groups.length) };
    examples.set(key, example);
    return example;
  };
  const { windows } = table;
  const count = Math.min(windows.length, Math.max(minWindows, Math.min(maxWindows, Math.ceil(windows.length / 10))));
  return [
    {
      isAttack: sample.isAttack,
      trust: sample.trust,
      groups: table.groups.slice(0, 2_000),
      choose: (learned) => {
        const chosen = learned
          ? heaviest(table, learned, sample.isAttack ? 1 : count)
          : firstChoice(table, sample, count);
        return chosen.map(exampleOf);
      },
    },
  ];
}

/**
 * The first selection, before anything is learned: the whole of a short attack, nothing of a long one, and evenly
 * spaced windows of a harmless text.
 */
function firstChoice({ windows }: WindowTraits, { isAttack }: Sample, count: number): readonly TextPart[] {
  const step = Math.max(1, Math.ceil(windows.length / count));
  const chosen = isAttack
    ? windows.slice(0, windows.length <= shortText ? 1 : 0)
    : windows.filter((_, index) => index % step === 0);
  return chosen.map(({ first, ends }) => ({ first, end: ends.at(-1) ?? first }));
}

/** The heaviest windows that do not overlap. */
function heaviest(table: WindowTraits, learned: Float32Array, count: number): readonly TextPart[] {
  const chosen: TextPart[] = [];
  for (const window of heaviestWindows(table, learned).toSorted((a, b) => b.weight - a.weight)) {
    if (chosen.length === count) break;
    if (!chosen.some(({ first, end }) => window.first < end && first < window.end)) chosen.push(window);
  }
  return chosen;
}

/** Stores a weight in one byte. Drops small weights and those from a single text, because they do not generalise. */
function smallWeights(learned: Float32Array): Int8Array {
  const scale = start ? unit : (learned.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) * 0.7) / 127;
  const seenBy = new Int32Array(traitGroupCount).fill(-1);
  const isShared = new Uint8Array(traitGroupCount);
  for (const [index, { groups }] of bags.entries()) {
    for (const group of groups) {
      if (seenBy[group] !== -1 && seenBy[group] !== index) isShared[group] = 1;
      seenBy[group] = index;
    }
  }
  return Int8Array.from(learned, (weight, group) =>
    (isShared[group] || start?.weights[group]) && Math.abs(weight) > 2 * scale
      ? Math.max(-127, Math.min(127, Math.round(weight / scale)))
      : 0,
  );
}

/**
 * For each source of text, the smallest limit at which no kind of harmless text is blocked more often than acceptable,
 * with a tolerance of one text.
 */
function limitsFor(samples: readonly Sample[]): Record<Surface, number> {
  const weighed = samples.map((sample) => ({ ...sample, weight: weightOf(sample) }));
  const limitOf = (surface: Surface): number => {
    const shares = surface === "tool_result" ? acceptableInResults : acceptable;
    const kinds = Object.entries(shares).map(([kind, share]) => {
      const harmless = weighed.filter((sample) => sample.surface === surface && sample.kind === kind);
      const sorted = harmless.flatMap(({ isAttack, weight }) => (isAttack ? [] : [weight])).toSorted((a, b) => b - a);
      return Math.ceil(10 * (sorted[Math.ceil(sorted.length * share)] ?? 0)) / 10;
    });
    console.log(`${surface}: limits of ${Object.keys(acceptable).join(", ")}: ${kinds.join(", ")}`);
    return Math.max(...kinds);
  };
  const bySurface = {
    memory: limitOf("memory"),
    context: limitOf("context"),
    skill: limitOf("skill"),
    tool_result: limitOf("tool_result"),
  };
  for (const kind of new Set(samples.map((sample) => sample.kind))) {
    for (const isAttack of [false, true]) {
      const chosen = weighed.filter((sample) => sample.kind === kind && sample.isAttack === isAttack);
      const blocked = chosen.filter(({ weight, surface }) => weight > bySurface[surface]).length;
      if (chosen.length > 0)
        console.log(`${kind}, ${isAttack ? "orders" : "harmless"}: ${blocked} of ${chosen.length} blocked`);
    }
  }
  return bySurface;
}

/** The weight of the heaviest window; Infinity for a text that is blocked by its shape alone. */
function weightOf({ text, surface }: Sample): number {
  const readings = [...readingsOf(text)];
  const hasShape =
    marksIn(text, surface).length > 0 || readings.some((reading) => shapesIn(reading, surface).length > 0);
  if (hasShape) return Infinity;
  return Math.max(
    ...readings.flatMap((reading) =>
      heaviestWindows(traitTable(reading, surface, lexicon), small).map(({ weight }) => weight),
    ),
    -Infinity,
  );
}
