import type { ExtractedText } from "./extracted-text.ts";
import { type Relation, readPart, relationsOf } from "./package-parts.ts";
import { createWordFlow } from "./word-flow.ts";
import { readWordNumbering } from "./word-numbering.ts";
import { readWordStyles } from "./word-styles.ts";
import type { ZipArchive } from "./zip-archive.ts";

/** A Word document as Markdown: headings, lists, tables, links, notes and comments. Tracked changes as if accepted. */
export function wordText(zip: ZipArchive, main: string, out: ExtractedText): void {
  const relations = relationsOf(zip, main);
  const parts = [...relations.values()];
  const named = (type: string) => parts.find((part) => part.type === type && !part.isExternal)?.target ?? "";
  const styles = readWordStyles(zip, named("styles"));
  const numbering = readWordNumbering(zip, named("numbering"));
  const read = (part: string, links: ReadonlyMap<string, Relation>, to: ExtractedText) =>
    readPart(zip, part, createWordFlow({ styles, numbering, links, out: to }));

  if (!read(main, relations, out)) out.note(damaged);
  for (const type of ["footnotes", "endnotes", "comments"]) {
    const part = named(type);
    if (part === "") continue;
    out.gap();
    if (!read(part, relationsOf(zip, part), out)) out.note(damaged);
  }
  const edges = new Set<string>();
  for (const { type, target } of parts) {
    if (type !== "header" && type !== "footer") continue;
    const lines: string[] = [];
    const collect: ExtractedText = { ...out, line: (text) => void lines.push(text), gap() {} };
    read(target, relationsOf(zip, target), collect);
    const text = lines.join(" ").trim();
    if (text !== "" && !edges.has(text)) {
      if (edges.size === 0) out.gap();
      edges.add(text);
      out.line(`[${type}: ${text}]`);
    }
  }
}

const damaged = "The document is damaged: text may be missing.";
