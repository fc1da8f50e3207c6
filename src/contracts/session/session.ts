import type { CallId, EntryId, SessionId, TurnId } from "../../base/ids.ts";
import type { JsonValue } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { AssistantMessage, Message, UserMessage } from "../model/message.ts";
import type { Usage } from "../model/model.ts";
import type { Principal } from "../safety/principal.ts";
import type { LedgerCall } from "../tool/ledger.ts";
import type { ToolDefinition } from "../tool/tool-definition.ts";
import type { ToolResult } from "../tool/tool-result.ts";

/**
 * The stored entries. There are no entries for tool messages: the result of a call is its `settled` entry, and the
 * history is built from both, so that every call has exactly one result. Deltas and progress are never entries; the text
 * of a streaming answer is in a `StoredDraft`.
 */
export type EntryBody =
  | { readonly type: "message"; readonly message: UserMessage | AssistantMessage; readonly turnId?: TurnId }
  | { readonly type: "planned"; readonly call: LedgerCall }
  | { readonly type: "dispatched"; readonly callId: CallId }
  /** A later entry for the same call replaces the first. A refused call has only this entry. */
  | {
      readonly type: "settled";
      readonly callId: CallId;
      /** Set for a nested call. Its result is not part of the history. */
      readonly parentCallId?: CallId;
      readonly tool: string;
      readonly result: ToolResult;
      readonly durationMs: number;
    }
  | ({ readonly type: "usage" } & BookedUsage)
  /** `messages` replace everything on the path up to and including `through`; the originals are kept. */
  | {
      readonly type: "compacted";
      readonly through: EntryId;
      readonly messages: readonly Message[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** True if the summary was not written by a model. */
      readonly mechanical?: true;
    }
  /**
   * The session continues from `to` (or from its start): undo, retry, another branch. `branch`: starts a branch of that
   * name.
   */
  | { readonly type: "head_moved"; readonly to?: EntryId; readonly why: string; readonly branch?: string }
  /** The workspace files of this point can be restored. `name`: a name of the point. */
  | { readonly type: "checkpointed"; readonly checkpoint: string; readonly name?: string }
  /** The user's rating of a turn, and the skills that it used. */
  | { readonly type: "rated"; readonly turnId?: TurnId; readonly rating: Rating; readonly skills: readonly string[] }
  /** Title, pin, archive mark and similar fields. Omitted fields stay unchanged. */
  | ({ readonly type: "marked" } & SessionMarks)
  | { readonly type: "titled"; readonly title: string; readonly by: "user" | "model" }
  /** The prefix of every request, byte by byte, so that a resumed session sends the same. */
  | {
      readonly type: "prompted";
      readonly system: readonly { readonly text: string; readonly cache?: boolean }[];
      readonly tools?: readonly ToolDefinition[];
    }
  /** Other state that a resumed session needs, by name: the plan, the queue. The last entry of a name is used. */
  | { readonly type: "state"; readonly name: string; readonly value: JsonValue }
  /** Never written: marks an entry that the disk lost. */
  | { readonly type: "damaged"; readonly why: string };

export const ratings = ["perfect", "good", "issues", "failed"] as const;
export type Rating = (typeof ratings)[number];

/** The source of sessions that a command started for a single prompt. They do not count as conversations. */
export const oneShotSource = "oneshot";

/** The source of sessions that programs start for their own purposes. Lists show them only on request. */
export const hiddenSource = "tool";

export interface SessionMarks {
  readonly tags?: readonly string[];
  readonly archived?: boolean;
  /**
   * True if the session is deleted: it is hidden from every list and search and erased a day later. Until then it can
   * be restored.
   */
  readonly deleted?: boolean;
  /** The new source. Set when a one-shot session continues in a chat, so that it counts as a conversation. */
  readonly source?: string;
}

/** One billed model call. */
export interface BookedUsage {
  readonly turnId?: TurnId;
  readonly provider: string;
  readonly model: string;
  /** The purpose of the call: `chat`, or the name of the auxiliary task. */
  readonly task: string;
  readonly usage: Usage;
}

export type Entry = EntryBody & {
  readonly id: EntryId;
  /** The previous entry on the same branch. */
  readonly parent?: EntryId;
  readonly at: number;
};

export interface NewSession {
  readonly id?: SessionId;
  readonly source: string;
  readonly principal: Principal;
  readonly cwd?: string;
  readonly model?: string;
  readonly title?: string;
  readonly parent?: SessionId;
}

export interface SessionRecord extends NewSession {
  readonly id: SessionId;
  readonly createdAt: number;
  readonly changedAt: number;
  readonly head?: EntryId;
  /** Number of messages of the user and the model. */
  readonly messages: number;
  /** The start of the first prompt. */
  readonly preview?: string;
  readonly tags?: readonly string[];
  readonly archivedAt?: number;
  readonly deletedAt?: number;
}

export interface SessionQuery {
  readonly limit: number;
  readonly source?: string;
  /** Lists only sessions that changed before that time. */
  readonly before?: number;
  readonly tag?: string;
  /** Lists only sessions that started in this folder. */
  readonly cwd?: string;
  /** Lists only conversations, without one-shots, child agents and sessions without a message. */
  readonly conversations?: boolean;
  /** The state of the listed sessions. Default: neither archived nor deleted. */
  readonly only?: "archived" | "deleted";
}

/** The sessions that an erase removed, with their calls and files. */
export interface Erased {
  readonly sessions: readonly SessionId[];
  /** The tool calls of the erased sessions, needed to find data outside the store. */
  readonly calls: readonly CallId[];
  /** The names of files with complete command output that results of the sessions mention. */
  readonly outputs: readonly string[];
  readonly bytes: number;
}

/**
 * Removes data of erased sessions that is not in the store itself. Runs before their entries are erased, and again if
 * that erase did not finish.
 */
export type EraseOutsideData = (removed: Omit<Erased, "bytes">, signal: AbortSignal) => Promise<void>;

/** An entry with its session, as `entriesAfter` returns it. */
export interface PlacedEntry {
  /** The row id, which orders the entries of all sessions. */
  readonly place: number;
  readonly sessionId: SessionId;
  readonly entry: Entry;
}

/** The tokens and cost so far. `unknownCost` counts the calls without a known price. */
export interface Spent {
  readonly costUsd: number;
  readonly tokens: number;
  readonly calls: number;
  readonly unknownCost: number;
}

/** The exclusive right to write to a session. Expires when the process that holds it dies. */
export interface Lease extends AsyncDisposable {
  readonly sessionId: SessionId;
  readonly draft: StoredDraft;
}

/**
 * The text of the answer that the model is writing. If the process is killed, the next lease of the session stores this
 * text as an interrupted answer. No function throws or waits for the disk.
 */
export interface StoredDraft {
  /** True if this lease stored an answer that a killed process left. */
  readonly isRestored: boolean;
  /** Starts a new answer and drops the text of the one before. All earlier messages of the turn must be stored. */
  begin(turnId: TurnId): void;
  add(delta: string): void;
  /** Drops the text, because its answer is stored or not needed. */
  clear(): void;
}

/**
 * Read access to the sessions of one principal. Tools get only this part of the store and cannot see other sessions.
 */
export interface OwnSessions {
  get(id: SessionId): Promise<SessionRecord | undefined>;
  /** Finds a session by id, a unique prefix of an id, a title, or `latest`. */
  find(text: string): Promise<Result<SessionRecord>>;
  /** Lists sessions, the most recently changed one first. */
  list(query: SessionQuery): Promise<readonly SessionRecord[]>;
  /** The entries from the first one to the current end, in order. */
  path(id: SessionId, head?: EntryId): Promise<readonly Entry[]>;
  /** The session that has the entry. */
  holder(entry: EntryId): Promise<SessionRecord | undefined>;
}

/** The append-only store. A resolved promise means that its data is on disk. */
export interface SessionStore extends AsyncDisposable {
  /** Creates a session. `first` contains its first entries, stored in the same transaction. */
  create(session: NewSession, first?: readonly EntryBody[]): Promise<SessionRecord>;
  get(id: SessionId, who: Principal): Promise<SessionRecord | undefined>;
  /** Finds a session by id, a unique prefix of an id, a title, or `latest`. */
  find(text: string, who: Principal): Promise<Result<SessionRecord>>;
  /** Lists sessions, the most recently changed one first. */
  list(query: SessionQuery, who: Principal): Promise<readonly SessionRecord[]>;
  /** The sessions that this one started, oldest first. */
  children(id: SessionId, who: Principal): Promise<readonly SessionRecord[]>;
  /**
   * Appends entries after the current end of the session in one transaction. Concurrent appends are written together,
   * in the order of the calls. `joins`: another append follows soon, so this one waits a moment for it.
   */
  append(id: SessionId, entries: readonly EntryBody[], joins?: boolean): Promise<readonly Entry[]>;
  /** The entries from the first one to the current end, in order. */
  path(id: SessionId, head?: EntryId): Promise<readonly Entry[]>;
  entry(id: SessionId, entry: EntryId): Promise<Entry | undefined>;
  /** The entries of all branches, in the order in which they were written. `type` selects entries of one type. */
  entries(id: SessionId, type?: Entry["type"]): Promise<readonly Entry[]>;
  /** Entries of all sessions after that row, oldest first: for derived data, such as the search index. */
  entriesAfter(place: number, limit: number): Promise<readonly PlacedEntry[]>;
  /** Tags, archives, deletes and restores. Fails while another process writes to the session. */
  mark(id: SessionId, marks: SessionMarks, who: Principal): Promise<Result<SessionRecord>>;
  /**
   * Erases sessions with all their entries, permanently. Their child sessions stay and lose their parent. Never erases
   * a session that has a lease. After an abort, no further session is erased; the remaining entries of the current one
   * become invisible and are erased later.
   */
  erase(ids: readonly SessionId[], who: Principal, signal?: AbortSignal, beside?: EraseOutsideData): Promise<Erased>;
  /** Imports a session with its tree of entries in one transaction. Entries get new ids. */
  take(session: NewSession & { readonly createdAt: number }, entries: readonly Entry[]): Promise<SessionRecord>;
  /**
   * Makes this process the only writer of the session. Other processes can still read it. Stores the answer that a killed
   * process left.
   */
  lease(id: SessionId, holder: string): Promise<Result<Lease, { readonly heldBy: string }>>;
  /** The cost of all sessions, of one session with its children, or of the sessions of one principal. */
  spent(query: { readonly since?: number; readonly sessionId?: SessionId; readonly who?: Principal }): Promise<Spent>;
}
