/** Calls that come again and again in the same order with the same answers: A, B, A, B … */
export interface Rounds {
  add(key: string, answer: string): void;
  /** The round that the last calls were, and how often it was gone. */
  found(): { readonly times: number; readonly keys: readonly string[] };
}

/** Of so many calls; one call alone is watched elsewhere. */
const lengths = [2, 3, 4] as const;

export function createRounds(): Rounds {
  let last: readonly { readonly key: string; readonly answer: string }[] = [];
  const same = new Map<number, number>();

  return {
    add(key, answer) {
      for (const length of lengths) {
        const before = last.at(-length);
        const isSame = before?.key === key && before.answer === answer;
        same.set(length, isSame ? (same.get(length) ?? 0) + 1 : 0);
      }
      last = [...last, { key, answer }].slice(-Math.max(...lengths));
    },
    found() {
      for (const length of lengths) {
        const calls = last.slice(-length);
        const keys = [...new Set(calls.map((call) => call.key))];
        const times = Math.floor((same.get(length) ?? 0) / length) + 1;
        if (times > 1 && keys.length > 1) return { times, keys };
      }
      return { times: 0, keys: [] };
    },
  };
}
