import type { Principal } from "../safety/principal.ts";
import type { Rating } from "../session/session.ts";

/** Identifies a kind of failure, not a single call. */
export interface FailureMark {
  readonly tool: string;
  /** Backend and operating system: a fix for one system may not work on another. */
  readonly place: string;
  /** Program and verb of a command, such as `pip install`; empty for other tools. */
  readonly program: string;
  /** The error message without variable parts: paths, numbers, names of temporary files. */
  readonly error: string;
}

/** A failure and its fix. */
export interface Learning {
  readonly id: string;
  readonly mark: FailureMark;
  readonly failed: string;
  /** The fix, in words for a model and a person. */
  readonly fix: string;
  /** How often the fix worked, including the first time, and how often it did not help. */
  readonly worked: number;
  readonly failedAgain: number;
  readonly createdAt: number;
  readonly seenAt: number;
  /** The confidence in the fix, from 0 to 1. It decreases over time. */
  readonly confidence: number;
}

/** Failures and their fixes, stored per user. */
export interface LearningStore extends AsyncDisposable {
  /** The most likely fix. Undefined if none is likely enough. */
  find(mark: FailureMark, who: Principal): Promise<Learning | undefined>;
  /** Records that the fix worked. */
  learn(mark: FailureMark, pair: { readonly failed: string; readonly fix: string }, who: Principal): Promise<void>;
  /** Records that the fix was shown and did not help. */
  doubt(id: string, who: Principal): Promise<void>;
  /** Fixes, most likely first. */
  list(who: Principal): Promise<readonly Learning[]>;
  /** Deletes one fix by id, or all fixes, and returns the number of deleted fixes. */
  forget(id: string | undefined, who: Principal): Promise<number>;
  /** Records the user's rating of a task that used these skills. */
  rate(skills: readonly string[], rating: Rating): Promise<void>;
  /** Scores of rated skills: higher is better. */
  skillScores(): Promise<ReadonlyMap<string, number>>;
}
