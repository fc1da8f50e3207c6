import type { DomChange, DomNode } from "./dom.ts";

/** Recognizes clocks, tickers and animations, which change the same nodes again and again. */
export interface RestlessNodes {
  /**
   * Whether all of these changes only repeat earlier ones. Content that grows is never a repetition, because it is the
   * answer that a reader waits for.
   */
  isRepetition(changes: readonly DomChange[], now: number): boolean;
}

/** Runs in the page, so it uses nothing outside itself. */
export function createRestlessNodes(): RestlessNodes {
  const maxGapMs = 500;
  const minMs = 800;
  const minChanges = 5;
  interface Series {
    startedAt: number;
    changedAt: number;
    count: number;
    size: number;
  }
  const series = new WeakMap<DomNode, Series>();
  const sizeOf = ({ type, target, addedNodes }: DomChange): number => {
    if (type === "attributes") return 0;
    if (type === "characterData") return (target.nodeValue ?? "").length;
    const [first] = addedNodes;
    return addedNodes.length === 1 ? (first?.nodeValue ?? "").length : addedNodes.length;
  };
  const noteChange = (change: DomChange, now: number, hasMoreNodes: boolean): boolean => {
    const size = sizeOf(change);
    const last = series.get(change.target);
    if (!last || now - last.changedAt > maxGapMs || hasMoreNodes || size > last.size) {
      series.set(change.target, { startedAt: now, changedAt: now, count: 1, size: Math.max(size, last?.size ?? 0) });
      return false;
    }
    // Several changes of one node in the same task are one change.
    if (now > last.changedAt) last.count += 1;
    last.changedAt = now;
    return last.count >= minChanges && now - last.startedAt >= minMs;
  };
  return {
    isRepetition(changes, now) {
      const newNodes = new Map<DomNode, number>();
      for (const { target, addedNodes, removedNodes } of changes)
        newNodes.set(target, (newNodes.get(target) ?? 0) + addedNodes.length - removedNodes.length);
      return changes.map((change) => noteChange(change, now, (newNodes.get(change.target) ?? 0) > 0)).every(Boolean);
    },
  };
}
