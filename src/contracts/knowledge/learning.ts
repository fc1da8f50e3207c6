import type { Principal } from "../safety/principal.ts";
import type { Rating } from "../session/session.ts";

/** What went wrong, so that it is known again: not this one call, but its kind. */
export interface FailureMark {
  readonly tool: string;
  /** Backend and system: what helps on one may not help on another. */
  readonly place: string;
  /** Program and verb of a command, such as `pip install`; empty for other tools. */
  readonly program: string;
  /** What it said, without what differs from time to time: paths, numbers, names of temporary files. */
  readonly error: string;
}

/** A failure, and what worked afterwards. */
export interface Learning {
  readonly id: string;
  readonly mark: FailureMark;
  /** What was called when it failed. */
  readonly failed: string;
  /** What worked, in words for a model and a person. */
  readonly fix: string;
  /** How often it worked, the first time included, and how often it did not help. */
  readonly worked: number;
  readonly failedAgain: number;
  readonly createdAt: number;
  readonly seenAt: number;
  /** From 0 to 1; falls with time. */
  readonly confidence: number;
}

/** What was learned from failures, by person. */
export interface LearningStore extends AsyncDisposable {
  /** The one that most likely helps; nothing when none is likely enough. */
  find(mark: FailureMark, who: Principal): Promise<Learning | undefined>;
  /** It worked: counts once more where it is known. */
  learn(mark: FailureMark, pair: { readonly failed: string; readonly fix: string }, who: Principal): Promise<void>;
  /** It was shown and did not help. */
  doubt(id: string, who: Principal): Promise<void>;
  /** The likeliest first. */
  list(who: Principal): Promise<readonly Learning[]>;
  /** By id, or all. How many. */
  forget(id: string | undefined, who: Principal): Promise<number>;
  /** How a task went in which these skills were used. */
  rate(skills: readonly string[], rating: Rating): Promise<void>;
  /** Of skills that were rated: more is better. */
  skillScores(): Promise<ReadonlyMap<string, number>>;
}

/** What a person does with what was learned. */
export interface LearningDesk {
  list(): Promise<readonly Learning[]>;
  forget(id: string | undefined): Promise<number>;
}
