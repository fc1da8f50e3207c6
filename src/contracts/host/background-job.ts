/** Work that a program does in the background, independent of its sessions. */
export interface BackgroundJob {
  readonly name: string;
  readonly when: JobTimes;
  /**
   * Runs the job. It must stop soon after the signal is aborted; errors are logged. `isLast` is true if the program is
   * about to exit.
   */
  run(signal: AbortSignal, isLast: boolean): Promise<void>;
}

export interface JobTimes {
  /** The delay after the start of the program. Undefined: the job runs only when it is started by name. */
  readonly afterMs?: number;
  /** The delay between the end of one run and the start of the next. Undefined: the job runs once. */
  readonly everyMs?: number;
  /** If set, the job runs once more when the program exits, for at most this long. */
  readonly atEndMs?: number;
}

export interface BackgroundJobs extends AsyncDisposable {
  /** Schedules a job. Disposing the result stops the job. */
  add(job: BackgroundJob): AsyncDisposable;
  /** Runs the job now, unless it is already running. Ignores an unknown name. */
  start(name: string): void;
}
