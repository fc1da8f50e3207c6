/** Formats a time as `2026-11-15 10:02`, in local time. */
export function timeText(epochMs: number): string {
  const local = new Date(epochMs - new Date(epochMs).getTimezoneOffset() * 60_000);
  return Number.isNaN(local.getTime()) ? "?" : local.toISOString().slice(0, 16).replace("T", " ");
}

/** Formats a time as `10:02` on the same day, `11-15 10:02` in the same year, otherwise with the full date. */
export function shortTimeText(epochMs: number, now: number): string {
  const time = timeText(epochMs);
  const today = timeText(now);
  if (time.slice(0, 10) === today.slice(0, 10)) return time.slice(11);
  return time.slice(0, 4) === today.slice(0, 4) ? time.slice(5) : time;
}

/** Formats a duration as `45 s`, `12 min`, `3 h 20 min` or `4 days`. */
export function durationText(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return `${Math.max(0, Math.round(ms / 1000))} s`;
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  return `${Math.floor(hours / 24)} days`;
}
