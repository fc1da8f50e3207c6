/** Key presses as the line editor sees them. */
export type Typed =
  | { readonly kind: "keys"; readonly bytes: Uint8Array }
  | { readonly kind: "pasted"; readonly text: string }
  /** A line break within the input: Alt-Enter, Shift-Enter. */
  | { readonly kind: "newline" }
  | { readonly kind: "interrupt" }
  | { readonly kind: "end" };

/** Parses bytes of a terminal in raw mode. Pasted text arrives as a whole, however the bytes were split. */
export interface KeyReader {
  read(bytes: Uint8Array): readonly Typed[];
  /** True: the last bytes may be the start of a longer sequence. If nothing follows, `rest` returns them. */
  readonly isWaiting: boolean;
  rest(): readonly Typed[];
}

export function createKeyReader(): KeyReader {
  /** The start of an incomplete sequence. */
  let incomplete = "";
  let pasted: string | undefined;

  function plain(text: string, result: Typed[]): void {
    let keys = "";
    const flush = () => {
      if (keys !== "") result.push({ kind: "keys", bytes: Buffer.from(keys, "latin1") });
      keys = "";
    };
    for (let offset = 0; offset < text.length;) {
      const newline = newlines.find((each) => text.startsWith(each, offset));
      const control = newline ? "newline" : controls[text[offset] ?? ""];
      if (control) {
        flush();
        result.push({ kind: control });
      } else keys += text[offset];
      offset += newline?.length ?? 1;
    }
    flush();
  }

  return {
    read(bytes) {
      const keys: Typed[] = [];
      let text = incomplete + Buffer.from(bytes).toString("latin1");
      incomplete = "";
      while (text !== "") {
        if (pasted !== undefined) {
          const end = text.indexOf(pasteEnd);
          if (end < 0) {
            incomplete = beginningOf(pasteEnd, text);
            pasted = (pasted + text.slice(0, text.length - incomplete.length)).slice(0, maxPastedBytes);
            return keys;
          }
          keys.push({ kind: "pasted", text: decoded(pasted + text.slice(0, end)) });
          pasted = undefined;
          text = text.slice(end + pasteEnd.length);
          continue;
        }
        const start = text.indexOf(pasteStart);
        if (start < 0) {
          incomplete = beginningOf(pasteStart, text);
          plain(text.slice(0, text.length - incomplete.length), keys);
          return keys;
        }
        plain(text.slice(0, start), keys);
        pasted = "";
        text = text.slice(start + pasteStart.length);
      }
      return keys;
    },
    get isWaiting() {
      return incomplete !== "" && pasted === undefined;
    },
    rest() {
      const keys: Typed[] = [];
      if (pasted === undefined) {
        plain(incomplete, keys);
        incomplete = "";
      }
      return keys;
    },
  };
}

/** The typed text as lines, without trailing line ends. */
export function typedLines(keys: readonly Typed[]): readonly string[] {
  const texts = keys.map((each) => {
    if (each.kind === "keys") return Buffer.from(each.bytes).toString("utf8");
    return each.kind === "pasted" ? each.text : each.kind === "newline" ? "\n" : "";
  });
  return texts
    .join("")
    .replace(/(?<![\r\n])[\r\n]+$/u, "")
    .split(/\r\n?|\n/u);
}

const maxPastedBytes = 4_000_000;
const pasteStart = "\x1b[200~";
const pasteEnd = "\x1b[201~";
/** Alt-Enter, and Shift-Enter from terminals that distinguish it from Enter. */
const newlines = ["\x1b\r", "\x1b\n", "\x1b[13;2u", "\x1b[27;2;13~"];
const controls: Readonly<Record<string, "interrupt" | "end">> = { "\x03": "interrupt", "\x04": "end" };

/** The longest suffix of the text that may be the start of the mark. */
function beginningOf(mark: string, text: string): string {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--) {
    const end = text.slice(-length);
    if (mark.startsWith(end)) return end;
  }
  return "";
}

/** Decodes pasted text: normalizes line ends, and treats nothing in it as a key. */
function decoded(latin: string): string {
  return Buffer.from(latin, "latin1").toString("utf8").replaceAll(/\r\n?/gu, "\n").replaceAll(controlCharacters, "");
}

// oxlint-disable-next-line no-control-regex -- control characters are what it takes out
const controlCharacters = /[\0-\x08\x0b-\x1f\x7f]/gu;

/** A larger chunk is pasted, not typed; drawing the line for each character would take too long. */
const typedAtOnceBytes = 256;

/**
 * Splits input into single characters: readline draws only the last of several correctly, and a wrapped line would be
 * wrong. A tab between other characters is text and does not trigger completion.
 */
export function splitKeys(bytes: Buffer): readonly Buffer[] {
  const typed = bytes.length > typedAtOnceBytes ? "" : bytes.toString("utf8");
  if (typed === "" || /[\t\ufffd]/u.test(typed)) return [bytes];
  return Array.from(typed, (char) => Buffer.from(char));
}
