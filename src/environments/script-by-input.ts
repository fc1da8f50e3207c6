/**
 * A script handed over on standard input, in front of the input that it is to have: it may be of any length, and what is in
 * it, such as values of variables, does not show in the list of this machine's processes.
 */
export interface SentScript {
  /** Shell code that reads the script, says `mark` on standard error, and runs it. */
  readonly reader: string;
  readonly input: Uint8Array;
}

export function scriptByInput(script: string, mark: string, stdin: Uint8Array = new Uint8Array()): SentScript {
  const bytes = Buffer.from(script);
  const read = `dd bs=${bytes.length} count=1 iflag=fullblock 2>/dev/null`;
  return {
    reader: `__hermes=$(${read}) || exit 1; printf '%s\\n' ${mark} >&2; eval "$__hermes"`,
    input: stdin.length === 0 ? bytes : Buffer.concat([bytes, stdin]),
  };
}
