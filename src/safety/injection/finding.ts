/** A part of the text that was given: from `start` up to, not with, `end`. */
export interface Place {
  readonly start: number;
  readonly end: number;
}

/** What was found and where: `quote` is the place as it stands in the text, shortened when it is long. */
export interface Finding extends Place {
  readonly rule: string;
  readonly quote: string;
}
