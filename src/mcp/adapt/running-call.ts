import { once } from "../../base/async/once.ts";
import type { McpRunningCall } from "../../contracts/mcp/fleet.ts";
import type { CallContext } from "../../contracts/tool/tool.ts";

export interface PausableCall extends McpRunningCall {
  /** The length of all pauses so far. */
  readonly pausedMs: () => number;
}

/** A running tool call, as the requests of its server see it. */
export function runningCall(context: CallContext): PausableCall {
  const { sessionId, callId, turnId, origin, principal, signal, progress, clock, pauseParents } = context;
  let pauses = 0;
  let pausedAt = 0;
  let earlierMs = 0;
  const currentMs = () => (pauses > 0 ? clock.elapsed() - pausedAt : 0);
  return {
    sessionId,
    callId,
    ...(turnId !== undefined && { turnId }),
    origin,
    principal,
    signal,
    progress,
    pausedMs: () => earlierMs + currentMs(),
    pause() {
      if (pauses === 0) pausedAt = clock.elapsed();
      pauses += 1;
      const parents = pauseParents?.();
      return {
        [Symbol.dispose]: once(() => {
          if (pauses === 1) earlierMs += currentMs();
          pauses -= 1;
          parents?.[Symbol.dispose]();
        }),
      };
    },
  };
}
