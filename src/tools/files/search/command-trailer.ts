/** What a command said at its end: after the output comes NUL, the exit code, NUL, its messages. */
export interface Trailer {
  readonly exitCode: number;
  readonly messages: string;
}

/** The command with a trailer. Its messages are kept apart, so that they do not get between the output. */
export function withTrailer(command: string): string {
  return `{ e=$(${command} 2>&1 1>&3 3>&-); c=$?; printf '\\0%s\\0%.20000s' "$c" "$e"; } 3>&1`;
}

/** Paths that each end in NUL, bytes, one to a character, then the trailer. */
export function readPaths(bytes: Buffer): { readonly paths: readonly string[]; readonly trailer: Trailer | undefined } {
  const paths: string[] = [];
  let from = 0;
  for (let nul = bytes.indexOf(0); nul >= 0; nul = bytes.indexOf(0, from)) {
    if (nul === from) return { paths, trailer: readTrailer(bytes.subarray(from)) };
    paths.push(bytes.toString("latin1", from, nul));
    from = nul + 1;
  }
  return { paths, trailer: undefined };
}

export function readTrailer(bytes: Uint8Array): Trailer | undefined {
  const [, code, ...messages] = Buffer.from(bytes).toString().split("\0");
  return code === undefined || messages.length === 0
    ? undefined
    : { exitCode: Number(code), messages: messages.join("\0") };
}
