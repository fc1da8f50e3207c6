import type { Readable } from "node:stream";

import type { Clock } from "../../base/clock.ts";

export interface InputLimits {
  /** Cost that may arrive in each window. A byte costs 1. */
  readonly maxCost: number;
  /** Extra cost of a line, because each one is handled on its own. */
  readonly lineCost: number;
  /** Called once, when this many windows were full and hardly any was not. */
  readonly onFlood: () => void;
}

/**
 * Reads a stream only so fast that its sender cannot keep this process busy: a full window pauses it, so that the sender
 * waits. Attach it before other listeners.
 */
export function limitInput(stream: Readable, { maxCost, lineCost, onFlood }: InputLimits, clock: Clock): void {
  let cost = 0;
  let windowEndsAt = 0;
  let fullWindows = 0;
  stream.on("data", (chunk: Buffer | string) => {
    const now = clock.elapsed();
    if (now >= windowEndsAt) {
      // Goes back one step, not to the start: on a busy machine even a flood leaves a window half empty now and then.
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
