import type { EntryId } from "../../base/ids.ts";
import type { ContentPart } from "../model/message.ts";

/** A prompt with everything that follows, up to the next prompt. */
export interface Exchange {
  /** Numbers start at 1 in the order of the starts, and never change. */
  readonly number: number;
  /** The first message of the exchange. */
  readonly entry: EntryId;
  /** The previous entry. Undefined: this is the first. */
  readonly parent?: EntryId;
  /** The entry from which a session continues after this exchange. */
  readonly end: EntryId;
  /** The previous exchange on its branch. */
  readonly after?: number;
  /** The start of the prompt and of the last answer. */
  readonly asked: string;
  readonly answered: string;
  readonly calls: number;
  readonly at: number;
}

/** A path from the start of a session to one of its ends. */
export interface Branch {
  readonly name: string;
  /** `undone`: exchanges that were undone; they can still be resumed. */
  readonly kind: "main" | "named" | "undone";
  /** Undefined: nothing is stored yet. */
  readonly tip?: EntryId;
  /** Its last exchange. Undefined: the branch has no message. */
  readonly last?: number;
  /** The last exchange that it shares with its parent branch. */
  readonly from?: number;
  readonly changedAt: number;
  readonly isCurrent: boolean;
  /** Checkpoint of the files at its end. Undefined: calls were made since, or the files were never recorded. */
  readonly checkpoint?: string;
}

/** The exchanges of a session and its branches. */
export interface SessionTree {
  readonly exchanges: readonly Exchange[];
  /** Branches in the order of their start; one of them is always current. */
  readonly branches: readonly Branch[];
}

export interface BranchOptions {
  /** Default: `branch-2` and so on. */
  readonly name?: string;
  /**
   * Start of the branch: after the exchange of that number, `0` for the start of the session, or an entry id: after an
   * answer, before a prompt. Default: the head.
   */
  readonly from?: string;
}

/** The result of moving the head of a session. */
export interface MovedHead {
  readonly branch: Branch;
  /** The prompt at the new position, if the session continues before a prompt. */
  readonly prompt?: readonly ContentPart[];
  /** Why the files of the branch that was left are not recorded. */
  readonly unrecorded?: string;
  /**
   * The checkpoint of the first call after the start of a branch from an earlier point: it has the files of that point.
   */
  readonly filesAt?: string;
}
