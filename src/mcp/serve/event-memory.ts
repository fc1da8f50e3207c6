import type { EventStore, JSONRPCMessage } from "@modelcontextprotocol/server";

/**
 * Keeps the last messages of a session's streams, so that a client that lost its connection gets the messages that it
 * missed.
 */
export function createEventMemory(): EventStore {
  const events: {
    readonly id: string;
    readonly stream: string;
    readonly message: JSONRPCMessage;
    readonly chars: number;
  }[] = [];
  let [count, chars] = [0, 0];
  const streamOf = (id: string) => id.slice(0, id.lastIndexOf("#"));
  return {
    async storeEvent(stream, message) {
      count += 1;
      const id = `${stream}#${count}`;
      const size = JSON.stringify(message).length;
      events.push({ id, stream, message, chars: size });
      chars += size;
      while (events.length > maxEvents || chars > maxChars) chars -= events.shift()?.chars ?? 0;
      return id;
    },
    getStreamIdForEventId: async (id) => (id.includes("#") ? streamOf(id) : undefined),
    async replayEventsAfter(last, { send }) {
      const stream = streamOf(last);
      const from = Number(last.slice(stream.length + 1));
      for (const { id, stream: of, message } of events)
        // A priming event has no message.
        if (of === stream && Number(id.slice(of.length + 1)) > from && "jsonrpc" in message) await send(id, message);
      return stream;
    },
  };
}

const maxEvents = 1_000;
const maxChars = 16_000_000;
