import type { SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { EraseOutsideData } from "./session.ts";

/** A session with its owner. */
export interface OwnedSession {
  readonly id: SessionId;
  readonly principal: Principal;
}

/** Retention never removes a session with this tag. */
export const keepTag = "keep";

/** Periodic maintenance of a store, across all sessions. No step blocks an append. */
export interface StoreUpkeep {
  /** Sessions deleted before that time, oldest first. */
  deletedBefore(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** Sessions that have not changed since then and are neither archived nor tagged `keep`, oldest first. */
  unchangedSince(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /**
   * The next sessions to erase when the store is too large: oldest first, archived ones last, never those tagged `keep`
   * or changed since then.
   */
  oldest(changedBefore: number, limit: number): Promise<readonly OwnedSession[]>;
  /** When a session changed last. */
  newestChange(): Promise<number | undefined>;
  /** Bytes that the sessions use on disk, without free pages. */
  bytes(): Promise<number>;
  /** Finishes an erase that a crash interrupted. */
  finishErasing(signal: AbortSignal, beside?: EraseOutsideData): Promise<void>;
  /** Removes lock files of erased sessions and the notes of killed holders. */
  removeLeftLeases(): Promise<void>;
  /** Returns free space to the disk, in small steps. */
  giveBack(signal: AbortSignal): Promise<void>;
  /** A small value that the store keeps for its own use, by name. */
  fact(name: string): Promise<string | undefined>;
  /** Undefined: removes it. */
  setFact(name: string, value?: string): Promise<void>;
}
