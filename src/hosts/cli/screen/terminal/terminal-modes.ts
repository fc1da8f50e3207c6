/**
 * Turns automatic wrapping off, so that rows that were written for a wider window, or whose width the terminal counts
 * differently, still take one row.
 */
export const modesOn = "\x1b[?2004h\x1b[?1004h\x1b[?7l";
export const modesOff = "\x1b[?2004l\x1b[?1004l\x1b[?7h\x1b[?25h\x1b[0m";
/** Kitty keyboard: distinguishes keys and reports those of the standard layout. */
export const kittyOn = "\x1b[>5u";
export const kittyOff = "\x1b[<u";
export const otherKeysOn = "\x1b[>4;2m";
export const otherKeysOff = "\x1b[>4m";
export const askCursor = "\x1b[6n";
/** Queries the window width: moves to the last column and asks for the position. */
export const askWidth = `\x1b[999G${askCursor}\r`;

/** Queries what the terminal supports. Every terminal answers the last query. */
export function askFeatures(asksBackground: boolean): string {
  return `\x1b[?u\x1b[?2026$p\x1b[>c${asksBackground ? "\x1b]11;?\x1b\\" : ""}\x1b[c`;
}
