import type { EntryId } from "../../base/ids.ts";
import type { ContentPart } from "../model/message.ts";

/** A prompt with everything that follows, up to the next prompt. */
export interface Exchange {
  /** The number of the exchange. Numbers start at 1, follow the order of the start times, and never change. */
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
  /** The last entry of the branch. Undefined: the branch has no stored entry yet. */
  readonly tip?: EntryId;
  /** The last exchange of the branch. Undefined: the branch has no message. */
  readonly last?: number;
  /** The last exchange that the branch shares with its parent branch. */
  readonly from?: number;
  readonly changedAt: number;
  readonly isCurrent: boolean;
  /**
   * The checkpoint of the files at the end of the branch. Undefined: calls were made since, or the files were never
   * recorded.
   */
  readonly checkpoint?: string;
}

/** The exchanges of a session and its branches. */
export interface SessionTree {
  readonly exchanges: readonly Exchange[];
  /** The branches in the order of their start times. One of them is always current. */
  readonly branches: readonly Branch[];
}

export interface BranchOptions {
  /** The name of the new branch. Default: `branch-2` and so on. */
  readonly name?: string;
  /**
   * The start of the branch: after the exchange with that number, `0` for the start of the session, or an entry id
   * (after an answer, before a prompt). Default: the current end of the session.
   */
  readonly from?: string;
}

/** The result of switching a session to another point of its history. */
export interface MovedHead {
  readonly branch: Branch;
  /** The prompt at the new position. Set if the session continues before a prompt. */
  readonly prompt?: readonly ContentPart[];
  /** Why the files of the previous branch were not recorded. */
  readonly unrecorded?: string;
  /**
   * The checkpoint of the first call after the point from which a new branch starts. It contains the files as they were
   * at that point.
   */
  readonly filesAt?: string;
}
