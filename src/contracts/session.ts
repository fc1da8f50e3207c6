import type { CallId, EntryId, SessionId } from "../base/ids.ts";
import type { Result } from "../base/result.ts";
import type { LedgerCall } from "./dispatch.ts";
import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Principal } from "./principal.ts";
import type { ToolResult } from "./tool.ts";

interface EntryBase {
  readonly id: EntryId;
  readonly parent?: EntryId;
  readonly at: number;
  /** Over everything else in it, so that damage is found when it is read. */
  readonly checksum: string;
}

export type MessageEntry = EntryBase & { readonly type: "message"; readonly message: Message };
export type PlannedEntry = EntryBase & { readonly type: "planned"; readonly call: LedgerCall };
export type DispatchedEntry = EntryBase & { readonly type: "dispatched"; readonly callId: CallId };
export type SettledEntry = EntryBase & {
  readonly type: "settled";
  readonly callId: CallId;
  readonly result: ToolResult;
};
export type UsageEntry = EntryBase & { readonly type: "usage"; readonly model: string; readonly usage: Usage };
/** Covers the messages up to `through`; the originals stay. */
export type CompactedEntry = EntryBase & {
  readonly type: "compacted";
  readonly through: EntryId;
  readonly summary: Message;
};
export type HeadMovedEntry = EntryBase & { readonly type: "head_moved"; readonly to: EntryId; readonly why: string };
export type TitledEntry = EntryBase & { readonly type: "titled"; readonly title: string };

export type Entry =
  | MessageEntry
  | PlannedEntry
  | DispatchedEntry
  | SettledEntry
  | UsageEntry
  | CompactedEntry
  | HeadMovedEntry
  | TitledEntry;

export interface NewSession {
  readonly source: string;
  readonly principal: Principal;
  readonly cwd?: string;
  readonly model?: string;
  readonly parent?: SessionId;
}

export interface SessionRecord extends NewSession {
  readonly id: SessionId;
  readonly createdAt: number;
  readonly head?: EntryId;
  readonly title?: string;
}

export interface SearchQuery {
  readonly text: string;
  readonly roles?: readonly Message["role"][];
  readonly after?: number;
  readonly before?: number;
  readonly limit: number;
}

export interface SearchHit {
  readonly sessionId: SessionId;
  readonly entryId: EntryId;
  readonly snippet: string;
  readonly score: number;
}

/** Append-only truth. Entries are stored before anyone sees them; deltas and progress never are. */
export interface SessionStore extends AsyncDisposable {
  create(session: NewSession): Promise<SessionRecord>;
  get(id: SessionId, who: Principal): Promise<SessionRecord | undefined>;
  /** One transaction. A session is a tree: entries hang below `after`. */
  append(id: SessionId, entries: readonly Entry[], after: EntryId | undefined): Promise<void>;
  /** A projection: a compaction stands for the range it covers. */
  history(id: SessionId, head?: EntryId): Promise<readonly Message[]>;
  /** One writer; others read. */
  lease(id: SessionId, holder: string): Promise<Result<Disposable, { readonly heldBy: string }>>;
  search(query: SearchQuery, who: Principal): Promise<readonly SearchHit[]>;
}
