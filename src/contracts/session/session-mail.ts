import type { SessionId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { TextSource } from "../safety/text-source.ts";

/** A message from one session to another session of the same principal. */
export interface SessionMessage {
  readonly id: string;
  readonly to: SessionId;
  readonly from: SessionId;
  readonly fromTitle?: string;
  readonly text: string;
  /** Untrusted sources that the sender had read: the message may repeat their text. */
  readonly sources: readonly TextSource[];
  readonly sentAt: number;
}

/** Messages that are stored on disk until their receivers have recorded them. */
export interface SessionMail {
  /** Resolves when the message is on disk. An error says why it was not sent. */
  send(message: SessionMessage): Promise<Result<void, string>>;
  /** Messages to a session, oldest first. */
  waiting(to: SessionId): readonly SessionMessage[];
  remove(message: Pick<SessionMessage, "id" | "to" | "sentAt">): void;
}

/** Sends messages on behalf of one session. */
export interface SessionSender {
  /** `to`: the id or the title of a session. An error says why nothing was sent. */
  send(
    to: string,
    text: string,
  ): Promise<Result<{ readonly id: string; readonly sessionId: SessionId; readonly title?: string }, string>>;
}

export const maxMessageChars = 8_000;
