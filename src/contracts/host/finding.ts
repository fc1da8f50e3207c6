/** One result of `hermes doctor`. */
export interface Finding {
  readonly name: string;
  readonly state: "good" | "note" | "bad";
  readonly found: string;
  /** What to do about it; left out when there is nothing to do. */
  readonly advice?: string;
}
