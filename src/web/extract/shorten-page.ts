import { cut, endsInCodeBlock } from "../../base/text/text.ts";

/** The head and the tail of a long text, cut between lines where possible. */
export interface ShortenedPage {
  readonly head: string;
  readonly tail: string;
  /** The number of omitted characters between them. */
  readonly omitted: number;
}

/** Undefined if the text fits. */
export function shortenPage(text: string, maxChars: number): ShortenedPage | undefined {
  if (text.length <= maxChars) return undefined;
  const headChars = Math.floor(maxChars * 0.75);
  const head = upToLine(cut(text, headChars));
  const tailStart = text.length - (maxChars - headChars);
  const tail = fromLine(text.slice(isLowSurrogate(text, tailStart) ? tailStart + 1 : tailStart));
  const omitted = text.length - head.length - tail.length;
  return {
    head: endsInCodeBlock(head) ? `${head}\n${fence}` : head,
    tail: endsInCodeBlock(text.slice(0, text.length - tail.length)) ? `${fence}\n${tail}` : tail,
    omitted,
  };
}

const fence = "```";

/** Drops the last line if it is incomplete, unless that loses much. */
function upToLine(text: string): string {
  const end = text.lastIndexOf("\n");
  return end > text.length * 0.8 ? text.slice(0, end) : text;
}

function fromLine(text: string): string {
  const start = text.indexOf("\n");
  return start >= 0 && start < text.length * 0.2 ? text.slice(start + 1) : text;
}

function isLowSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Replaces inline images, which would cost thousands of characters, with `[IMAGE: alt]`. */
export function withoutInlineImages(markdown: string): string {
  const data = /data:image\/[\w.+-]{1,60};base64,[A-Za-z0-9+/=%\s]{0,8}[A-Za-z0-9+/=%]*/giu;
  const parts: string[] = [];
  let copied = 0;
  for (const match of markdown.matchAll(data)) {
    const dataEnd = match.index + match[0].length;
    if (match.index < copied) continue;
    const { start, end, alt } = imageAround(markdown, match.index, dataEnd, copied);
    parts.push(markdown.slice(copied, start), alt.trim() === "" ? "[IMAGE]" : `[IMAGE: ${alt.trim()}]`);
    copied = end;
  }
  return copied === 0 ? markdown : [...parts, markdown.slice(copied)].join("");
}

/** The maximum length of the markup around an image, so that any text takes linear time. */
const maxAround = 1_000;

/** The mark-up that the picture is in: `![alt](data:…)`, `<img alt="…" src="data:…">`, or nothing. */
function imageAround(
  text: string,
  dataStart: number,
  dataEnd: number,
  min: number,
): { readonly start: number; readonly end: number; readonly alt: string } {
  const before = text.slice(Math.max(min, dataStart - maxAround), dataStart);
  const after = text.slice(dataEnd, dataEnd + maxAround);
  const opened = before.lastIndexOf("![");
  if (opened >= 0 && /\]\(\s?<?$/u.test(before)) {
    const close = after.indexOf(")");
    const alt = before.slice(opened + 2, before.lastIndexOf("]("));
    if (close >= 0 && close < 200) return { start: dataStart - before.length + opened, end: dataEnd + close + 1, alt };
  }
  const tag = before.toLowerCase().lastIndexOf("<img");
  const close = after.indexOf(">");
  if (tag >= 0 && close >= 0 && !before.slice(tag).includes(">")) {
    const attributes = `${before.slice(tag)} ${after.slice(0, close)}`;
    const [, alt = ""] = /\balt=["']([^"']*)/iu.exec(attributes) ?? [];
    return { start: dataStart - before.length + tag, end: dataEnd + close + 1, alt };
  }
  return { start: dataStart, end: dataEnd, alt: "" };
}
