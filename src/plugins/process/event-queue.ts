import type { SerialisedEvent } from "../../contracts/plugin/client.ts";

/**
 * Events for observers. Several events are sent in one message; events that the process does not accept are dropped.
 */
export interface EventQueue {
  add(events: readonly SerialisedEvent[]): void;
  /** Sends the events after a short delay, so that events of the same moment share a message. */
  flushTo(process: EventTarget): void;
  sendTo(process: EventTarget): void;
  isEmpty(): boolean;
}

interface EventTarget {
  notify(events: readonly SerialisedEvent[]): void;
  /** The bytes that the process has not read yet. */
  unsentBytes(): number;
}

/** `onDrop` is called once, for the first dropped event. */
export function createEventQueue(onDrop: () => void): EventQueue {
  let waiting: SerialisedEvent[] = [];
  let isFlushing = false;
  let hasDropped = false;

  function drop(): void {
    waiting = [];
    if (hasDropped) return;
    hasDropped = true;
    onDrop();
  }

  function sendTo(process: EventTarget): void {
    if (waiting.length === 0) return;
    if (process.unsentBytes() > maxUnsentBytes) return drop();
    const events = waiting;
    waiting = [];
    process.notify(events);
  }

  return {
    add(events) {
      waiting.push(...events);
      if (waiting.length > maxWaiting) drop();
    },
    flushTo(process) {
      if (isFlushing || waiting.length === 0) return;
      isFlushing = true;
      setImmediate(() => {
        isFlushing = false;
        sendTo(process);
      });
    },
    sendTo,
    isEmpty: () => waiting.length === 0,
  };
}

const maxWaiting = 10_000;
const maxUnsentBytes = 4 * 2 ** 20;
