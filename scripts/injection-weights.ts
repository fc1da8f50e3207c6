// `node scripts/injection-weights.ts [--measure]`: learns the weights of injected text from test/fixtures/injection and
// writes them; with --measure only prints how texts of an author are judged by weights that never saw that author.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { deflateRawSync } from "node:zlib";

import { createLexicon } from "../src/safety/injection/meanings.ts";
import { windowsOf } from "../src/safety/injection/parts.ts";
import { readingsOf, type TextReading } from "../src/safety/injection/readings.ts";
import { marksIn, shapesIn } from "../src/safety/injection/shapes.ts";
import { tokensOf } from "../src/safety/injection/tokens.ts";
import { surfaceTrait, traitsOf } from "../src/safety/injection/traits.ts";
import { windowAllowance, groupOf, traitGroupCount, rootOf } from "../src/safety/injection/weighing.ts";
import { type Sample, samplesIn } from "./injection-corpus.ts";
import { type Bag, type Example, learn, type Learned, weigh } from "./learned-weights.ts";

const root = join(import.meta.dirname, "..");
const lexicon = createLexicon();
/** Max windows of a long text that is only learned. */
const maxWindows = 24;
/** The share of the harmless texts of authors a, b, c … that may be blocked. */
const acceptable = 0.02;
/** The limit is determined on every fourth author, held out. */
const folds = 4;

/** A text with the facts that are known before learning. */
interface Text extends Bag {
  readonly sample: Sample;
  /** True: a pattern alone blocks it. */
  readonly hasShape: boolean;
  /** Every reading that is judged. Learning uses only the last of the visible ones. */
  readonly readings: readonly (readonly Example[])[];
}

const texts = samplesIn(root).map(textOf);
if (process.argv.includes("--measure")) measure();
else write();

function textOf(sample: Sample): Text {
  const readings = [...readingsOf(sample.text)];
  const plain = readings.filter(({ hiddenAt }) => !hiddenAt);
  const marks = marksIn(sample.text, sample.surface);
  const hasShape = marks.length > 0 || readings.some((reading) => shapesIn(reading, sample.surface).length > 0);
  const judged = readings.map((reading) => examplesOf(reading, sample));
  // A hidden order says nothing about the visible words.
  const isHidden = sample.isAttack && (readings.length > plain.length || marks.length > 0);
  const parts = isHidden
    ? []
    : (judged[plain.length - 1] ?? []).slice(0, sample.isDocument ? 200 : sample.isMeasured ? undefined : maxWindows);
  return {
    sample,
    isAttack: sample.isAttack,
    trust: trustIn(sample),
    hasShape,
    parts,
    readings: sample.isMeasured ? judged : [],
  };
}

/** Texts of the first five authors and variations are less similar to real texts, so they count less. */
function trustIn({ author, isBlind, isDocument }: Sample): number {
  return isBlind || isDocument || author === "ordinary" || author === "short" ? 1 : 0.1;
}

/** Each window as its groups of traits, computed on demand because there are many. */
function examplesOf({ text, shown }: TextReading, { surface }: Sample): Example[] {
  const tokens = tokensOf(shown, lexicon);
  const all: number[] = [];
  const begins = new Uint32Array(tokens.words.length + 1);
  traitsOf(tokens, text, shown, surface, (trait, offset) => {
    all.push(groupOf(trait));
    begins[offset + 1] = all.length;
  });
  const last = new Map<number, number>();
  const groups = Int32Array.from(all);
  const before = groups.map((group, place) => {
    const previous = last.get(group) ?? -1;
    last.set(group, place);
    return previous;
  });
  const where = groupOf(surfaceTrait(surface));
  return windowsOf(tokens).flatMap(({ first, ends }) =>
    ends.map((end) => {
      const from = begins[first] ?? 0;
      const to = begins[end] ?? 0;
      const gather = () => {
        const inside = new Int32Array(to - from + 1);
        inside[0] = where;
        let count = 1;
        for (let place = from; place < to; place++)
          if ((before[place] ?? 0) < from) inside[count++] = groups[place] ?? 0;
        return inside.slice(0, count);
      };
      return {
        get groups() {
          return gather();
        },
        unit: 1 / rootOf(gather().length),
      };
    }),
  );
}

interface Judged {
  readonly text: Text;
  readonly weight: number;
}

/** Judges each text of these groups with weights learned without its group. */
function judgedWithout(groupOf: (text: Text) => string | undefined): Judged[] {
  const names = new Set(texts.map(groupOf).filter((name) => name !== undefined));
  return [...names].flatMap((name) => {
    const learned = learn(
      texts.filter((text) => groupOf(text) !== name),
      traitGroupCount,
    );
    return texts.filter((text) => groupOf(text) === name).map((text) => ({ text, weight: weightOf(learned, text) }));
  });
}

function weightOf(learned: Learned, { hasShape, readings }: Text): number {
  return hasShape ? 9 : Math.max(-9, ...readings.map((parts) => weigh(learned, parts) - windowAllowance(parts.length)));
}

function measure(): void {
  report(
    "without its author",
    judgedWithout(({ sample }) => (sample.isBlind ? sample.author : undefined)),
    ({ sample }) => sample.author,
  );
}

function report(how: string, judged: readonly Judged[], partOf: (text: Text) => string): void {
  const harmless = judged.filter(({ text }) => !text.isAttack).map(({ weight }) => weight);
  for (const share of [0.01, 0.02, 0.04]) {
    const limit = limitAt(harmless, share);
    const parts = new Set(judged.map(({ text }) => partOf(text)));
    const line = (chosen: readonly Judged[]): string => {
      const of = (isAttack: boolean): number => {
        const group = chosen.filter(({ text }) => text.isAttack === isAttack);
        return (100 * group.filter(({ weight }) => weight > limit).length) / Math.max(1, group.length);
      };
      return `${of(true).toFixed(1)} % found, ${of(false).toFixed(1)} % blocked`;
    };
    console.log(`${how}, limit ${limit.toFixed(3)}: ${line(judged)}`);
    for (const part of parts) console.log(`  ${part}: ${line(judged.filter(({ text }) => partOf(text) === part))}`);
  }
}

/** The weight that this share of the harmless texts exceeds. */
function limitAt(harmless: readonly number[], share: number): number {
  return harmless.toSorted((a, b) => b - a)[Math.floor(harmless.length * share)] ?? 0;
}

function write(): void {
  const isHeldBack = ({ sample: { author, isBlind, isDocument } }: Text) =>
    (isBlind && author.charCodeAt(0) % folds === 0) || (isDocument && author.charCodeAt(0) % 2 === 0);
  const judged = judgedWithout((text) => (isHeldBack(text) ? "held back" : undefined));
  report("without its author", judged, ({ sample }) =>
    sample.isDocument ? `documents, ${sample.surface}` : sample.surface,
  );
  const harmless = judged.filter(({ text }) => !text.isAttack && !text.hasShape && !text.sample.isDocument);
  const limit = Number(
    limitAt(
      harmless.map(({ weight }) => weight),
      acceptable,
    ).toPrecision(4),
  );
  const { weights, bias } = learn(texts, traitGroupCount);
  const scale = (weights.reduce((max, weight) => Math.max(max, Math.abs(weight)), 0) * 0.7) / 127;
  const often = seenOften();
  const small = Int8Array.from(weights, (weight, group) =>
    often[group] && Math.abs(weight) > 5 * scale ? Math.max(-127, Math.min(127, Math.round(weight / scale))) : 0,
  );
  const packed = deflateRawSync(small, { level: 9 }).toString("base64");
  const file = JSON.stringify(
    {
      scale: Number(scale.toPrecision(6)),
      bias: Number(bias.toPrecision(6)),
      limit,
      packed,
    },
    null,
    2,
  );
  writeFileSync(join(root, "data/injection/weights.json"), `${file}\n`);
  console.log(`${file.length} bytes, ${small.filter((weight) => weight !== 0).length} weights`);
}

/** Groups of traits that occur in more than one text; the others do not generalise. */
function seenOften(): Uint8Array {
  const often = new Uint8Array(traitGroupCount);
  const seenBy = new Int32Array(traitGroupCount).fill(-1);
  for (const [index, { parts }] of texts.entries()) {
    for (const { groups } of parts) {
      for (const group of groups) {
        if (seenBy[group] !== -1 && seenBy[group] !== index) often[group] = 1;
        seenBy[group] = index;
      }
    }
  }
  return often;
}
