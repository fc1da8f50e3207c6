import type { SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { EraseOutsideData } from "./session.ts";

/** A session with its owner. */
export interface OwnedSession {
  readonly id: SessionId;
  readonly principal: Principal;
}

/** A session with this tag is never removed because it is old or because there is no room. */
export const keepTag = "keep";

/** Periodic maintenance of a store, across all sessions. No step blocks an append. */
export interface StoreUpkeep {
  /** Deleted before that, the oldest first. */
  deletedBefore(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** Unchanged since then, neither archived nor tagged `keep`, oldest first. */
  unchangedSince(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** The first to go when there is no room: the oldest, archived ones last, never those to be kept or changed since then. */
  oldest(changedBefore: number, limit: number): Promise<readonly OwnedSession[]>;
  /** When a session changed last. */
  newestChange(): Promise<number | undefined>;
  /** Bytes that the sessions use on disk, without free pages. */
  bytes(): Promise<number>;
  /** Finishes an erase that a crash interrupted. */
  finishErasing(signal: AbortSignal, beside?: EraseOutsideData): Promise<void>;
  /** Removes lock files of sessions that are gone and the notes of holders that were killed. */
  removeLeftLeases(): Promise<void>;
  /** Gives free space back to the disk, in small steps. */
  giveBack(signal: AbortSignal): Promise<void>;
  /** Small things that the store remembers of itself, by name. */
  fact(name: string): Promise<string | undefined>;
  /** Undefined: removes it. */
  setFact(name: string, value?: string): Promise<void>;
}
