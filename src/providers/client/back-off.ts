/** Returns an exponentially growing delay with a limit and jitter. */
export function backOffMs(retries: number, baseMs: number, random: () => number): number {
  const full = Math.min(maxBackOffMs, baseMs * 2 ** Math.min(retries, 20));
  return Math.round(full * (0.5 + random() / 2));
}

export const defaultBaseMs = 5_000;
/** The base delay for local servers, which respond immediately or are just starting. */
export const localBaseMs = 500;
const maxBackOffMs = 120_000;
