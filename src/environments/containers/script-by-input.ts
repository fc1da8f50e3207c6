/**
 * A script handed over on standard input, in front of the input that it is to have: it may be of any length, and what is in
 * it, such as values of variables, does not show in the list of this machine's processes.
 */
export interface SentScript {
  /** Shell code that reads the script, says `mark` on standard error, and runs it. Of half a script nothing is run. */
  readonly reader: string;
  readonly input: Uint8Array;
}

export function scriptByInput(script: string, mark: string, stdin: Uint8Array = new Uint8Array()): SentScript {
  const bytes = Buffer.from(`${script}\n#${mark}`);
  const reader = [
    `__hermes=$(dd bs=${bytes.length} count=1 iflag=fullblock 2>/dev/null)`,
    `case $__hermes in *"#${mark}") ;; *) echo "the script did not arrive (dd iflag=fullblock)" >&2; exit 1;; esac`,
    `printf '%s\\n' ${mark} >&2; eval "$__hermes"`,
  ].join("\n");
  return { reader, input: stdin.length === 0 ? bytes : Buffer.concat([bytes, stdin]) };
}
