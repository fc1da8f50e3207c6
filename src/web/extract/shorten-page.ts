import { cut, endsInCodeBlock } from "../../base/text/text.ts";

/** The head and the tail of a long text, cut between lines where possible. */
export interface ShortenedPage {
  readonly head: string;
  readonly tail: string;
  /** Characters between them. */
  readonly omitted: number;
}

/** Undefined: the text fits. */
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

/** Without the last line if it is cut, unless that loses much. */
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

/** Pictures in the text itself would cost thousands of characters: `[IMAGE: alt]` stands for them. */
export function withoutInlineImages(markdown: string): string {
  return markdown
    .replaceAll(/!\[([^\]]{0,1000})\]\(\s*<?data:image\/[^)\s>]*>?(?:\s[^)]*)?\)/giu, (_, alt: string) =>
      imageMark(alt),
    )
    .replaceAll(/<img\b[^>]{0,2000}?src=["']?data:image\/[^>]*>/giu, (tag) =>
      imageMark(/\balt=["']([^"']*)/iu.exec(tag.slice(0, 4_000))?.[1] ?? ""),
    )
    .replaceAll(/data:image\/[\w.+-]+;base64,[A-Za-z0-9+/=]{40,}/giu, "[IMAGE]");
}

function imageMark(alt: string): string {
  return alt.trim() === "" ? "[IMAGE]" : `[IMAGE: ${alt.trim()}]`;
}
