import type { SessionId } from "../base/ids.ts";
import type { Inbox } from "../contracts/host/ports.ts";
import type { ContentPart } from "../contracts/model/message.ts";

export interface InboxMessage {
  readonly from: string;
  readonly content: readonly ContentPart[];
}

export interface FilledInbox extends Inbox {
  /** Returns the messages for this session, oldest first, and marks them as delivered. */
  take(sessionId: SessionId): readonly InboxMessage[];
}

/** An inbox in memory. For a session that never reads, only the newest `maxMessages` are kept. */
export function createInbox(maxMessages = 1_000): FilledInbox {
  const waiting = new Map<SessionId, Set<InboxMessage>>();
  return {
    put(sessionId, from, content) {
      const message = { from, content };
      const messages = waiting.get(sessionId) ?? new Set();
      waiting.set(sessionId, messages.add(message));
      const [oldest] = messages;
      if (messages.size > maxMessages && oldest) messages.delete(oldest);
      return { [Symbol.dispose]: () => void messages.delete(message) };
    },
    take(sessionId) {
      const messages = waiting.get(sessionId);
      waiting.delete(sessionId);
      return [...(messages ?? [])];
    },
  };
}
