import type { SessionId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { Pictures } from "../media/pictures.ts";
import type { ContentPart, ImagePart, VideoPart } from "../model/message.ts";
import type { Answer, ApprovalQuestion } from "../safety/approval.ts";
import type { Form } from "./form.ts";
import type { PersonAnswer, PersonQuestion } from "./question.ts";

/** Asks the person. A host without a person provides no asker. */
export interface Asker {
  ask(question: PersonQuestion, signal: AbortSignal): Promise<PersonAnswer>;
  /**
   * Asks for the values of a form. Each value is valid for its field; an optional field may be missing. Never rejects.
   */
  fillIn(
    form: Form,
    signal: AbortSignal,
  ): Promise<Result<JsonObject, { readonly reason: "declined" | "cancelled" | "timeout" | "aborted" }>>;
  /** Asks whether something may be done, in the form of all approvals. Resolves to undefined when the signal is aborted. */
  readonly approve?: (question: ApprovalQuestion, signal: AbortSignal) => Promise<Answer | undefined>;
}

/** Asks for a secret. The answer goes to the secret store, never into a transcript. */
export interface SecretAsker {
  askSecret(
    name: string,
    prompt: string,
    signal: AbortSignal,
  ): Promise<Result<string, { readonly reason: "declined" | "timeout" | "aborted" }>>;
}

/** A version of a file. `text`, if kept, lets a rejected write show the difference. */
export interface FileVersion {
  readonly hash: string;
  readonly at: number;
  readonly text?: string;
}

/** The last version of a file that a session saw. */
export interface SeenFile extends FileVersion {
  /** Set if the session saw only a part of this version: the last version that it saw before. */
  readonly older?: FileVersion;
}

/** Shown lines of a file, from 1. */
export interface ShownLines {
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/** The text of a document, such as a PDF. `kind`: "a PDF document". */
export interface ExtractedDocument {
  readonly kind: string;
  readonly text: string;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/** File versions that this session read, so that a write never overwrites unseen changes. Keyed by real path. */
export interface FileReads {
  /** Page size from the settings. `images`: the model sees images, or gets descriptions of them. */
  readonly page: { readonly lines: number; readonly lineChars: number; readonly images: boolean };
  /** Converts an image to a form that the model accepts. Default: unchanged. */
  readonly prepareImage?: Pictures["prepare"];
  /** The active profile and the root: file tools do not change Hermes' own files. Default: the default home. */
  readonly home?: { readonly path: string; readonly root: string };
  /** When the session began: files that changed later and that it has not read may be the work of others. */
  readonly since?: number;
  /** `shown`: the part that the session saw. Default: all of it. */
  record(path: string, seen: FileVersion, shown?: ShownLines): void;
  seen(path: string): SeenFile | undefined;
  forget(path: string): void;
  /**
   * True if the previous answer showed the same, but only once: a third request may mean that the model no longer has
   * the text, so it is sent again.
   */
  repeats(shown: string): boolean;
  /**
   * The model may no longer see earlier results: the context was compacted, a result did not arrive, or another tool was
   * called. The next read returns everything.
   */
  forgetShown(): void;
  /**
   * The text of the document with that hash. Extracts one at a time and caches the last, so that paging is cheap. Does not
   * cache failures.
   */
  document<F>(
    hash: string,
    extract: () => Promise<Result<ExtractedDocument, F>>,
  ): Promise<Result<ExtractedDocument, F>>;
  /** Runs work that reads and then changes these files, after all earlier work on any of them has ended. */
  inTurn<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>;
  /**
   * Runs a final check and write under a lock across sessions. An error says why the work did not run. Undefined: there
   * are no other sessions.
   */
  readonly writeAlone?: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<Result<T, string>>;
}

/** The complete record of this session, including compacted parts. */
export interface Transcript {
  /** Reads an original by entry id. `about`: the author or origin. */
  read(id: string): Promise<Result<{ readonly about: string; readonly text: string }>>;
}

/** Messages to the session from processes and child agents. Delivered between turns. */
export interface Inbox {
  /** Disposing withdraws the message if it is not delivered yet. */
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
    /** `images`: for a model with image input; it answers about them, or the request fails. */
    options: {
      readonly maxTokens: number;
      readonly schema?: JsonValue;
      readonly images?: readonly (ImagePart | VideoPart)[];
    },
    signal: AbortSignal,
  ): Promise<Result<string>>;
  /** Whether the model of the task `vision` accepts whole videos. Default: no. */
  takesVideo?(): boolean;
}

/** Sends to chat platforms. */
export interface Messenger {
  send(
    target: string,
    content: readonly ContentPart[],
    signal: AbortSignal,
  ): Promise<Result<{ readonly messageId: string }>>;
  targets(signal: AbortSignal): Promise<readonly { readonly target: string; readonly title: string }[]>;
}
