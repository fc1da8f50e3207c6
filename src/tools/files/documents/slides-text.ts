import { type ExtractedText, tableRow } from "./extracted-text.ts";
import type { XmlEvents } from "./xml-events.ts";
import { readPart, relationsOf, type ZipArchive } from "./zip-archive.ts";

/** Extracts the slides of a PowerPoint presentation in their order, with their notes. */
export function slidesText(zip: ZipArchive, main: string, out: ExtractedText): void {
  const relations = relationsOf(zip, main);
  const slides: string[] = [];
  let isWhole = readPart(zip, main, {
    open(name, tag) {
      const part = name === "sldId" ? relations.get(tag.attribute("id") ?? "") : undefined;
      if (part) slides.push(part.target);
    },
  });
  for (const [index, slide] of slides.entries()) {
    const lines: string[] = [];
    const facts = { isHidden: false };
    isWhole = readPart(zip, slide, drawnText(lines, facts)) && isWhole;
    out.gap();
    out.line(`## Slide ${index + 1} of ${slides.length}${facts.isHidden ? " (hidden)" : ""}`);
    for (const line of lines) out.line(line);
    for (const { type, target } of relationsOf(zip, slide).values()) {
      if (type !== "notesSlide") continue;
      const notes: string[] = [];
      readPart(zip, target, drawnText(notes, { isHidden: false }));
      // A notes page repeats the number of its slide.
      const message = notes.filter((line) => line.trim() !== "" && line.trim() !== String(index + 1));
      if (message.length > 0) out.line(`Notes: ${message.join(" ")}`);
    }
  }
  if (!isWhole) out.note("The presentation is damaged: text may be missing.");
}

/** Extracts paragraphs and tables of DrawingML. */
function drawnText(lines: string[], facts: { isHidden: boolean }): XmlEvents {
  let text = "";
  let level = 0;
  let isText = false;
  let hidden = 0;
  let row: string[] | undefined;
  let cell: string[] = [];
  return {
    open(name, tag) {
      if (hidden > 0 || name === "Fallback") hidden++;
      else if (name === "sld") facts.isHidden = /^(?:0|false)$/u.test(tag.attribute("show") ?? "1");
      else if (name === "tr") row = [];
      else if (name === "tc") cell = [];
      else if (name === "p") {
        text = "";
        level = 0;
      } else if (name === "pPr") level = Math.min(8, Number(tag.attribute("lvl") ?? 0) || 0);
      else if (name === "br") text += " ";
      else if (name === "t") isText = true;
      else if (name === "cNvPr" && tag.attribute("descr")) lines.push(`[picture: ${tag.attribute("descr")}]`);
    },
    close(name) {
      if (hidden > 0) hidden--;
      else if (name === "t") isText = false;
      else if (name === "tc") row?.push(cell.join("\n"));
      else if (name === "tr") {
        lines.push(tableRow(row ?? []));
        row = undefined;
      } else if (name === "p" && text.trim() !== "") {
        if (row) cell.push(text.trim());
        else lines.push("  ".repeat(level) + text.trim());
      }
    },
    text(part) {
      if (isText && hidden === 0) text += part;
    },
  };
}
