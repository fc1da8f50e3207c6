/** A part of a text as numbers of groups of traits, sorted; a group stands as often as it occurs. */
export interface Example {
  readonly groups: Int32Array;
  /** What each counts; see `rootOf`. */
  readonly unit: number;
  /** The square of its length. */
  readonly square: number;
}

/** A text by its parts: an attack has at least one that is an order, a harmless text has none. */
export interface Bag {
  readonly parts: readonly Example[];
  readonly isAttack: boolean;
}

export interface Learned {
  readonly weights: Float32Array;
  readonly bias: number;
}

/** Which part of an attack is the order is learned too: first from short texts, then from what was learned. */
export function learn(bags: readonly Bag[], size: number): Learned {
  let learned: Learned | undefined;
  for (let round = 0; round < rounds; round++) {
    const known = learned;
    const examples = bags.flatMap(({ parts, isAttack }) => {
      const taken = isAttack ? theOrder(parts, known) : theWorst(parts, known);
      return taken.map((example) => ({ example, isAttack }));
    });
    learned = separate(examples, size);
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
/** Of a long harmless text only so many parts are learned. */
const mostParts = 4;

function theOrder(parts: readonly Example[], known: Learned | undefined): readonly Example[] {
  if (parts.length <= 1) return parts;
  return known ? heaviest(parts, known).slice(0, 1) : [];
}

function theWorst(parts: readonly Example[], known: Learned | undefined): readonly Example[] {
  if (parts.length <= mostParts) return parts;
  const step = Math.ceil(parts.length / mostParts);
  return known ? heaviest(parts, known).slice(0, mostParts) : parts.filter((_, index) => index % step === 0);
}

function heaviest(parts: readonly Example[], known: Learned): Example[] {
  return parts
    .map((part) => ({ part, weight: weigh(known, [part]) }))
    .toSorted((a, b) => b.weight - a.weight)
    .map(({ part }) => part);
}

/** A linear support vector machine with squared loss, by dual coordinate descent; the same result in every run. */
function separate(examples: readonly { example: Example; isAttack: boolean }[], size: number): Learned {
  const weights = new Float32Array(size);
  const dual = new Float64Array(examples.length);
  const slack = 0.5 / cost;
  let bias = 0;
  const order = examples.map((_, index) => index);
  const random = seeded(12_345);
  for (let epoch = 0; epoch < epochs; epoch++) {
    shuffle(order, random);
    for (const index of order) {
      const entry = examples[index];
      if (!entry) continue;
      const { groups, unit, square } = entry.example;
      const side = entry.isAttack ? 1 : -1;
      const before = dual[index] ?? 0;
      const gradient = side * (sumOf(weights, groups) * unit + bias) - 1 + slack * before;
      const after = Math.max(0, before - gradient / (square + 1 + slack));
      if (after === before) continue;
      dual[index] = after;
      const step = (after - before) * side;
      bias += step;
      for (const group of groups) weights[group] = (weights[group] ?? 0) + step * unit;
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
