import { nameWords } from "./secret-name.ts";

/** Masks secrets in a text that arrives in chunks, even if a secret spans two chunks. */
export interface RedactionStream {
  /** Returns the text that is safe to show now. */
  push(piece: string): string;
  /** Returns the remaining text. */
  end(): string;
}

/**
 * Releases text when it is safe: complete words; a line that may contain a secret only as a whole; a private key when
 * it ends. With `isByLine`, only whole lines. A value on another line than its name is masked only if it looks like a
 * secret itself.
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
      // In a line without any sign of a secret so far, text is released word by word.
      const words = !isByLine() && isPlain(held) ? /^.*\s(?=\S*$)/su.exec(held)?.[0].length : undefined;
      if (words !== undefined) shown += take(words);
      return held.length > maxHeld ? shown + take(held.length) : shown;
    },
    end: () => take(held.length),
  };
}

/** The maximum size of held text, to limit memory. No secret is this long. */
const maxHeld = 64_000;

/** Returns the start of a private key that has not ended, or that may start here. */
function openKey(text: string): number | undefined {
  const start = text.lastIndexOf("-----BEGIN ");
  if (start < 0) return undefined;
  const isOther =
    /^-----BEGIN [^\n]*-----/u.test(text.slice(start, start + 80)) &&
    !/^-----BEGIN [A-Z0-9 ]*PRIVATE KEY/u.test(text.slice(start));
  return isOther || text.includes("-----END ", start) ? undefined : start;
}

/**
 * Returns whether the line contains no name, separator, quote or URL that the rest of the line could turn into a
 * secret.
 */
function isPlain(line: string): boolean {
  return (
    line.search(nameWords) < 0 &&
    !/[:=@"'`\\%<>{}\p{Cc}-]|[^\s]{40}|curl|ssh|echo|net user|identified|community/iu.test(line)
  );
}
