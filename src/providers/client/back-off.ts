/** Exponential back-off with a limit and jitter. */
export function backOffMs(retries: number, baseMs: number, random: () => number): number {
  const full = Math.min(maxBackOffMs, baseMs * 2 ** Math.min(retries, 20));
  return Math.round(full * (0.5 + random() / 2));
}

export const defaultBaseMs = 5_000;
/** Local servers respond at once or are just starting. */
export const localBaseMs = 500;
const maxBackOffMs = 120_000;
