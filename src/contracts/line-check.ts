/** The answer of a `hermes check …` command to one line of JSON; `ok` is false when the line could not be understood. */
export interface LineAnswer {
  readonly ok: boolean;
  readonly line: string;
}

/** Never throws, whatever the line. */
export type LineCheck = (line: string) => LineAnswer;
