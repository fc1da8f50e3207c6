/**
 * One word as the program receives it, as far as it is known without running the script. Unknown parts of `text` are
 * marked as holes: `/srv/▯/log` for `/srv/$name/log`.
 */
export interface Field {
  readonly text: string;
  /** True if the word has an unquoted `*`, `?` or `[…]`, which the shell replaces by file names. */
  readonly isPattern: boolean;
  /** True if the word has an unquoted unknown part, which may become several words or none. */
  readonly maySplit: boolean;
  /** The position of the word in the original text, if it occurs there. */
  readonly at?: CommandSpan;
}

export interface CommandSpan {
  readonly start: number;
  readonly end: number;
}

/** The hole: a character that marks an unknown part of a text. No command contains this character. */
export const hole = "\u{10FFFD}";

export function knownField(text: string): Field {
  return { text, isPattern: false, maySplit: false };
}

export const unknown: Field = { text: hole, isPattern: false, maySplit: true };

export function isKnown({ text }: Field): boolean {
  return !text.includes(hole);
}

/** Returns the text if it is completely known. */
export function literal(field: Field): string | undefined {
  return isKnown(field) ? field.text : undefined;
}

/** Returns the text for people, with `…` for unknown parts. */
export function displayText({ text }: Field): string {
  return text.replaceAll(hole, "…");
}
