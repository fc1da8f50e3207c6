import assert from "node:assert/strict";

/**
 * Compares processor times in a way that is reliable on a busy machine: two runs of the same work, measured by the
 * processor time of this thread, the best of a few, with a wide margin. A test never compares a time with a fixed
 * number.
 */

const factor = 8;
/** Linear work takes 8 times as long for 8 times the size; quadratic work takes 64 times as long. */
const maxRatio = 28;
const attempts = 4;
/** The minimum time of a measurement: compiler and garbage collector make shorter times meaningless. */
const noiseMicros = 4_000;

/** Fails if the time of the work grows faster than its size. The work runs with an eighth of `size` and with `size`. */
export async function assertGrowsLinearly(
  size: number,
  work: (size: number) => unknown,
  label = "the work",
  measure: Measure = microsOf,
): Promise<void> {
  const small = Math.floor(size / factor);
  await assertRatio(
    () => work(size),
    () => work(small),
    maxRatio,
    `${JSON.stringify(label)} grows faster than its size (${small}, then ${size})`,
    { measure, noise: noiseMicros },
  );
}

/** Fails if `cheap` takes more than a third of the time of `dear`. */
export async function assertCheaper(
  cheap: () => unknown,
  dear: () => unknown,
  measure: Measure = microsOf,
): Promise<void> {
  await assertRatio(cheap, dear, 1 / 3, "it is not cheaper", { measure, noise: 0 });
}

async function assertRatio(
  first: () => unknown,
  second: () => unknown,
  max: number,
  message: string,
  { measure, noise }: { readonly measure: Measure; readonly noise: number },
): Promise<void> {
  let firstMicros = Infinity;
  let secondMicros = Infinity;
  for (let attempt = 0; attempt < attempts; attempt++) {
    secondMicros = Math.min(secondMicros, await measure(second));
    firstMicros = Math.min(firstMicros, await measure(first));
    if (firstMicros + noise <= (secondMicros + noise) * max) return;
  }
  assert.fail(`${message}: ${firstMicros} µs against ${secondMicros} µs`);
}

/** Microseconds of processor time that the work takes. */
type Measure = (work: () => unknown) => Promise<number>;

async function microsOf(work: () => unknown): Promise<number> {
  const before = process.threadCpuUsage();
  await work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}
