/** Several models answer one question in parallel, in one or more rounds; then another model writes the answer. */
export interface MixtureRunner {
  /** Returns the models that would answer and the maximum cost. Sends no request. */
  plan(prompt: string): MixturePlan;
  /** Never rejects. Each request is checked against the budget before it is sent. */
  run(prompt: string, progress: (note: string) => void, signal: AbortSignal): Promise<MixtureOutcome>;
}

export interface MixturePlan {
  /** The models that answer first, each as `provider/model`. */
  readonly references: readonly string[];
  readonly aggregator: string;
  readonly rounds: number;
  readonly requests: number;
  /** The maximum cost in US dollars, if every answer has the maximum length. Excludes models without a known price. */
  readonly maxUsd: number;
  readonly unpriced: readonly string[];
}

export interface MixtureOutcome {
  /** The final answer. Empty if there is an error. */
  readonly response: string;
  /** The models that answered in the last round. */
  readonly references: readonly string[];
  readonly aggregator: string;
  /** The cause of the failure, and what to do about it. */
  readonly error?: string;
}
