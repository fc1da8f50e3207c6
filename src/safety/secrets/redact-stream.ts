import { nameWords } from "./secret-name.ts";

/** Hides secrets in a text that arrives in pieces: the parts of one that was cut in two are never shown. */
export interface RedactionStream {
  /** Returns the text that is safe to show now. */
  push(piece: string): string;
  /** Returns the rest. */
  end(): string;
}

/**
 * Words are shown as they are complete, a line that may hold a secret as a whole, a private key when it has ended;
 * with `isByLine` every line as a whole. A value on another line than its name is hidden only if it looks like a secret by itself.
 */
export function redactStream(redact: (text: string) => string, isByLine: () => boolean): RedactionStream {
  let held = "";

  function take(length: number): string {
    const shown = redact(held.slice(0, length));
    held = held.slice(length);
    return shown;
  }

  return {
    push(piece) {
      held += piece;
      const key = openKey(held);
      const lines = key ?? held.lastIndexOf("\n") + 1;
      let shown = lines > 0 ? take(lines) : "";
      if (key !== undefined) return held.length > maxHeld ? shown + take(held.length) : shown;
      // Blanks part the words of a line in which nothing says secret, as far as it has come.
      const words = !isByLine() && isPlain(held) ? /^.*\s(?=\S*$)/su.exec(held)?.[0].length : undefined;
      if (words !== undefined) shown += take(words);
      return held.length > maxHeld ? shown + take(held.length) : shown;
    },
    end: () => take(held.length),
  };
}

/** So that memory has a bound; no secret is so long. */
const maxHeld = 64_000;

/** Where a private key begins that has not ended yet, or may begin. */
function openKey(text: string): number | undefined {
  const start = text.lastIndexOf("-----BEGIN ");
  if (start < 0) return undefined;
  const isOther =
    /^-----BEGIN [^\n]*-----/u.test(text.slice(start, start + 80)) &&
    !/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY/u.test(text.slice(start));
  return isOther || text.includes("-----END ", start) ? undefined : start;
}

/** A name, a sign, a quote or an address that the rest of the line may complete. */
function isPlain(line: string): boolean {
  return (
    line.search(nameWords) < 0 &&
    !/[:=@"'`\\%<>{}\p{Cc}-]|[^\s]{40}|curl|ssh|echo|net user|identified|community/iu.test(line)
  );
}
