/**
 * The text of a page: without markup, scripts and styles; headings, paragraphs and list items are on separate lines.
 */
export function webPageText(body: string, type: string): string {
  if (!/html|xml/u.test(type) && !/^\s*<(?:!doctype|html)/iu.test(body)) return body;
  const title = /<title[^<>]*>([^<]*)<\/title>/iu.exec(body)?.[1] ?? "";
  const main = body
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, "")
    .replaceAll(/<(script|style|noscript|template|svg|head)\b[\s\S]*?(?:<\/\1\s*>|$)/giu, "")
    .replaceAll(/<(?:br|hr)\b[^<>]*>/giu, "\n")
    .replaceAll(/<li\b[^<>]*>/giu, "\n- ")
    .replaceAll(/<h([1-6])\b[^<>]*>/giu, (_, level: string) => `\n\n${"#".repeat(Number(level))} `)
    .replaceAll(
      /<\/?(?:p|div|section|article|main|header|footer|nav|aside|ul|ol|table|tr|pre|blockquote|h[1-6]|form|dl|dt|dd|figure)\b[^<>]*>/giu,
      "\n",
    )
    .replaceAll(/<\/?t[dh]\b[^<>]*>/giu, "\t")
    .replaceAll(/<[^<>]*>/gu, "");
  const text = unescaped(main)
    .replaceAll(/[ \t]+/gu, " ")
    .replaceAll(" \n", "\n")
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
  return title.trim() === "" ? text : `${unescaped(title).trim()}\n\n${text}`;
}

const names: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  hellip: "…",
  mdash: "—",
  ndash: "–",
  copy: "©",
};

function unescaped(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,7})|#x([0-9a-f]{1,6})|(\w{2,8}));/giu, (whole, decimal, hex, name) => {
    if (typeof name === "string") return names[name.toLowerCase()] ?? whole;
    const code = typeof decimal === "string" ? Number(decimal) : Number.parseInt(String(hex), 16);
    return code > 0 && code <= 0x10_ffff && !(code >= 0xd800 && code <= 0xdfff) ? String.fromCodePoint(code) : "\ufffd";
  });
}
