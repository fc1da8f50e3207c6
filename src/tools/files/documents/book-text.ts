import { dirname, join } from "node:path/posix";

import { valueOr } from "../../../base/result.ts";
import { type ExtractedText, tableRow } from "./extracted-text.ts";
import { readXml, type XmlEvents } from "./xml-events.ts";
import { readPart, type ZipArchive } from "./zip-archive.ts";

/** Extracts the chapters of an EPUB book in reading order. */
export function bookText(zip: ZipArchive, out: ExtractedText): void {
  let list = "";
  readPart(zip, "META-INF/container.xml", {
    open(name, tag) {
      if (name === "rootfile" && list === "") list = tag.attribute("full-path") ?? "";
    },
  });
  const items = new Map<string, string>();
  const order: string[] = [];
  let isWhole = readPart(zip, list, {
    open(name, tag) {
      if (name === "item") items.set(tag.attribute("id") ?? "", tag.attribute("href") ?? "");
      if (name === "itemref") order.push(tag.attribute("idref") ?? "");
    },
  });
  for (const id of order) {
    const chapter = zip.read(join(dirname(list), unescaped(items.get(id) ?? "")));
    if (chapter === undefined) isWhole = false;
    else isWhole = readXml(chapter, pageText(out), entities) && isWhole;
  }
  if (!isWhole) out.note("The book is damaged: text may be missing.");
}

function pageText(out: ExtractedText): XmlEvents {
  let text = "";
  let before = "";
  let hidden = 0;
  let row: string[] | undefined;

  function end(): void {
    const line = text.replace(/[^\S\n]+/gu, " ").trim();
    text = "";
    if (line === "") return;
    if (before !== "- ") out.gap();
    out.line(before + line);
    before = "";
  }

  return {
    open(name, tag) {
      if (hidden > 0 || name === "head" || name === "script" || name === "style") hidden++;
      else if (name === "br") text += "\n";
      else if (name === "img") text += `[picture${tag.attribute("alt") ? `: ${tag.attribute("alt")}` : ""}]`;
      else if (name === "tr") {
        end();
        row = [];
      } else if (blocks.has(name) && !row) {
        end();
        if (name === "li") before = "- ";
        else if (/^h[1-6]$/u.test(name)) before = `${"#".repeat(Number(name[1]))} `;
      }
    },
    close(name) {
      if (hidden > 0) hidden--;
      else if (row && (name === "td" || name === "th")) {
        row.push(text.replace(/\s+/gu, " ").trim());
        text = "";
      } else if (row && name === "tr") {
        out.line(tableRow(row));
        row = undefined;
      } else if (blocks.has(name) && !row) end();
    },
    text(part) {
      if (hidden === 0) text += part.replace(/\s+/gu, " ");
    },
  };
}

function unescaped(href: string): string {
  return valueOr(() => decodeURIComponent(href), href);
}

const blocks: ReadonlySet<string> = new Set(
  "address article aside blockquote body dd div dl dt figcaption figure footer h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table ul".split(
    " ",
  ),
);
/** HTML entities that books use. */
const entities: Readonly<Record<string, string>> = {
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  ndash: "–",
  mdash: "—",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  laquo: "«",
  raquo: "»",
  hellip: "…",
  bull: "•",
  middot: "·",
  shy: "",
  deg: "°",
  times: "×",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  Auml: "Ä",
  Ouml: "Ö",
  Uuml: "Ü",
  szlig: "ß",
};
