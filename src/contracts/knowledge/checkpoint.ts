import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { ResolvedEffect } from "../tool/effect.ts";
import type { Place } from "../tool/effect.ts";

/**
 * A moment that the files of a workspace can be brought back to: right before a call, a mark, right before a restore, or
 * before what background processes did between two calls.
 */
export interface Checkpoint {
  readonly id: string;
  readonly kind: "call" | "mark" | "restore" | "process";
  readonly takenAt: number;
  readonly sessionId?: SessionId;
  readonly turnId?: TurnId;
  readonly callId?: CallId;
  /** Of a call; of the one that started the process. */
  readonly tool?: string;
  /** What was about to happen, for a person: the command line, the file. */
  readonly label: string;
  /** Of a mark. */
  readonly name?: string;
  /** How many files and folders were changed, as far as it is known. */
  readonly changed: number;
  /** It has not ended, or nobody saw how. */
  readonly isOpen: boolean;
  /** What is not in it, a sentence each. */
  readonly notes: readonly string[];
}

/** A call that is about to change something. */
export interface CheckpointCall {
  readonly callId: CallId;
  readonly sessionId: SessionId;
  readonly turnId?: TurnId;
  readonly tool: string;
  /** Those of them that change files. */
  readonly effects: readonly ResolvedEffect[];
  readonly place: Place;
}

/** What is recorded of a call while it runs. */
export interface Recording {
  /** The call is over: what it changed is looked at, behind the caller's back. */
  ended(): void;
}

/** What calls go through. */
export interface Checkpointer {
  /** Records the state that a call will change, before it does. Undefined: nothing of it is kept. An error means the call must not run. */
  before(
    call: CheckpointCall,
    signal: AbortSignal,
  ): Promise<Result<Recording | undefined, { readonly message: string }>>;
}

export interface RestoreChange {
  /** Below the root, or absolute. */
  readonly path: string;
  readonly how: "create" | "change" | "remove";
  readonly kind: "file" | "folder" | "link" | "other";
  /** Now, and afterwards. */
  readonly bytesNow: number;
  readonly bytesThen: number;
  /** Why somebody should look before it is done: it was changed by somebody else since, or cannot be undone. */
  readonly doubt?: string;
}

/** What a restore would do. Nothing else is touched. */
export interface RestorePlan {
  readonly checkpoint: Checkpoint;
  readonly root: string;
  readonly changes: readonly RestoreChange[];
  /** What was changed since and stays as it is. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface RestoreOptions {
  /** This file or folder alone, below the root or absolute. */
  readonly path?: string;
  /** Also what has a doubt. */
  readonly withDoubts?: boolean;
}

export interface Restored extends RestorePlan {
  /** To undo it. Left out: nothing had to be changed. */
  readonly undo?: Checkpoint;
}

export interface CheckpointFault {
  readonly message: string;
}

/** Places of the conversation that belong to checkpoints. */
export interface ConversationMarks {
  /** The place behind the results of the calls that run now. */
  mark(checkpoint: Checkpoint): void;
  /**
   * A way back: once `go` is called, the conversation goes on, behind the results of the calls that run now, from the place
   * of that checkpoint, on a branch of that name. `note` is what the model reads there.
   */
  goBack(
    checkpoint: Checkpoint,
    to: { readonly branch: string; readonly note: string },
  ): Promise<Result<{ go(): void }, CheckpointFault>>;
}

/** The checkpoints of one workspace, as one conversation or one person sees them. */
export interface Checkpoints {
  /** Left out: there is no conversation. */
  readonly conversation?: ConversationMarks;
  /** The folder of the project. */
  root(signal: AbortSignal): Promise<string>;
  /** Last first. */
  list(limit: number, signal: AbortSignal): Promise<Result<readonly Checkpoint[], CheckpointFault>>;
  /** By number (1: the last), by id or a beginning of one that fits one alone, or by name. */
  find(text: string, signal: AbortSignal): Promise<Result<Checkpoint, CheckpointFault>>;
  plan(id: string, options: RestoreOptions, signal: AbortSignal): Promise<Result<RestorePlan, CheckpointFault>>;
  /** From then to now, as a unified diff. */
  diff(id: string, path: string | undefined, signal: AbortSignal): Promise<Result<string, CheckpointFault>>;
  /** Undoes what calls have changed since. Files that no call changed stay. Can be undone, and repeated when it was interrupted. */
  restore(id: string, options: RestoreOptions, signal: AbortSignal): Promise<Result<Restored, CheckpointFault>>;
  /** Records all of the workspace. */
  mark(name: string | undefined, signal: AbortSignal): Promise<Result<Checkpoint, CheckpointFault>>;
}
