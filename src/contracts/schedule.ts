/** A job at a time. Each due slot ends as ran, skipped or missed, with a reason, and is claimed once across processes. */
export interface ScheduledJob {
  readonly id: string;
  readonly name: string;
  readonly schedule: string;
  readonly prompt: string;
  readonly deliver: readonly string[];
  readonly paused: boolean;
  readonly nextRunAt?: number;
}

export interface Schedule {
  list(): Promise<readonly ScheduledJob[]>;
  put(job: Omit<ScheduledJob, "nextRunAt">): Promise<ScheduledJob>;
  remove(id: string): Promise<boolean>;
}
