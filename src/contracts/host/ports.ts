import type { SessionId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { ContentPart } from "../model/message.ts";

/** Questions to the person. A host without one there hands in no asker. */
export interface Asker {
  ask(
    question: {
      readonly text: string;
      readonly choices?: readonly string[];
      readonly several?: boolean;
      /** Nobody has to answer it: it is not put in the way of what the person does. */
      readonly isOptional?: boolean;
    },
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

/** What a conversation saw of a file. `text`, where it is kept, lets a refusal show what changed since. */
export interface SeenFile {
  readonly hash: string;
  readonly at: number;
  readonly text?: string;
}

/** The text of a document, such as a PDF. `kind`: "a PDF document". */
export interface ExtractedDocument {
  readonly kind: string;
  readonly text: string;
  /** What a reader should know of it, a sentence each. */
  readonly notes: readonly string[];
}

/** What this conversation read of which file, so that a write can refuse to overwrite what it never saw. Real paths. */
export interface FileReads {
  /** How much of a file one answer shows: the user's settings. `images`: the model can see pictures. */
  readonly page: { readonly lines: number; readonly lineChars: number; readonly images: boolean };
  /** The profile in use and the default one: what is Hermes' own is not changed by file tools. Left out: the usual folder. */
  readonly home?: { readonly path: string; readonly root: string };
  record(path: string, seen: SeenFile): void;
  seen(path: string): SeenFile | undefined;
  forget(path: string): void;
  /**
   * True when the answer before this one showed the same. It is so once: whoever asks a third time may have lost it and
   * gets it again.
   */
  repeats(shown: string): boolean;
  /**
   * What was shown may not be before the model any more: the context was shortened, a result did not arrive, or another
   * tool was called. The next read is answered in full.
   */
  forgetShown(): void;
  /**
   * The text of the document with that hash. One is extracted at a time; the last is kept, so that paging through it is
   * cheap. A failure is not kept.
   */
  document<F>(
    hash: string,
    extract: () => Promise<Result<ExtractedDocument, F>>,
  ): Promise<Result<ExtractedDocument, F>>;
  /** Runs work that reads and then changes these files, after all earlier work on any of them has ended. */
  inTurn<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>;
  /** Runs a last look at files and the change that follows it while no other conversation does. Left out: there is none. */
  readonly writeAlone?: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>;
}

/** What this conversation said and did, whole, also where its context was shortened. */
export interface Transcript {
  /** By the id of an entry. `about`: who said it, or what it came from. */
  read(id: string): Promise<Result<{ readonly about: string; readonly text: string }, { readonly message: string }>>;
}

/** Messages to the conversation from what runs beside it (a process that ended, a child agent). Delivered between turns. */
export interface Inbox {
  /** Disposing takes it back, unless it was delivered already. */
  put(sessionId: SessionId, from: string, content: readonly ContentPart[]): Disposable;
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
