/**
 * A new text for a file in the form of the old one, as far as a reader of the old text could not see that form: its byte
 * order mark, CRLF line ends when the new text has none of its own, and the end of the last line.
 */
export function inStyleOf(
  before: string | undefined,
  content: string,
): { readonly text: string; readonly kept: readonly string[] } {
  const kept: string[] = [];
  let text = content;
  if (!before || text === "") return { text, kept };
  const crlf = before.split("\r\n").length - 1;
  const lf = before.split("\n").length - 1;
  if (crlf > lf - crlf && text.includes("\n") && !text.includes("\r")) {
    text = text.replaceAll("\n", "\r\n");
    kept.push("CRLF line ends");
  }
  if (before.endsWith("\n") && !text.endsWith("\n")) {
    text += crlf > lf - crlf ? "\r\n" : "\n";
    kept.push("the end of the last line");
  }
  if (before.startsWith(bom) && !text.startsWith(bom)) {
    text = bom + text;
    kept.push("the byte order mark");
  }
  return { text, kept };
}

const bom = "\ufeff";
