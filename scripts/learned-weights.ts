/** A part of a text as distinct numbers of groups of traits. */
export interface Example {
  readonly groups: Int32Array;
  /** Weight of each group; see `rootOf`. */
  readonly unit: number;
}

/** A text as its parts: an attack has at least one part that is an order, a harmless text has none. */
export interface Bag {
  readonly parts: readonly Example[];
  readonly isAttack: boolean;
  /** Weight of a mistake on this text; 1 for typical texts. */
  readonly trust: number;
}

export interface Learned {
  readonly weights: Float32Array;
  readonly bias: number;
}

/** Also learns which part of an attack is the order: first from short texts, then from the learned weights. */
export function learn(bags: readonly Bag[], size: number): Learned {
  const rarity = rarityOf(bags, size);
  let learned: Learned | undefined;
  for (let round = 0; round < rounds; round++) {
    const previous = learned;
    const examples = bags.flatMap(({ parts, isAttack, trust }) => {
      const chosen = isAttack ? theOrder(parts, previous) : theWorst(parts, previous);
      return chosen.map(({ groups, unit }) => ({ example: { groups, unit }, isAttack, trust }));
    });
    learned = separate(examples, rarity);
  }
  return learned ?? { weights: new Float32Array(size), bias: 0 };
}

/** The weight of a text: that of its heaviest part. */
export function weigh({ weights, bias }: Learned, parts: readonly Example[]): number {
  return Math.max(-9, ...parts.map(({ groups, unit }) => sumOf(weights, groups) * unit + bias));
}

const rounds = 3;
const epochs = 16;
const cost = 10;
/** Min number of the worst parts of a harmless text to learn; at least a twentieth of a long text. */
const minParts = 4;

function theOrder(parts: readonly Example[], previous: Learned | undefined): readonly Example[] {
  if (parts.length <= 1) return parts;
  if (previous) return heaviest(parts, previous).slice(0, 1);
  // Uses a short text as a whole, which has the most traits.
  return parts.length <= shortText
    ? [parts.reduce((largest, part) => (part.unit < largest.unit ? part : largest))]
    : [];
}

/** Windows of a text of eight sentences. */
const shortText = 36;

function theWorst(parts: readonly Example[], previous: Learned | undefined): readonly Example[] {
  if (parts.length <= minParts) return parts;
  const count = Math.max(minParts, Math.ceil(parts.length / 20));
  const step = Math.ceil(parts.length / count);
  return previous ? heaviest(parts, previous).slice(0, count) : parts.filter((_, index) => index % step === 0);
}

function heaviest(parts: readonly Example[], previous: Learned): Example[] {
  return parts
    .map((part) => ({ part, weight: weigh(previous, [part]) }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ part }) => part);
}

/** The step size of a group: groups in many texts say little about each. */
function rarityOf(bags: readonly Bag[], size: number): Float32Array {
  const texts = new Uint32Array(size);
  for (const { parts } of bags) {
    for (const group of new Set(parts.slice(0, 8).flatMap(({ groups }) => [...groups])))
      texts[group] = (texts[group] ?? 0) + 1;
  }
  return Float32Array.from(texts, (count) => Math.log((bags.length + 1) / (count + 1)) / 6);
}

/** A linear support vector machine with squared loss, by dual coordinate descent; the same result in every run. */
function separate(
  examples: readonly { example: Example; isAttack: boolean; trust: number }[],
  rarity: Float32Array,
): Learned {
  const weights = new Float32Array(rarity.length);
  const dual = new Float64Array(examples.length);
  const squares = examples.map(({ example }) => sumOf(rarity, example.groups) * example.unit ** 2);
  let bias = 0;
  const order = examples.map((_, index) => index);
  const random = seeded(12_345);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) {
      const entry = examples[index];
      if (!entry) continue;
      const { groups, unit } = entry.example;
      const slack = 0.5 / (cost * entry.trust);
      const side = entry.isAttack ? 1 : -1;
      const before = dual[index] ?? 0;
      const gradient = side * (sumOf(weights, groups) * unit + bias) - 1 + slack * before;
      const after = Math.max(0, before - gradient / ((squares[index] ?? 0) + 1 + slack));
      if (after === before) continue;
      dual[index] = after;
      const step = (after - before) * side;
      bias += step;
      for (const group of groups) weights[group] = (weights[group] ?? 0) + step * unit * (rarity[group] ?? 0);
    }
  }
  return { weights, bias };
}

function sumOf(weights: Float32Array, groups: Int32Array): number {
  let sum = 0;
  for (const group of groups) sum += weights[group] ?? 0;
  return sum;
}

function shuffle(list: number[], random: () => number): void {
  for (let index = list.length - 1; index > 0; index--) {
    const other = Math.floor(random() * (index + 1));
    [list[index], list[other]] = [list[other] ?? 0, list[index] ?? 0];
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return state / 2 ** 32;
  };
}
