import type { SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { EraseOutsideData } from "./session.ts";

/** A session with its owner. */
export interface OwnedSession {
  readonly id: SessionId;
  readonly principal: Principal;
}

/** The tag that protects a session from automatic deletion. */
export const keepTag = "keep";

/** Periodic maintenance of a store, across all sessions. No step blocks an append. */
export interface StoreUpkeep {
  /** Lists sessions that were deleted before that time, oldest first. */
  deletedBefore(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** Lists sessions that have not changed since that time and are neither archived nor tagged `keep`, oldest first. */
  unchangedSince(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /**
   * Lists the next sessions to erase when the store is too large: oldest first, archived ones last, never those that
   * are tagged `keep` or changed since that time.
   */
  oldest(changedBefore: number, limit: number): Promise<readonly OwnedSession[]>;
  /** The time of the most recent change in any session. */
  newestChange(): Promise<number | undefined>;
  /** Bytes that the sessions use on disk, without free pages. */
  bytes(): Promise<number>;
  /** Finishes an erase that a crash interrupted. */
  finishErasing(signal: AbortSignal, beside?: EraseOutsideData): Promise<void>;
  /** Removes lock files of erased sessions, and lease records of processes that were killed. */
  removeLeftLeases(): Promise<void>;
  /** Returns free space to the disk, in small steps. */
  giveBack(signal: AbortSignal): Promise<void>;
  /** A small value that the store keeps for its own use, by name. */
  fact(name: string): Promise<string | undefined>;
  /** Stores the value. Undefined removes it. */
  setFact(name: string, value?: string): Promise<void>;
}
