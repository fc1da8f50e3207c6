import type { SessionId } from "../base/ids.ts";
import type { JsonValue } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import type { ContentPart } from "./message.ts";

/** Questions to the person. A host without one there hands in no asker. */
export interface Asker {
  ask(
    question: { readonly text: string; readonly choices?: readonly string[]; readonly several?: boolean },
    signal: AbortSignal,
  ): Promise<Result<readonly string[], { readonly reason: "declined" | "timeout" | "aborted" }>>;
}

/** Asks for a secret. The answer goes to the secret store, never into a transcript. */
export interface SecretAsker {
  askSecret(
    name: string,
    prompt: string,
    signal: AbortSignal,
  ): Promise<Result<string, { readonly reason: "declined" | "timeout" | "aborted" }>>;
}

/** What this conversation read of which file, so that a write can refuse to overwrite what it never saw. */
export interface FileReads {
  record(path: string, seen: { readonly hash: string; readonly at: number }): void;
  seen(path: string): { readonly hash: string; readonly at: number } | undefined;
  forget(path: string): void;
}

/** Messages to the conversation from what runs beside it (a process that ended, a child agent). Delivered between turns. */
export interface Inbox {
  put(sessionId: SessionId, from: string, content: readonly ContentPart[]): void;
}

/** Sentences for the person, shown by every attached surface. */
export interface Notices {
  notice(level: "info" | "warn" | "error", text: string): void;
}

/** Small questions to a cheap model: titles, summaries, reviews. */
export interface AuxiliaryModel {
  complete(
    task: string,
    prompt: string,
    options: { readonly maxTokens: number; readonly schema?: JsonValue },
    signal: AbortSignal,
  ): Promise<Result<string, { readonly message: string }>>;
}

/** Sends to chat platforms. */
export interface Messenger {
  send(
    target: string,
    content: readonly ContentPart[],
    signal: AbortSignal,
  ): Promise<Result<{ readonly messageId: string }, { readonly message: string }>>;
  targets(signal: AbortSignal): Promise<readonly { readonly target: string; readonly title: string }[]>;
}
