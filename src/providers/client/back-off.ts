/** Each wait twice as long as the one before, up to a bound, and shortened by chance so that callers do not march in step. */
export function backOffMs(retries: number, baseMs: number, random: () => number): number {
  const full = Math.min(longestBackOffMs, baseMs * 2 ** Math.min(retries, 20));
  return Math.round(full * (0.5 + random() / 2));
}

export const defaultBaseMs = 5_000;
/** A server on this machine is there, or is just starting. */
export const localBaseMs = 500;
const longestBackOffMs = 120_000;
