/** One result of `hermes doctor`. */
export interface Finding {
  readonly name: string;
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  /** What to do. Undefined: nothing. */
  readonly advice?: string;
}
