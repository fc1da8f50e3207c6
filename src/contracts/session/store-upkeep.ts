import type { SessionId } from "../../base/ids.ts";
import type { Principal } from "../safety/principal.ts";
import type { ForgetBeside } from "./session.ts";

/** A session of somebody. */
export interface OwnedSession {
  readonly id: SessionId;
  readonly principal: Principal;
}

/** A session with this tag is never removed because it is old or because there is no room. */
export const keepTag = "keep";

/** What a store is asked from time to time, over the sessions of everybody. No step of it is in the way of an append. */
export interface StoreUpkeep {
  /** Deleted before that, the oldest first. */
  deletedBefore(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** Not changed since then, neither archived nor to be kept, the oldest first. */
  unchangedSince(index: number, limit: number): Promise<readonly OwnedSession[]>;
  /** The first to go when there is no room: the oldest, archived ones last, never those to be kept or changed since then. */
  oldest(changedBefore: number, limit: number): Promise<readonly OwnedSession[]>;
  /** When a session changed last. */
  newestChange(): Promise<number | undefined>;
  /** What the sessions take on the disk, without space that is free again. */
  bytes(): Promise<number>;
  /** Ends what a crash has left of erasing. */
  finishErasing(signal: AbortSignal, beside?: ForgetBeside): Promise<void>;
  /** Gives free space back to the disk, in small steps. */
  giveBack(signal: AbortSignal): Promise<void>;
  /** Small things that the store remembers of itself, by name. */
  fact(name: string): Promise<string | undefined>;
  /** Left out: it is forgotten. */
  setFact(name: string, value?: string): Promise<void>;
}
