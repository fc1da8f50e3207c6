/** The complete input of a command as keystrokes. Ctrl-D ends it: once at the start of a line, twice within a line. */
export function typedInput(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1) ?? newline;
  const isAtStart = last === newline || last === carriageReturn;
  return Buffer.concat([bytes, Uint8Array.from(isAtStart ? [endOfInput] : [endOfInput, endOfInput])]);
}

const newline = 10;
const carriageReturn = 13;
const endOfInput = 4;
