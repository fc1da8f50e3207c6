/** Work that a program does in the background, independent of its sessions. */
export interface BackgroundJob {
  readonly name: string;
  readonly when: JobTimes;
  /** Must end soon after the signal. Errors are logged. `isLast`: the program is ending. */
  run(signal: AbortSignal, isLast: boolean): Promise<void>;
}

export interface JobTimes {
  /** The delay after the start of the program. Absent: runs only when it is started by name. */
  readonly afterMs?: number;
  /** The delay between the end of one run and the start of the next. Absent: runs once. */
  readonly everyMs?: number;
  /** Runs once more when the program ends, for at most this long. */
  readonly atEndMs?: number;
}

export interface BackgroundJobs extends AsyncDisposable {
  /** Disposing stops the job. */
  add(job: BackgroundJob): AsyncDisposable;
  /** Runs the job now, unless it is running. Does nothing for an unknown name. */
  start(name: string): void;
}
