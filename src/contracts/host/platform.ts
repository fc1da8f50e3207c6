import type { Result } from "../../base/result.ts";
import type { ContentPart } from "../model/message.ts";
import type { Principal } from "../safety/principal.ts";

export interface ChatRef {
  readonly platform: string;
  readonly chatId: string;
  readonly threadId?: string;
}

export interface SentRef {
  readonly chat: ChatRef;
  readonly messageId: string;
}

export interface InboundMessage {
  readonly chat: ChatRef;
  readonly messageId: string;
  readonly from: Principal;
  readonly content: readonly ContentPart[];
  readonly sentAt: number;
}

export interface DeliveryError {
  readonly kind: "unreachable" | "refused" | "too_long" | "rate_limited" | "auth" | "aborted";
  readonly message: string;
  readonly retryAfterMs?: number;
}

export interface PlatformAdapter {
  readonly name: string;
  readonly limits: { readonly messageChars: number; readonly edits: boolean; readonly typing: boolean };
  /** Yields received messages. Connects when the first message is requested and disconnects when the iteration ends. */
  receive(signal: AbortSignal): AsyncIterable<InboundMessage>;
  /** Sends a message. Returns `ok` only with the message id that the platform assigned. */
  send(chat: ChatRef, content: readonly ContentPart[], signal: AbortSignal): Promise<Result<SentRef, DeliveryError>>;
  edit?(ref: SentRef, text: string, signal: AbortSignal): Promise<Result<void, DeliveryError>>;
  typing?(chat: ChatRef, signal: AbortSignal): Promise<void>;
}
