/** Several models answer one question in parallel, in one or more rounds; then another model writes the answer. */
export interface MixtureRunner {
  /** Who would answer, and what it costs at most. Sends nothing. */
  plan(prompt: string): MixturePlan;
  /** Never rejects. Each request counts against the budget before it is sent. */
  run(prompt: string, progress: (note: string) => void, signal: AbortSignal): Promise<MixtureOutcome>;
}

export interface MixturePlan {
  /** `provider/model`. */
  readonly references: readonly string[];
  readonly aggregator: string;
  readonly rounds: number;
  readonly requests: number;
  /** US dollars, if every answer is as long as allowed. Models without a known price do not count. */
  readonly maxUsd: number;
  readonly unpriced: readonly string[];
}

export interface MixtureOutcome {
  /** Empty if there is an error. */
  readonly response: string;
  /** The models that answered in the last round. */
  readonly references: readonly string[];
  readonly aggregator: string;
  /** The failure, and what to do about it. */
  readonly error?: string;
}
