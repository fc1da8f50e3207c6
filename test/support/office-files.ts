import { zipFile, zipOf } from "./zip-file.ts";

const xml = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const types = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** Relations: `rId1` and on, each a type and a target; an address is external. */
function relations(...list: readonly (readonly [type: string, target: string])[]): string {
  const each = list.map(
    ([type, target], index) =>
      `<Relationship Id="rId${index + 1}" Type="${types}/${type}" Target="${target}"${target.includes("://") ? ' TargetMode="External"' : ""}/>`,
  );
  return `${xml}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${each.join("")}</Relationships>`;
}

const word = (tag: string, body: string) =>
  `${xml}<w:${tag} xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="${types}" xmlns:mc="m" xmlns:wp="wp" xmlns:a="a">${body}</w:${tag}>`;

/** A Word document with this body (WordprocessingML), with styles, numbering, notes and comments as Word has them. */
export function docx(body: string, more: Readonly<Record<string, string>> = {}): Uint8Array {
  return zipOf({
    "[Content_Types].xml": `${xml}<Types/>`,
    "_rels/.rels": relations(["officeDocument", "word/document.xml"]),
    "word/document.xml": word("document", `<w:body>${body}<w:sectPr/></w:body>`),
    "word/_rels/document.xml.rels": relations(
      ["styles", "styles.xml"],
      ["numbering", "numbering.xml"],
      ["footnotes", "footnotes.xml"],
      ["hyperlink", "https://example.org/a"],
      ["header", "header1.xml"],
      ["comments", "comments.xml"],
    ),
    "word/styles.xml": word(
      "styles",
      '<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/><w:pPr><w:outlineLvl w:val="0"/></w:pPr></w:style>' +
        '<w:style w:styleId="Sub"><w:name w:val="My heading"/><w:basedOn w:val="H2"/></w:style>' +
        '<w:style w:styleId="H2"><w:name w:val="heading 2"/></w:style>',
    ),
    "word/numbering.xml": word(
      "numbering",
      '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="bullet"/><w:lvlText w:val="·"/></w:lvl></w:abstractNum>' +
        '<w:abstractNum w:abstractNumId="8"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>' +
        '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>' +
        '<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="8"/></w:num>',
    ),
    "word/footnotes.xml": word(
      "footnotes",
      '<w:footnote w:type="separator" w:id="-1"><w:p><w:r><w:t>LINE</w:t></w:r></w:p></w:footnote>' +
        '<w:footnote w:id="2"><w:p><w:r><w:footnoteRef/></w:r><w:r><w:t>See the annex.</w:t></w:r></w:p></w:footnote>',
    ),
    "word/header1.xml": word("hdr", "<w:p><w:r><w:t>Draft</w:t></w:r></w:p>"),
    "word/comments.xml": word(
      "comments",
      '<w:comment w:id="5" w:author="Ada"><w:p><w:r><w:t>Really?</w:t></w:r></w:p></w:comment>',
    ),
    ...more,
  });
}

/** Runs of a paragraph as Word writes them: one word may be in several. */
export function wordParagraph(runs: readonly string[], properties = ""): string {
  const each = runs.map((text) => `<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`).join("");
  return `<w:p>${properties && `<w:pPr>${properties}</w:pPr>`}${each}</w:p>`;
}

/**
 * A workbook: the rows of its first sheet, of a hidden second one, and its texts. Styles: 1 date, 2 date and time, 3
 * percent.
 */
export function xlsx(
  rows: string,
  { strings = [], hidden = "" }: { readonly strings?: readonly string[]; readonly hidden?: string } = {},
): Uint8Array {
  const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
  const sheet = (data: string) => `${xml}<worksheet ${main}><sheetData>${data}</sheetData></worksheet>`;
  return zipOf({
    "_rels/.rels": relations(["officeDocument", "xl/workbook.xml"]),
    "xl/workbook.xml": `${xml}<workbook ${main} xmlns:r="${types}"><workbookPr/><sheets><sheet name="Sales &amp; more" sheetId="4" r:id="rId1"/><sheet name="Keys" sheetId="9" state="hidden" r:id="rId2"/></sheets></workbook>`,
    "xl/_rels/workbook.xml.rels": relations(
      ["worksheet", "worksheets/sheet1.xml"],
      ["worksheet", "/xl/worksheets/sheet2.xml"],
      ["sharedStrings", "sharedStrings.xml"],
      ["styles", "styles.xml"],
    ),
    "xl/sharedStrings.xml": `${xml}<sst ${main}>${strings.map((text) => `<si>${text}</si>`).join("")}</sst>`,
    "xl/styles.xml": `${xml}<styleSheet ${main}><numFmts count="1"><numFmt numFmtId="164" formatCode="[$-409]yyyy\\-mm\\-dd\\ hh:mm;@"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="9"/></cellXfs></styleSheet>`,
    "xl/worksheets/sheet1.xml": sheet(rows),
    "xl/worksheets/sheet2.xml": sheet(hidden),
  });
}

/** A presentation with a slide for each text. */
export function pptx(slides: readonly string[]): Uint8Array {
  const files: Record<string, string> = {
    "_rels/.rels": relations(["officeDocument", "ppt/presentation.xml"]),
    "ppt/presentation.xml": `${xml}<p:presentation xmlns:p="p" xmlns:r="${types}"><p:sldIdLst>${slides.map((_, index) => `<p:sldId id="${256 + index}" r:id="rId${index + 1}"/>`).join("")}</p:sldIdLst></p:presentation>`,
    "ppt/_rels/presentation.xml.rels": relations(
      ...slides.map((_, index) => ["slide", `slides/slide${index + 1}.xml`] as const),
    ),
  };
  for (const [index, text] of slides.entries()) {
    const shape = (body: string) =>
      `${xml}<p:sld xmlns:p="p" xmlns:a="a"${index === 1 ? ' show="0"' : ""}><p:cSld><p:spTree><p:sp><p:txBody><a:p>${body}</a:p></p:txBody></p:sp></p:spTree></p:cSld></p:sld>`;
    files[`ppt/slides/slide${index + 1}.xml`] = shape(`<a:r><a:t>${text}</a:t></a:r>`);
    files[`ppt/slides/_rels/slide${index + 1}.xml.rels`] = relations([
      "notesSlide",
      `../notesSlides/n${index + 1}.xml`,
    ]);
    files[`ppt/notesSlides/n${index + 1}.xml`] = shape(`<a:r><a:t>Say ${text} slowly</a:t></a:r>`);
  }
  return zipOf(files);
}

/** An OpenDocument file: `kind` is `text`, `spreadsheet` or `presentation`. */
export function openDocument(kind: string, body: string, styles = ""): Uint8Array {
  return zipFile([
    { name: "mimetype", content: `application/vnd.oasis.opendocument.${kind}`, stored: true },
    {
      name: "content.xml",
      content: `${xml}<office:document-content xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:style="s" xmlns:draw="d" xmlns:xlink="x"><office:automatic-styles>${styles}</office:automatic-styles><office:body>${body}</office:body></office:document-content>`,
    },
  ]);
}

/** A book of these chapters (bodies of XHTML). */
export function epub(chapters: readonly string[]): Uint8Array {
  return zipFile([
    { name: "mimetype", content: "application/epub+zip", stored: true },
    {
      name: "META-INF/container.xml",
      content: `${xml}<container><rootfiles><rootfile full-path="OEBPS/content.opf"/></rootfiles></container>`,
    },
    {
      name: "OEBPS/content.opf",
      content: `${xml}<package><manifest>${chapters.map((_, index) => `<item id="c${index}" href="c%20${index}.xhtml"/>`).join("")}</manifest><spine>${chapters.map((_, index) => `<itemref idref="c${index}"/>`).join("")}</spine></package>`,
    },
    ...chapters.map((body, index) => ({
      name: `OEBPS/c ${index}.xhtml`,
      content: `${xml}<!DOCTYPE html><html><head><title>no</title></head><body>${body}</body></html>`,
    })),
  ]);
}
