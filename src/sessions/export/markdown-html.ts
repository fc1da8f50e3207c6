import { escapeHtml } from "./escape-html.ts";

/**
 * Renders untrusted Markdown as HTML: headings, lists, quotes, tables, code, emphasis, web links. Everything else,
 * including HTML, becomes text. Nothing is loaded: an image becomes a link. Runs in linear time.
 */
export function markdownHtml(text: string): string {
  return blocks(
    text
      .replaceAll("\r\n", "\n")
      .replaceAll(/[\ue000\ue001]/gu, "")
      .split("\n"),
    0,
  );
}

/** The maximum nesting of quotes and lists. Deeper levels are plain text. */
const deepest = 6;

function blocks(lines: readonly string[], depth: number): string {
  const out: string[] = [];
  let offset = 0;
  while (offset < lines.length) {
    const line = lines[offset] ?? "";
    const block = line.trim() === "" ? { html: "", next: offset + 1 } : blockAt(lines, offset, depth);
    out.push(block.html);
    offset = Math.max(block.next, offset + 1);
  }
  return out.join("");
}

interface Block {
  readonly html: string;
  readonly next: number;
}

function blockAt(lines: readonly string[], index: number, depth: number): Block {
  const line = lines[index] ?? "";
  const fence = /^ {0,3}(`{3,}|~{3,})\s*([^`\s]{0,40})/u.exec(line);
  if (fence) return code(lines, index, fence[1] ?? "```", fence[2] ?? "");
  const heading = /^ {0,3}(#{1,6})\s+(.*)$/u.exec(line);
  if (heading) {
    // Headings in the text are placed below the headings of the page.
    const level = Math.min(6, (heading[1]?.length ?? 1) + 2);
    return { html: `<h${level}>${inline((heading[2] ?? "").replace(/\s#+\s*$/u, ""))}</h${level}>\n`, next: index + 1 };
  }
  if (/^ {0,3}(?:-\s?-\s?-[-\s]*|\*\s?\*\s?\*[*\s]*|_\s?_\s?_[_\s]*)$/u.test(line))
    return { html: "<hr>\n", next: index + 1 };
  if (depth < deepest && quoteMark.test(line)) return quote(lines, index, depth);
  if (depth < deepest && listMark.test(line)) return list(lines, index, depth);
  if (line.includes("|") && /^[\s|:-]*-[\s|:-]*$/u.test(lines[index + 1] ?? "")) return table(lines, index);
  return paragraph(lines, index, depth);
}

const quoteMark = /^ {0,3}>\s?/u;
const listMark = /^( *)(?:[-*+]|(\d{1,9})[.)])\s+/u;

function code(lines: readonly string[], index: number, mark: string, language: string): Block {
  const isEnd = (line: string) => line.trim().startsWith(mark) && /^[`~\s]+$/u.test(line);
  let end = index + 1;
  while (end < lines.length && !isEnd(lines[end] ?? "")) end++;
  const label = language === "" ? "" : ` data-language="${escapeHtml(language)}"`;
  const text = escapeHtml(lines.slice(index + 1, end).join("\n"));
  return { html: `<pre${label}><code>${text}</code></pre>\n`, next: end + 1 };
}

function quote(lines: readonly string[], index: number, depth: number): Block {
  let end = index;
  while (end < lines.length && quoteMark.test(lines[end] ?? "")) end++;
  const inner = lines.slice(index, end).map((line) => line.replace(quoteMark, ""));
  return { html: `<blockquote>${blocks(inner, depth + 1)}</blockquote>\n`, next: end };
}

function list(lines: readonly string[], index: number, depth: number): Block {
  const [, indent = "", first] = listMark.exec(lines[index] ?? "") ?? [];
  const items: string[][] = [];
  let end = index;
  for (; end < lines.length; end++) {
    const line = lines[end] ?? "";
    const mark = listMark.exec(line);
    if (mark && (mark[1]?.length ?? 0) <= indent.length + 1) {
      if ((mark[2] === undefined) !== (first === undefined)) break;
      items.push([line.slice(mark[0].length)]);
    } else if (line.trim() === "") {
      const next = lines[end + 1] ?? "";
      if (next.trim() === "" || !(/^\s{2,}/u.test(next) || listMark.test(next))) break;
      items.at(-1)?.push("");
    } else if (/^\s{2,}/u.test(line)) items.at(-1)?.push(line.slice(Math.min(indent.length + 2, leading(line))));
    else break;
  }
  const tag = first === undefined ? "ul" : "ol";
  const start = first === undefined || first === "1" ? "" : ` start="${Number(first)}"`;
  const html = items.map((item) => `<li>${itemHtml(item, depth)}</li>`).join("");
  return { html: `<${tag}${start}>${html}</${tag}>\n`, next: end };
}

function itemHtml(lines: readonly string[], depth: number): string {
  const [first = "", ...rest] = lines;
  const isSimple = rest.every((line) => line.trim() !== "" && !listMark.test(line) && !/^\s*[`~>|]/u.test(line));
  if (isSimple) return inline([first, ...rest.map((line) => line.trim())].join("\n"));
  return `${inline(first)}${blocks(rest, depth + 1)}`;
}

function leading(line: string): number {
  return line.length - line.trimStart().length;
}

function table(lines: readonly string[], index: number): Block {
  let end = index + 2;
  while (end < lines.length && (lines[end] ?? "").includes("|")) end++;
  const row = (line: string, tag: string) =>
    `<tr>${cells(line)
      .map((cell) => `<${tag}>${inline(cell)}</${tag}>`)
      .join("")}</tr>`;
  const body = lines.slice(index + 2, end).map((line) => row(line, "td"));
  const html = `<div class="wide"><table><thead>${row(lines[index] ?? "", "th")}</thead><tbody>${body.join("")}</tbody></table></div>\n`;
  return { html, next: end };
}

function cells(line: string): readonly string[] {
  return line
    .trim()
    .replace(/^\|/u, "")
    .replace(/\|$/u, "")
    .split("|")
    .map((cell) => cell.trim());
}

function paragraph(lines: readonly string[], index: number, depth: number): Block {
  let end = index + 1;
  while (end < lines.length && !endsParagraph(lines[end] ?? "", depth)) end++;
  return { html: `<p>${inline(lines.slice(index, end).join("\n"))}</p>\n`, next: end };
}

function endsParagraph(line: string, depth: number): boolean {
  if (line.trim() === "" || /^ {0,3}(?:#{1,6}\s|`{3}|~{3})/u.test(line)) return true;
  return depth < deepest && (quoteMark.test(line) || /^ {0,3}(?:[-*+]|1[.)])\s+/u.test(line));
}

/** The maximum length of a paragraph. Longer ones are shown unformatted. */
const max = 10_000;

function inline(text: string): string {
  if (text.length > max) return escapeHtml(text);
  const kept: string[] = [];
  const keep = (html: string) => `\ue000${kept.push(html) - 1}\ue001`;
  const held = text.replaceAll(
    /(`{1,3})([^`\n]{1,2000})\1|(!?)\[([^[\]\n]{0,500})\]\(<?((?:https?:\/\/|mailto:)[^\s()<>]{1,2000}(?:\([^\s()<>]{0,200}\))?[^\s()<>]{0,500})>?(?:\s+"[^"\n]{0,200}")?\)|\bhttps?:\/\/[^\s<>()[\]`"'*|]{1,2000}/gu,
    (whole, ticks: string | undefined, span: string | undefined, isImage, label: string | undefined, url) => {
      if (ticks !== undefined) return keep(`<code>${escapeHtml((span ?? "").trim())}</code>`);
      if (typeof url === "string") return keep(link(url, (isImage ? "🖼 " : "") + (label || url)));
      const bare = whole.replace(/[.,;:!?]+$/u, "");
      return keep(link(bare, bare)) + whole.slice(bare.length);
    },
  );
  return emphasis(escapeHtml(held))
    .replaceAll("\n", "<br>\n")
    .replaceAll(/\ue000(\d{1,5})\ue001/gu, (_, index: string) => kept[Number(index)] ?? "");
}

function link(url: string, label: string): string {
  return `<a href="${escapeHtml(url)}" rel="noopener noreferrer nofollow">${escapeHtml(label)}</a>`;
}

function emphasis(html: string): string {
  return html
    .replaceAll(/\*\*([^*\n]{1,2000})\*\*/gu, "<strong>$1</strong>")
    .replaceAll(/(?<![\w*])\*(?![\s*])([^*\n]{1,2000})\*(?![\w*])/gu, "<em>$1</em>")
    .replaceAll(/(?<!\w)_(?![\s_])([^_\n]{1,2000})_(?!\w)/gu, "<em>$1</em>")
    .replaceAll(/~~([^~\n]{1,2000})~~/gu, "<del>$1</del>");
}
