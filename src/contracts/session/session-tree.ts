import type { EntryId } from "../../base/ids.ts";
import type { ContentPart } from "../model/message.ts";

/** A prompt with all that came of it, up to the next one. */
export interface Exchange {
  /** From 1 on, in the order in which they began; it never changes. */
  readonly number: number;
  /** Its first message. */
  readonly entry: EntryId;
  /** What it follows. Left out: it is the first. */
  readonly parent?: EntryId;
  /** A conversation that goes on behind it goes on from here. */
  readonly end: EntryId;
  /** The one before it on its branch. */
  readonly after?: number;
  /** The beginning of what was asked, and of the last answer. */
  readonly asked: string;
  readonly answered: string;
  readonly calls: number;
  readonly at: number;
}

/** A way from the beginning of a session to an end of it. */
export interface Branch {
  readonly name: string;
  /** `undone`: what was taken back, and can be gone on with all the same. */
  readonly kind: "main" | "named" | "undone";
  /** Left out: nothing is stored yet. */
  readonly tip?: EntryId;
  /** Its last exchange. Left out: nothing was said on it. */
  readonly last?: number;
  /** The last exchange that it shares with the branch it began on. */
  readonly from?: number;
  readonly changedAt: number;
  readonly isCurrent: boolean;
  /** Of the files as they are at its end. Left out: calls were made since, or they were never recorded. */
  readonly checkpoint?: string;
}

/** A session is a tree: what was said, and the ways through it. */
export interface SessionTree {
  readonly exchanges: readonly Exchange[];
  /** In the order in which they began; there is always one that is current. */
  readonly branches: readonly Branch[];
}

export interface BranchWish {
  /** Left out: `branch-2` and so on. */
  readonly name?: string;
  /**
   * Where it begins: behind the exchange of that number, `0` for the beginning, or at the entry of that id: behind an
   * answer, before a prompt. Left out: here.
   */
  readonly from?: string;
}

/** The conversation goes on elsewhere. */
export interface MovedHead {
  readonly branch: Branch;
  /** Where it began before a prompt: that prompt. */
  readonly prompt?: readonly ContentPart[];
  /** Why the files of the branch that was left are not recorded. */
  readonly unrecorded?: string;
  /** The checkpoint of the first call that a branch from an earlier place leaves behind: it has the files as they were there. */
  readonly filesAt?: string;
}
