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
 * What is written down. There are no entries for tool messages: the result of a call is its `settled` entry, and a
 * history is made of both, so that every call has exactly one result, whatever happened. Never deltas, never progress.
 */
export type EntryBody =
  | { readonly type: "message"; readonly message: UserMessage | AssistantMessage; readonly turnId?: TurnId }
  | { readonly type: "planned"; readonly call: LedgerCall }
  | { readonly type: "dispatched"; readonly callId: CallId }
  /** A later one for the same call replaces the first. A call that was refused has this entry alone. */
  | {
      readonly type: "settled";
      readonly callId: CallId;
      /** Of a nested call. Its result is not part of the history. */
      readonly parentCallId?: CallId;
      readonly tool: string;
      readonly result: ToolResult;
      readonly durationMs: number;
    }
  | ({ readonly type: "usage" } & BookedUsage)
  /** `messages` stand for everything on the path up to and including `through`; the originals stay. */
  | {
      readonly type: "compacted";
      readonly through: EntryId;
      readonly messages: readonly Message[];
      readonly tokensBefore: number;
      readonly tokensAfter: number;
    }
  /** The conversation goes on from `to` (or from its beginning): undo, retry, another branch. `branch`: one of that name begins. */
  | { readonly type: "head_moved"; readonly to?: EntryId; readonly why: string; readonly branch?: string }
  /** The files of the workspace as they were here can be restored. `name`: the place has one. */
  | { readonly type: "checkpointed"; readonly checkpoint: string; readonly name?: string }
  /** How the person found the work of a turn, and which skills were used in it. */
  | { readonly type: "rated"; readonly turnId?: TurnId; readonly rating: Rating; readonly skills: readonly string[] }
  /** What the person keeps with the session itself. What is left out stays as it is. */
  | ({ readonly type: "marked" } & SessionMarks)
  | { readonly type: "titled"; readonly title: string; readonly by: "user" | "model" }
  /** What every request begins with, byte by byte, so that a resumed session goes on with it. */
  | {
      readonly type: "prompted";
      readonly system: readonly { readonly text: string; readonly cache?: boolean }[];
      readonly tools?: readonly ToolDefinition[];
    }
  /** What else a resumed session goes on with, by name: the plan, the queue. The last one counts. */
  | { readonly type: "state"; readonly name: string; readonly value: JsonValue }
  /** Never written: an entry was here, and the disk has lost it. */
  | { readonly type: "damaged"; readonly why: string };

export const ratings = ["perfect", "good", "issues", "failed"] as const;
export type Rating = (typeof ratings)[number];

export interface SessionMarks {
  readonly tags?: readonly string[];
  readonly archived?: boolean;
  /** Out of every list and search; erased a day later, until then it can be taken back. */
  readonly deleted?: boolean;
}

/** One model call as it is paid for. */
export interface BookedUsage {
  readonly turnId?: TurnId;
  readonly provider: string;
  readonly model: string;
  /** `chat`, or the auxiliary task. */
  readonly task: string;
  readonly usage: Usage;
}

export type Entry = EntryBody & {
  readonly id: EntryId;
  /** Before it on its branch. */
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
  /** Of the person and the model. */
  readonly messages: number;
  /** The beginning of what was first asked. */
  readonly preview?: string;
  readonly tags?: readonly string[];
  readonly archivedAt?: number;
  readonly deletedAt?: number;
}

export interface SessionQuery {
  readonly limit: number;
  readonly source?: string;
  /** Changed before that. */
  readonly before?: number;
  readonly tag?: string;
  /** Left out: those that are neither archived nor deleted. */
  readonly only?: "archived" | "deleted";
}

/** What erasing took away. */
export interface Erased {
  readonly sessions: readonly SessionId[];
  /** Their tool calls, for what else is kept of them. */
  readonly calls: readonly CallId[];
  /** Names of the files with whole outputs of commands that their results speak of. */
  readonly outputs: readonly string[];
  readonly bytes: number;
}

/**
 * Removes what is kept elsewhere of sessions that nobody finds any more. It comes before their entries go, and again
 * when that did not end.
 */
export type ForgetBeside = (removed: Omit<Erased, "bytes">, signal: AbortSignal) => Promise<void>;

/** An entry with the session it belongs to, as `entriesAfter` hands it out. */
export interface PlacedEntry {
  /** Its place in time over all sessions; grows. */
  readonly place: number;
  readonly sessionId: SessionId;
  readonly entry: Entry;
}

/** What was spent. `unknownCost`: of that many calls the price is not known. */
export interface Spent {
  readonly costUsd: number;
  readonly tokens: number;
  readonly calls: number;
  readonly unknownCost: number;
}

/** The right to write to a session. Lost when the holder does not live any more. */
export interface Lease extends AsyncDisposable {
  readonly sessionId: SessionId;
}

/** Append-only truth. What a promise of it has answered is on the disk and stays there. */
export interface SessionStore extends AsyncDisposable {
  create(session: NewSession): Promise<SessionRecord>;
  get(id: SessionId, who: Principal): Promise<SessionRecord | undefined>;
  /** By id, a beginning of one that fits one session alone, a title, or `latest`. */
  find(text: string, who: Principal): Promise<Result<SessionRecord>>;
  /** Last changed first. */
  list(query: SessionQuery, who: Principal): Promise<readonly SessionRecord[]>;
  /**
   * One transaction, below the head, which it moves. Appends of the same moment reach the disk together, in the order
   * in which they were asked for. `joins`: another is about to follow, and this one waits a moment for it.
   */
  append(id: SessionId, entries: readonly EntryBody[], joins?: boolean): Promise<readonly Entry[]>;
  /** From the first entry to the head, in order. */
  path(id: SessionId, head?: EntryId): Promise<readonly Entry[]>;
  entry(id: SessionId, entry: EntryId): Promise<Entry | undefined>;
  /** Of all branches, in the order of their writing. */
  entries(id: SessionId): Promise<readonly Entry[]>;
  /** Of all sessions, what was written after that place, oldest first: for what is made of the entries, such as search. */
  entriesAfter(place: number, limit: number): Promise<readonly PlacedEntry[]>;
  /** Tags, archive, delete and back. Not while somebody else writes to it. */
  mark(id: SessionId, marks: SessionMarks, who: Principal): Promise<Result<SessionRecord>>;
  /**
   * For good, with all its entries; those that it started stay and lose their parent. Never one that is held. After
   * `signal` no further one is begun, and what is left of the one under way is gone for everybody and erased later.
   */
  erase(ids: readonly SessionId[], who: Principal, signal?: AbortSignal, beside?: ForgetBeside): Promise<Erased>;
  /** A session from elsewhere, with its entries in their tree, in one transaction. Ids of entries are given anew. */
  take(session: NewSession & { readonly createdAt: number }, entries: readonly Entry[]): Promise<SessionRecord>;
  /** One writer; others read. */
  lease(id: SessionId, holder: string): Promise<Result<Lease, { readonly heldBy: string }>>;
  /** The spend of all sessions, of one session with those that it started, or of the sessions of one principal. */
  spent(query: { readonly since?: number; readonly sessionId?: SessionId; readonly who?: Principal }): Promise<Spent>;
}
