import type { Readable } from "node:stream";

import type { Clock } from "../../base/clock.ts";

export interface InputLimits {
  /** The cost that may arrive in each time window. A byte costs 1. */
  readonly maxCost: number;
  /** The extra cost of a line, because each line is handled separately. */
  readonly lineCost: number;
  /** Called once, after this many time windows were full with hardly any exception. */
  readonly onFlood: () => void;
}

/**
 * Limits how fast a stream is read, so that its sender cannot keep this process busy. When a time window is full,
 * reading pauses and the sender waits. Attach it before other listeners.
 */
export function limitInput(stream: Readable, { maxCost, lineCost, onFlood }: InputLimits, clock: Clock): void {
  let cost = 0;
  let windowEndsAt = 0;
  let fullWindows = 0;
  stream.on("data", (chunk: Buffer | string) => {
    const now = clock.elapsed();
    if (now >= windowEndsAt) {
      // Decrements the count instead of resetting it: on a busy machine, even a flood sometimes leaves a window half
      // empty.
      if (cost < maxCost) fullWindows = Math.max(0, fullWindows - 1);
      cost = 0;
      windowEndsAt = now + windowMs;
    }
    cost += chunk.length + lineCost * countLines(chunk);
    if (cost < maxCost || stream.isPaused()) return;
    stream.pause();
    clock.after(windowEndsAt - now, () => stream.resume());
    fullWindows += 1;
    if (fullWindows === floodWindows) onFlood();
  });
}

const windowMs = 100;
const floodWindows = 30;

function countLines(chunk: Buffer | string): number {
  let lines = 0;
  for (let index = chunk.indexOf("\n"); index >= 0; index = chunk.indexOf("\n", index + 1)) lines += 1;
  return lines;
}
