/** `900 B`, `12 KB`, `3.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const units = ["KB", "MB", "GB", "TB"];
  let value = bytes / 1_000;
  let unit = 0;
  for (; value >= 999.5 && unit < units.length - 1; unit++) value /= 1_000;
  return `${value < 10 ? Number(value.toFixed(1)) : Math.round(value)} ${units[unit]}`;
}
