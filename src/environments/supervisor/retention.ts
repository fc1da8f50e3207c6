export interface FinishedProcess {
  readonly id: string;
  readonly endedAt: number;
  readonly bytes: number;
}

/** Returns the finished processes past their retention, oldest first. */
export function expiredProcesses(finished: readonly FinishedProcess[], now: number): readonly string[] {
  const newestFirst = finished.toSorted((a, b) => b.endedAt - a.endedAt);
  const removed: string[] = [];
  let kept = 0;
  let bytes = 0;
  for (const one of newestFirst) {
    const ageMs = now - one.endedAt;
    const max = ageMs < freshMs ? maxFresh : maxKept;
    if (ageMs > maxAgeMs || kept >= max || bytes + one.bytes > maxTotalBytes) removed.push(one.id);
    else {
      kept += 1;
      bytes += one.bytes;
    }
  }
  return removed.toReversed();
}

const maxAgeMs = 24 * 3_600_000;
const maxKept = 64;
/** Keeps recent endings, so that a caller that started many can read all of them. */
const freshMs = 60_000;
const maxFresh = 512;
const maxTotalBytes = 512 * 1024 * 1024;
