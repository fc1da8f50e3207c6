import type { Clock } from "../../base/clock.ts";
import type { AgentId, CallId, SessionId } from "../../base/ids.ts";
import type { Logger } from "../../base/log/log.ts";
import { reasonOf } from "../../base/result.ts";
import type { AgentEvent, AgentEventBody } from "../../contracts/session/event.ts";

/**
 * The numbered events of a session. Any number of readers follow at their own pace, each with a position in one shared
 * list; a reader that stops reading costs nothing.
 */
export interface EventHub {
  emit(body: AgentEventBody): AgentEvent;
  /**
   * Events from that number on, as far as they are still buffered. Ends when `until` returns true for an event, or at
   * `close`.
   */
  read(from: number, until?: (event: AgentEvent) => boolean): AsyncIterable<AgentEvent>;
  /** The number that the next event gets. */
  readonly next: number;
  close(): void;
}

/** The number of events that are kept for late or slow readers. Older events are dropped; `seq` shows the gap. */
const kept = 20_000;

export function createEventHub(
  about: { readonly sessionId: SessionId; readonly agentId: AgentId },
  { clock, log, watch }: { readonly clock: Clock; readonly log: Logger; readonly watch?: (event: AgentEvent) => void },
): EventHub {
  let events: AgentEvent[] = [];
  let first = 0;
  let isClosed = false;
  /** Resolves when new events arrive. Undefined: no reader waits. */
  let more: PromiseWithResolvers<void> | undefined;
  /** The sequence number of the last `tool.printed` event of each running call. */
  const printed = new Map<CallId, number>();

  /** Drops older output of a call: readers need only its last lines while it runs, and only its result afterwards. */
  function dropPrinted(callId: CallId): void {
    const index = (printed.get(callId) ?? -1) - first;
    const before = events[index];
    if (before?.type === "tool.printed") events[index] = { ...before, lines: [] };
    printed.delete(callId);
  }

  function wake(): void {
    more?.resolve();
    more = undefined;
  }

  return {
    emit(body) {
      const event: AgentEvent = { seq: first + events.length, at: clock.now(), ...about, ...body };
      if (event.type === "tool.printed" || event.type === "tool.finished") dropPrinted(event.callId);
      if (event.type === "tool.printed") printed.set(event.callId, event.seq);
      events.push(event);
      if (events.length > kept * 2) {
        events = events.slice(-kept);
        first = event.seq - kept + 1;
      }
      try {
        watch?.(event);
      } catch (thrown) {
        log.error("event.watch_failed", { type: event.type, error: reasonOf(thrown) });
      }
      wake();
      return event;
    },
    async *read(from, until) {
      for (let seq = from; ; seq++) {
        while (seq >= first + events.length) {
          if (isClosed) return;
          more ??= Promise.withResolvers();
          await more.promise;
        }
        seq = Math.max(seq, first);
        const event = events[seq - first];
        if (!event) return;
        yield event;
        if (until?.(event)) return;
      }
    },
    get next() {
      return first + events.length;
    },
    close() {
      isClosed = true;
      wake();
    },
  };
}
