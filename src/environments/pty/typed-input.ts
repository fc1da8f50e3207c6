/** All of a command's input as it is typed. It ends with Ctrl-D: once at the start of a line, twice within one. */
export function typedWhole(bytes: Uint8Array): Uint8Array {
  const last = bytes.at(-1) ?? newline;
  const isAtStart = last === newline || last === carriageReturn;
  return Buffer.concat([bytes, Uint8Array.from(isAtStart ? [endOfInput] : [endOfInput, endOfInput])]);
}

const newline = 10;
const carriageReturn = 13;
const endOfInput = 4;
