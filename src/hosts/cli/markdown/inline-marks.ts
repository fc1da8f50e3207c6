import type { Paint } from "../paint.ts";

/**
 * The marks within a line: code, strong and emphasised words, links. Every word has its own colours, so that a line can
 * be broken anywhere between words. Without colours the marks stay, except those of links.
 */
export function paintInline(text: string, paint: Paint): string {
  return text.replaceAll(marks, (mark, ...rest) => {
    const groups = rest.at(-1) as Readonly<Record<string, string | undefined>>;
    const { code, strong, word, emphasis, under, struck, label, url, address } = groups;
    if (url !== undefined) return link(label ?? "", url, paint);
    if (address !== undefined) return each(address, paint.underline);
    if (!paint.isColoured) return mark;
    if (code !== undefined) return each(code.replace(/^ (?<inner>.+) $/u, "$<inner>"), paint.accent);
    if (strong !== undefined) return each(strong, (part) => paint.bold(paint.italic(part)));
    if (word !== undefined) return each(paintInline(word, paint), paint.bold);
    if (struck !== undefined) return each(struck, paint.dim);
    return each(emphasis ?? under ?? "", paint.italic);
  });
}

const marks = new RegExp(
  [
    /(?<ticks>`{1,2})(?!`)(?<code>.+?)(?<!`)\k<ticks>(?!`)/u,
    /!?\[(?<label>[^\]\n]*)\]\((?<url>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?: "[^"]*")?\)/u,
    /<(?<address>https?:\/\/[^\s<>]+)>/u,
    /\*\*\*(?=\S)(?<strong>[^*]+?)(?<=\S)\*\*\*/u,
    /\*\*(?=\S)(?<word>.+?)(?<=\S)\*\*/u,
    /~~(?=\S)(?<struck>[^~]+?)(?<=\S)~~/u,
    /(?<![\w*])\*(?=[^\s*])(?<emphasis>[^*]*?[^\s*])\*(?![\w*])/u,
    /(?<![\w_])_(?=[^\s_])(?<under>[^_]*?[^\s_])_(?![\w_])/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);

function link(label: string, url: string, paint: Paint): string {
  const shown = label === "" || label === url ? "" : each(label, paint.underline);
  return shown === "" ? paint.underline(url) : `${shown} ${paint.dim(`(${url})`)}`;
}

function each(text: string, style: (word: string) => string): string {
  return text.replaceAll(/[^ ]+/gu, style);
}
