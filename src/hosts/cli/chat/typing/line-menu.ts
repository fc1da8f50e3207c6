/** Rows above the input line that keys change while a question waits. */
export interface LineMenu {
  /** The rows for the text typed so far. Each fits one row of the terminal. */
  rows(line: string): readonly string[];
  /** Handles a key. False: it belongs to the line. */
  press(key: string, line: string): boolean;
  /** Handles Enter. False: this is not an answer, and the rows say why. */
  submit(line: string): boolean;
  /** Called when the user declined, or when the question was withdrawn. */
  decline(): void;
}

export const escapeKey = "\x1b";

/** Splits input into keys: sequences, control characters, digits, and the other bytes (Latin-1) between them. */
export function pressedKeys(bytes: Uint8Array): readonly string[] {
  const text = Buffer.from(bytes).toString("latin1");
  return text.match(sequences) ?? [];
}

// oxlint-disable-next-line no-control-regex -- the keys of a terminal are control characters
const sequences = /\x1b(?:\[[0-9;]*[~A-Za-z]|O[A-Z])|[\0-\x20,0-9\x7f]|[^\0-\x20,0-9\x7f]+/gu;
