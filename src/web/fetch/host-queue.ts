import { abortable, sleep } from "../../base/async/abort.ts";
import type { Clock } from "../../base/clock.ts";

/** Requests to one host: few in parallel, with a pause between their starts, and none while it asks for a delay. */
export interface HostQueue {
  /** Waits for a slot at the host. Disposing releases it. Rejects when the signal aborts. */
  enter(host: string, signal: AbortSignal): Promise<Disposable>;
  /** Delays all requests to the host for this long. */
  rest(host: string, ms: number): void;
  /** The remaining delay. */
  restMs(host: string): number;
}

interface HostState {
  running: number;
  /** When the next request may start, on the clock of durations. */
  nextAt: number;
  readonly waiting: (() => void)[];
}

export function createHostQueue(clock: Clock, { maxAtOnce = 2, pauseMs = 200 } = {}): HostQueue {
  const hosts = new Map<string, HostState>();

  function stateOf(host: string): HostState {
    const state = hosts.get(host) ?? { running: 0, nextAt: 0, waiting: [] };
    hosts.set(host, state);
    if (hosts.size > maxHosts)
      for (const [name, each] of hosts)
        if (name !== host && each.running === 0 && each.waiting.length === 0 && each.nextAt < clock.elapsed())
          hosts.delete(name);
    return state;
  }

  function leave(state: HostState): void {
    state.running--;
    state.waiting.shift()?.();
  }

  return {
    async enter(host, signal) {
      const state = stateOf(host);
      while (state.running >= maxAtOnce) {
        const turn = Promise.withResolvers<void>();
        state.waiting.push(turn.resolve);
        try {
          await abortable(turn.promise, signal);
        } catch (thrown) {
          const index = state.waiting.indexOf(turn.resolve);
          if (index >= 0) state.waiting.splice(index, 1);
          // The slot was already assigned: it goes to the next request.
          else state.waiting.shift()?.();
          throw thrown;
        }
      }
      state.running++;
      const startAt = Math.max(clock.elapsed(), state.nextAt);
      state.nextAt = startAt + pauseMs;
      try {
        const waitMs = startAt - clock.elapsed();
        if (waitMs > 0) await sleep(waitMs, signal, clock);
      } catch (thrown) {
        leave(state);
        throw thrown;
      }
      let isOver = false;
      return {
        [Symbol.dispose]() {
          if (!isOver) leave(state);
          isOver = true;
        },
      };
    },
    rest(host, ms) {
      const state = stateOf(host);
      state.nextAt = Math.max(state.nextAt, clock.elapsed() + ms);
    },
    restMs: (host) => Math.max(0, (hosts.get(host)?.nextAt ?? 0) - clock.elapsed()),
  };
}

const maxHosts = 500;
