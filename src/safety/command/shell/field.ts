/**
 * One word as a program gets it, as far as it can be known without running anything. Where something is not known, `text`
 * has a hole: `/srv/▯/log` for `/srv/$name/log`.
 */
export interface Field {
  readonly text: string;
  /** It has unquoted `*`, `?` or `[…]`: the shell puts names of files in its place. */
  readonly isPattern: boolean;
  /** A hole that was not quoted: there may be more words than this one, or none. */
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

/** For people: what stands there, with a blank for what is not known. */
export function shown({ text }: Field): string {
  return text.replaceAll(hole, "…");
}
