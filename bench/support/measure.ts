/** Prints one measurement as a JSON line on standard output. */
export function report(
  bench: string,
  what: string,
  figures: Readonly<Record<string, number | string | boolean>>,
): void {
  process.stdout.write(`${JSON.stringify({ bench, what, ...figures })}\n`);
}

/** Runs the contenders alternately, so that noise affects all of them, and returns their times in ms. */
export async function interleaved<K extends string>(
  contenders: Readonly<Record<K, () => unknown>>,
  rounds: number,
): Promise<Readonly<Record<K, readonly number[]>>> {
  const names = Object.keys(contenders) as K[];
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<K, number[]>;
  for (let round = 0; round < rounds; round++) {
    for (const name of names) {
      const startedAt = performance.now();
      await contenders[name]();
      times[name].push(performance.now() - startedAt);
    }
  }
  return times;
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function rounded(value: number, digits = 3): number {
  return Number(value.toFixed(digits));
}
