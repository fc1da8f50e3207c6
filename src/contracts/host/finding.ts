/** One result of `hermes doctor`. */
export interface Finding {
  readonly name: string;
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  /** The next step for the user, if any. */
  readonly advice?: string;
}
