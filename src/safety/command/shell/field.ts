/**
 * One word as a program gets it, as far as it can be known without running anything. Where something is not known, `text`
 * has a hole: `/srv/▯/log` for `/srv/$name/log`.
 */
export interface Field {
  readonly text: string;
  /** It has unquoted `*`, `?` or `[…]`, which the shell replaces with file names. */
  readonly isPattern: boolean;
  /** An unquoted unknown part: there may be several words, or none. */
  readonly maySplit: boolean;
  /** Its place in the original text, if it occurs there. */
  readonly at?: CommandSpan;
}

export interface CommandSpan {
  readonly start: number;
  readonly end: number;
}

/** A character that no command contains. */
export const hole = "\u{10FFFD}";

export function knownField(text: string): Field {
  return { text, isPattern: false, maySplit: false };
}

export const unknown: Field = { text: hole, isPattern: false, maySplit: true };

export function isKnown({ text }: Field): boolean {
  return !text.includes(hole);
}

/** All of it, when nothing of it is in doubt. */
export function literal(field: Field): string | undefined {
  return isKnown(field) ? field.text : undefined;
}

/** For people: the text, with a blank for unknown parts. */
export function displayText({ text }: Field): string {
  return text.replaceAll(hole, "…");
}
