import type { JsonObject } from "../../base/json.ts";

/** One part of the user's request: a call, sometimes followed by a second one, or a fixed text. */
export type Step = CallStep | { readonly text: string; readonly takesRest?: boolean };

export interface CallStep {
  readonly call: PlannedCall;
  /** Returns a second call that depends on the result of the first one, or the reason why there is none. */
  second?(first: CallOutcome): PlannedCall | Report | undefined;
  /** The file that "it" refers to in the next step. */
  readonly path?: string;
  /** True if the rest of the sentence belongs to the step, such as the items of a plan. */
  readonly takesRest?: boolean;
}

export interface PlannedCall {
  readonly name: string;
  readonly args: JsonObject;
}

export interface CallOutcome extends PlannedCall {
  readonly failed: boolean;
  /** True if a person or a rule denied the call. */
  readonly denied: boolean;
  /** The result as data, if it is JSON. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

export interface Report {
  readonly text: string;
  readonly failed: boolean;
}
