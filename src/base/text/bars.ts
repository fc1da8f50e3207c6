const eighths = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"] as const;
const levels = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"] as const;

/** A bar of at most `width` cells, in steps of an eighth. A value above zero has at least the thinnest bar. */
export function horizontalBar(value: number, max: number, width: number): string {
  if (!(value > 0) || !(max > 0) || width < 1) return "";
  const parts = Math.max(1, Math.round(Math.min(1, value / max) * width * 8));
  return "█".repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? "");
}

/** One cell for each value; a space for zero. */
export function sparkline(values: readonly number[]): string {
  const max = Math.max(0, ...values);
  return values
    .map((value) => (value > 0 ? (levels[Math.min(7, Math.ceil((value / max) * 8) - 1)] ?? "█") : " "))
    .join("");
}
