/** The text of a file as lines. Only LF and CRLF end a line; each keeps its own. */
export interface FileLines {
  readonly texts: readonly string[];
  /** `"\n"`, `"\r\n"`, or `""` for a last line that has none. */
  readonly ends: readonly string[];
  readonly hasBom: boolean;
}

export function splitFile(content: string): FileLines {
  const hasBom = content.startsWith(bom);
  const pieces = (hasBom ? content.slice(1) : content).split("\n");
  const last = pieces.pop() ?? "";
  const texts: string[] = [];
  const ends: string[] = [];
  for (const piece of pieces) {
    const crlf = piece.endsWith("\r");
    texts.push(crlf ? piece.slice(0, -1) : piece);
    ends.push(crlf ? "\r\n" : "\n");
  }
  if (last !== "") {
    texts.push(last);
    ends.push("");
  }
  return { texts, ends, hasBom };
}

/** A line of the result: one of the file, with its own line end, or a new one between its neighbours. */
export interface ResultLine {
  readonly text: string;
  /** Undefined or empty: the line end that is usual in the file. */
  readonly end: string | undefined;
}

/** The lines as one text again, with byte order mark and last line end as the file had them. */
export function joinFile(file: FileLines, lines: readonly ResultLine[]): string {
  const usual = usualEnd(file);
  const unended = file.ends.at(-1) === "" ? lines.length - 1 : -1;
  const body = lines.map(({ text, end }, at) => text + (at === unended ? "" : end || usual)).join("");
  return file.hasBom && !body.startsWith(bom) ? bom + body : body;
}

function usualEnd({ ends }: FileLines): string {
  const crlf = ends.filter((end) => end === "\r\n").length;
  const lf = ends.filter((end) => end === "\n").length;
  return crlf > lf ? "\r\n" : "\n";
}

const bom = "\uFEFF";
