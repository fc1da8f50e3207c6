/** Work that a program does beside its sessions, without a waiter. */
export interface BackgroundJob {
  readonly name: string;
  readonly when: JobTimes;
  /** Must end soon after the signal. Errors are logged. `isLast`: the program is ending. */
  run(signal: AbortSignal, isLast: boolean): Promise<void>;
}

export interface JobTimes {
  /** After the start of the program. Absent: only when it is started by its name. */
  readonly afterMs?: number;
  /** Between the end of one run and the start of the next. Absent: it runs once. */
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
