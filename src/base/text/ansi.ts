/**
 * Text without terminal control: removes ECMA-48 escape sequences in their 7-bit and 8-bit forms, resolves
 * overstriking, and drops control characters other than tab and line ends. Shows NUL as ␀. Drops only the introducer of
 * an endless sequence. Linear in the length of the text.
 */
export function plainText(text: string): string {
  if (!controls.test(text)) return text;
  return text.replace(sequences, "").replace(overstruck, "").replaceAll("\0", "␀").replace(leftOvers, "");
}

/* oxlint-disable no-control-regex -- this file removes control characters */
const controls = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/u;
const sequences = new RegExp(
  [
    // OSC: titles, links, clipboard. Matched only within one line, so that a stray introducer hides nothing.
    /(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)/u,
    // DCS, SOS, PM, APC: pictures, private data.
    /(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)/u,
    // CSI: colours, movement. An unfinished sequence at the end of the text is removed too.
    /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?/u,
    // Character set selection and similar sequences, then sequences of two characters.
    /\x1b[ -/]+[0-~]?/u,
    /\x1b[0-~]?/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);
/** Bold and underlined text in the overstriking form that `man` prints. */
const overstruck = /[^\n\x08]\x08/gu;
const leftOvers = /[\x01-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/gu;
