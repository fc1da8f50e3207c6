/** A window of a text, as the numbers of its feature groups without duplicates. */
export interface Example {
  readonly groups: Int32Array;
  /** Weight of each group; see `rootOf`. */
  readonly unit: number;
}

/** A text as its windows: in an attack at least one window is an instruction, in a harmless text none is. */
export interface Bag {
  readonly isAttack: boolean;
  /** Weight of a mistake on this text; 1 for typical texts. */
  readonly trust: number;
  /** The feature groups of the text, to count in how many texts each occurs. */
  readonly groups: Int32Array;
  /**
   * Selects the heaviest windows, several for a harmless text. Without weights: the whole of a short text, or a sample.
   */
  choose(weights: Float32Array | undefined): readonly Example[];
}

export interface Learned {
  readonly weights: Float32Array;
  readonly bias: number;
}

/**
 * Also learns which window of an attack is the instruction. Heavy windows of harmless texts accumulate from round to
 * round. Training continues from `start`: examples that it already separates change nothing.
 */
export function learn(
  bags: readonly Bag[],
  size: number,
  say: (progress: string) => void = () => {},
  start?: Learned,
): Learned {
  const rarity = rarityOf(bags, size);
  const harmless: { readonly example: Example; readonly bag: Bag }[] = [];
  const chosenBefore = new Set<Example>();
  const first: Learned = start ?? { weights: new Float32Array(size), bias: 0 };
  let learned = first;
  for (let round = 0; round < rounds; round++) {
    const weights = round === 0 && !start ? undefined : learned.weights;
    const orders: typeof harmless = [];
    for (const bag of bags) {
      for (const example of bag.choose(weights)) {
        if (bag.isAttack) orders.push({ example, bag });
        else if (!chosenBefore.has(example)) harmless.push({ example, bag });
        chosenBefore.add(example);
      }
    }
    say(`round ${round + 1}: ${orders.length} orders, ${harmless.length} harmless windows`);
    learned = separate([...orders, ...harmless], rarity, round === rounds - 1 ? 2 * epochs : epochs, first);
  }
  return learned;
}

const rounds = 3;
const epochs = 8;
const cost = 10;

/** The step size of a group. It is small for a group that occurs in many texts, because such a group reveals little. */
function rarityOf(bags: readonly Bag[], size: number): Float32Array {
  const texts = new Uint32Array(size);
  for (const { groups } of bags) {
    for (const group of new Set(groups)) texts[group] = (texts[group] ?? 0) + 1;
  }
  return Float32Array.from(texts, (count) => Math.log((bags.length + 1) / (count + 1)) / 6);
}

/** Trains a linear support vector machine with squared loss by dual coordinate descent. The result is deterministic. */
function separate(
  examples: readonly { readonly example: Example; readonly bag: Bag }[],
  rarity: Float32Array,
  passes: number,
  start: Learned,
): Learned {
  const weights = Float32Array.from(start.weights);
  const dual = new Float64Array(examples.length);
  const squares = examples.map(({ example }) => sumOf(rarity, example.groups) * example.unit ** 2);
  let { bias } = start;
  const order = examples.map((_, index) => index);
  const random = seeded(12_345);
  for (let pass = 0; pass < passes; pass++) {
    shuffle(order, random);
    for (const index of order) {
      const entry = examples[index];
      if (!entry) continue;
      const { groups, unit } = entry.example;
      const slack = 0.5 / (cost * entry.bag.trust);
      const side = entry.bag.isAttack ? 1 : -1;
      const before = dual[index] ?? 0;
      const gradient = side * (sumOf(weights, groups) * unit + bias) - 1 + slack * before;
      const after = Math.max(0, before - gradient / ((squares[index] ?? 0) + 1 + slack));
      if (after === before) continue;
      dual[index] = after;
      const step = (after - before) * side;
      bias += step;
      for (let place = 0; place < groups.length; place++) {
        const group = groups[place] ?? 0;
        weights[group] = (weights[group] ?? 0) + step * unit * (rarity[group] ?? 0);
      }
    }
  }
  return { weights, bias };
}

function sumOf(weights: Float32Array, groups: Int32Array): number {
  let sum = 0;
  for (let place = 0; place < groups.length; place++) sum += weights[groups[place] ?? 0] ?? 0;
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
