import type { Clock } from "../../base/clock.ts";
import type { PluginClient, SerialisedEvent } from "../../contracts/plugin/client.ts";

/**
 * Decides when plugins get their events. All plugins of a program share it: their processes wake up one after the
 * other, because many at the same moment would take the processors away from the turn.
 */
export interface DeliveryPace {
  /** Runs `deliver` within a second, after those that wait already. */
  soon(deliver: () => void): Disposable;
}

export function createDeliveryPace(clock: Clock): DeliveryPace {
  let lastAt = 0;
  return {
    soon(deliver) {
      const now = clock.elapsed();
      lastAt = Math.min(Math.max(now + minDelayMs, lastAt + spacingMs), now + maxDelayMs);
      return clock.after(lastAt - now, deliver);
    },
  };
}

const minDelayMs = 100;
const maxDelayMs = 1_000;
/** With more plugins than fit into `maxDelayMs`, several get their events at the same moment. */
const spacingMs = 45;

/** The events that wait for the observers of one plugin. */
export interface ObserverQueue {
  add(event: SerialisedEvent): void;
  /** Sends the events that wait. */
  flush(): void;
}

/** Sends events in batches, because each write and each start of a process's work costs more than an event. */
export function createObserverQueue(client: PluginClient, pace: DeliveryPace): ObserverQueue {
  let waiting: SerialisedEvent[] = [];
  let chars = 0;
  let timer: Disposable | undefined;

  function flush(): void {
    timer?.[Symbol.dispose]();
    timer = undefined;
    if (waiting.length === 0) return;
    const events = waiting;
    [waiting, chars] = [[], 0];
    client.observe(events);
  }

  return {
    add(event) {
      waiting.push(event);
      chars += event.args.length;
      if (chars >= maxBatchChars) flush();
      else timer ??= pace.soon(flush);
    },
    flush,
  };
}

const maxBatchChars = 1_000_000;
