import type { SessionId } from "../../base/ids.ts";
import type { JsonObject, JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { Pictures } from "../media/pictures.ts";
import type { ContentPart, ImagePart, VideoPart } from "../model/message.ts";
import type { Answer, ApprovalQuestion } from "../safety/approval.ts";
import type { Form } from "./form.ts";
import type { PersonAnswer, PersonQuestion } from "./question.ts";

/** Asks the user. A host that no user watches does not provide this. */
export interface Asker {
  ask(question: PersonQuestion, signal: AbortSignal): Promise<PersonAnswer>;
  /**
   * Asks the user for the values of a form. Each returned value is valid for its field; optional fields may be missing.
   * Never rejects.
   */
  fillIn(
    form: Form,
    signal: AbortSignal,
  ): Promise<Result<JsonObject, { readonly reason: "declined" | "cancelled" | "timeout" | "aborted" }>>;
  /**
   * Asks the user to approve something, in the same form as tool approvals. Resolves to undefined when the signal is
   * aborted.
   */
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

/** A version of a file. If `text` is kept, a rejected write can show the difference. */
export interface FileVersion {
  readonly hash: string;
  readonly at: number;
  readonly text?: string;
}

/** The last version of a file that a session saw. */
export interface SeenFile extends FileVersion {
  /** Set if the session saw only a part of this version: the previous version that it saw. */
  readonly older?: FileVersion;
  /** Set after `wentBack`: the hashes of the versions that the session saw before. */
  readonly earlier?: readonly string[];
}

/** The lines of a file that were shown; numbers start at 1. */
export interface ShownLines {
  readonly first: number;
  readonly last: number;
  readonly total: number;
}

/** The text of a document, such as a PDF. Example of `kind`: "a PDF document". */
export interface ExtractedDocument {
  readonly kind: string;
  readonly text: string;
  /** Notes for the reader, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * The file versions that this session has read, by real path. A write uses them so that it never overwrites changes the
 * session has not seen.
 */
export interface FileReads {
  /** The page size from the settings. `images` tells whether the model sees images or gets descriptions of them. */
  readonly page: { readonly lines: number; readonly lineChars: number; readonly images: boolean };
  /** Converts an image to a form that the model accepts. Default: unchanged. */
  readonly prepareImage?: Pictures["prepare"];
  /**
   * The active profile and the root folder of Hermes. File tools do not change Hermes' own files. Default: the default
   * home.
   */
  readonly home?: { readonly path: string; readonly root: string };
  /**
   * The start time of the session. A file that changed later and that the session has not read may contain the work of
   * others.
   */
  readonly since?: number;
  /** Records that the session saw a file. `shown` is the part that it saw. Default: the whole file. */
  record(path: string, seen: FileVersion, shown?: ShownLines): void;
  seen(path: string): SeenFile | undefined;
  forget(path: string): void;
  /**
   * True if the previous result showed the same text, but only once: a third request may mean that the model no longer
   * has the text, so it is sent again.
   */
  repeats(shown: string): boolean;
  /**
   * Called when the model may no longer see earlier results: the context was compacted, a result did not arrive, or
   * another tool was called. The next read returns the full text.
   */
  forgetShown(): void;
  /**
   * Called when the conversation went back, for example by an undo that restores files. Until a file is seen again, each
   * version of it that the session saw before counts as seen, and the file can be missing.
   */
  wentBack(): void;
  /**
   * The text of the document with that hash. Extracts one document at a time and caches the last one, so that paging is
   * cheap. Failures are not cached.
   */
  document<F>(
    hash: string,
    extract: () => Promise<Result<ExtractedDocument, F>>,
  ): Promise<Result<ExtractedDocument, F>>;
  /** Runs a function that reads and then changes these files. Waits until all earlier work on any of them has ended. */
  inTurn<T>(paths: readonly string[], work: () => Promise<T>): Promise<T>;
  /**
   * Runs a final check and the write under a lock that all sessions share. An error says why the function did not run.
   * Undefined: there are no other sessions.
   */
  readonly writeAlone?: <T>(work: () => Promise<T>, signal: AbortSignal) => Promise<Result<T, string>>;
}

/** The complete record of this session, including compacted parts. */
export interface Transcript {
  /** Reads an original message by entry id. `about` names the author or origin. */
  read(id: string): Promise<Result<{ readonly about: string; readonly text: string }>>;
}

/** Messages from processes and child agents to the session. They are delivered between turns. */
export interface Inbox {
  /** Sends a message. Disposing the result withdraws the message if it is not delivered yet. */
  put(sessionId: SessionId, from: string, content: readonly ContentPart[]): Disposable;
}

/** Sentences for the user, shown on every attached surface. */
export interface Notices {
  notice(level: "info" | "warn" | "error", text: string): void;
}

/** Small requests to a cheap model: titles, summaries, reviews. */
export interface AuxiliaryModel {
  complete(
    task: string,
    prompt: string,
    /** `images` are for a model with image input. The model answers about them, or the request fails. */
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
