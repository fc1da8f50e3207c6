import type { CallId, SessionId, TurnId } from "../../base/ids.ts";
import type { Result } from "../../base/result.ts";
import type { ResolvedEffect } from "../tool/effect.ts";
import type { Place } from "../tool/effect.ts";

/**
 * A point to which the files of a workspace can be restored: before a call, a named mark, before a restore, or before
 * changes of background processes between two calls.
 */
export interface Checkpoint {
  readonly id: string;
  readonly kind: "call" | "mark" | "restore" | "process";
  readonly takenAt: number;
  readonly sessionId?: SessionId;
  readonly turnId?: TurnId;
  readonly callId?: CallId;
  /** The tool that was called, or that started the process. */
  readonly tool?: string;
  /** Description of the change for a person: the command line, the file. */
  readonly label: string;
  /** The name of a named checkpoint. */
  readonly name?: string;
  /** The number of changed files and folders, if it was counted. */
  readonly changed: number;
  /** True if the call is still running or its end was not observed. */
  readonly isOpen: boolean;
  /** Changes that the checkpoint does not record, one sentence each. */
  readonly notes: readonly string[];
}

/** A call that is about to change something. */
export interface CheckpointCall {
  readonly callId: CallId;
  readonly sessionId: SessionId;
  readonly turnId?: TurnId;
  readonly tool: string;
  /** The effects that change files. */
  readonly effects: readonly ResolvedEffect[];
  readonly place: Place;
}

/** The recording of a running call. */
export interface Recording {
  /** Called when the call has ended: its changes are scanned in the background. */
  ended(): void;
}

/** Creates a checkpoint before a tool call changes files. */
export interface Checkpointer {
  /**
   * Records the files before a call changes them. Undefined: nothing to record. If it returns an error, the call must
   * not run.
   */
  before(call: CheckpointCall, signal: AbortSignal): Promise<Result<Recording | undefined>>;
}

export interface RestoreChange {
  /** The path of the change, relative to the root or absolute. */
  readonly path: string;
  readonly how: "create" | "change" | "remove";
  readonly kind: "file" | "folder" | "link" | "other";
  /** The size in bytes now (`bytesNow`) and after the restore (`bytesThen`). */
  readonly bytesNow: number;
  readonly bytesThen: number;
  /**
   * The reason why the change needs confirmation: someone else changed the file since, or the restore cannot be undone.
   */
  readonly doubt?: string;
}

/** The changes that a restore would make. */
export interface RestorePlan {
  readonly checkpoint: Checkpoint;
  readonly root: string;
  readonly changes: readonly RestoreChange[];
  /** Changed paths that the restore does not touch. */
  readonly left: readonly { readonly path: string; readonly why: string }[];
}

export interface RestoreOptions {
  /** Restores only this file or folder, given relative to the root or as an absolute path. */
  readonly path?: string;
  /** True to include changes that need confirmation. */
  readonly withDoubts?: boolean;
}

export interface Restored extends RestorePlan {
  /** The checkpoint that undoes the restore. Undefined: nothing changed. */
  readonly undo?: Checkpoint;
}

/** Points in the history of the session that belong to checkpoints. */
export interface ConversationMarks {
  /** Associates the checkpoint with the point after the results of the current calls. */
  mark(checkpoint: Checkpoint): void;
  /**
   * Prepares a rewind. After `go` is called and the running calls have returned their results, the session continues
   * from that checkpoint on a branch with the given name. `note` is a text for the model on the new branch.
   */
  goBack(
    checkpoint: Checkpoint,
    to: { readonly branch: string; readonly note: string },
  ): Promise<Result<{ go(): void }>>;
}

/** The checkpoints of one workspace, for one session or one person. */
export interface Checkpoints {
  /** The session of the checkpoints. Undefined outside of a session. */
  readonly conversation?: ConversationMarks;
  /** The folder of the project. */
  root(signal: AbortSignal): Promise<string>;
  /** Checkpoints, newest first. */
  list(limit: number, signal: AbortSignal): Promise<Result<readonly Checkpoint[]>>;
  /** Finds a checkpoint by number (1: the last), by id or an unambiguous prefix, or by name. */
  find(text: string, signal: AbortSignal): Promise<Result<Checkpoint>>;
  plan(id: string, options: RestoreOptions, signal: AbortSignal): Promise<Result<RestorePlan>>;
  /** Unified diff from the checkpoint to now. */
  diff(id: string, path: string | undefined, signal: AbortSignal): Promise<Result<string>>;
  /**
   * Undoes the changes that calls made since the checkpoint, and nothing else. The restore can be undone, and can be
   * repeated after an interruption.
   */
  restore(id: string, options: RestoreOptions, signal: AbortSignal): Promise<Result<Restored>>;
  /** Creates a checkpoint of the whole workspace. `label`: describes one without a name. */
  mark(name: string | undefined, signal: AbortSignal, label?: string): Promise<Result<Checkpoint>>;
}
