import assert from "node:assert/strict";
import { test } from "node:test";

import { assertFails } from "../../../../test/support/failure.ts";
import {
  docx,
  epub,
  openDocument,
  pptx,
  wordParagraph as paragraph,
  xlsx,
} from "../../../../test/support/office-files.ts";
import { zipFile, zipOf } from "../../../../test/support/zip-file.ts";
import { extractDocument } from "./extract-document.ts";
import { openZip } from "./zip-archive.ts";

async function textOf(bytes: Uint8Array): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
  const extracted = await extractDocument(bytes);
  assert.ok(extracted.ok, JSON.stringify(extracted));
  return extracted.value;
}

async function faultOf(bytes: Uint8Array): Promise<string> {
  const extracted = await extractDocument(bytes);
  assert.ok(!extracted.ok, JSON.stringify(extracted));
  return `${extracted.error.what}: ${extracted.error.why}`;
}

const item = (list: number, level: number) => `<w:numPr><w:ilvl w:val="${level}"/><w:numId w:val="${list}"/></w:numPr>`;

test("a Word document is extracted as Markdown: headings, lists, links, tables, notes and comments", async () => {
  const { text, notes } = await textOf(
    docx(
      [
        paragraph(["Ti", "tle"], '<w:pStyle w:val="berschrift1"/>'),
        paragraph(["Part"], '<w:pStyle w:val="Sub"/>'),
        paragraph(["Hel", "lo wor", "ld &amp; all"]),
        paragraph(["a"], item(1, 0)),
        paragraph(["b"], item(1, 0)),
        paragraph(["first"], item(2, 0)),
        paragraph(["inner"], item(2, 1)),
        paragraph(["second"], item(2, 0)),
        '<w:p><w:r><w:t xml:space="preserve">See </w:t></w:r><w:hyperlink r:id="rId4"><w:r><w:t>the </w:t></w:r>' +
          '<w:r><w:t>site</w:t></w:r></w:hyperlink><w:r><w:footnoteReference w:id="2"/></w:r>' +
          '<w:r><w:commentReference w:id="5"/><w:tab/><w:t>x</w:t><w:br/><w:t>y</w:t></w:r></w:p>',
        `<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>${paragraph(["A|B"])}</w:tc></w:tr>` +
          `<w:tr><w:tc>${paragraph(["1"])}${paragraph(["2"])}</w:tc><w:tc>${paragraph(["3"])}</w:tc></w:tr></w:tbl>`,
      ].join(""),
    ),
  );
  assert.equal(
    text,
    [
      "# Title",
      "",
      "## Part",
      "",
      "Hello world & all",
      "",
      "- a",
      "- b",
      "1. first",
      "  1.a) inner",
      "2. second",
      "",
      "See [the site](https://example.org/a)[^2][comment 5]\tx",
      "y",
      "",
      "| A\\|B |  |",
      "| --- | --- |",
      "| 1<br>2 | 3 |",
      "",
      "[^2]: See the annex.",
      "",
      "[comment 5] Ada: Really?",
      "",
      "[header: Draft]",
    ].join("\n"),
  );
  assert.deepEqual(notes, []);
});

test("tracked changes are shown as accepted, pictures are named, and alternative forms of the same content are omitted", async () => {
  const { text, notes } = await textOf(
    docx(
      "<w:p><w:del><w:r><w:delText>gone</w:delText></w:r></w:del><w:ins><w:r><w:t>new</w:t></w:r></w:ins>" +
        "<w:moveFrom><w:r><w:t>away</w:t></w:r></w:moveFrom><w:r><w:instrText>PAGE</w:instrText></w:r></w:p>" +
        '<w:p><w:r><mc:AlternateContent><mc:Choice><w:drawing><wp:docPr name="p1" descr="A cat"/><a:blip/></w:drawing>' +
        "</mc:Choice><mc:Fallback><w:p><w:r><w:t>twice</w:t></w:r></w:p></mc:Fallback></mc:AlternateContent></w:r></w:p>",
    ),
  );
  assert.match(text, /^new\n\n\[picture: A cat\]\n/u);
  assert.deepEqual(notes, ["Tracked changes are shown as if they were accepted."]);
});

test("a workbook is extracted by sheets and rows, with dates, shared texts and the values of formulas", async () => {
  const { text } = await textOf(
    xlsx(
      '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="D1" t="inlineStr"><is><t>in</t></is></c></row>' +
        '<row r="2"><c r="A2" s="1"><v>45658</v></c><c r="B2"><v>0.30000000000000004</v></c><c r="C2" s="3"><v>0.255</v></c></row>' +
        '<row r="3"><c r="A3" s="2"><v>45658.52083333</v></c><c r="B3"><f>SUM(B2)</f><v>7</v></c><c r="C3" t="b"><v>1</v></c>' +
        '<c r="D3" t="e"><v>#DIV/0!</v></c><c r="XFD3" t="str"><v>far</v></c></row>' +
        '<row r="90"><c r="B90"><f>NOW()</f></c></row>',
      {
        strings: ["<t>Na\tme\n2</t>", "<r><t>Am</t></r><r><t>ount</t></r><rPh><t>no</t></rPh>"],
        hidden: '<row><c t="str"><v>k</v></c><c><v>1</v></c></row>',
      },
    ),
  );
  assert.equal(
    text,
    [
      "## Sheet: Sales & more",
      "Na\\tme\\n2\tAmount\t\tin",
      "2025-01-01\t0.3\t25.5%",
      "2025-01-01 12:30\t7\tTRUE\t#DIV/0!\t[… XFD:]\tfar",
      "[rows 4 to 89 are empty]",
      "\t=NOW()",
      "",
      "## Sheet: Keys (hidden)",
      "k\t1",
    ].join("\n"),
  );
});

test("slides keep their order and notes, and hidden slides are marked", async () => {
  assert.equal(
    (await textOf(pptx(["One", "Two"]))).text,
    "## Slide 1 of 2\nOne\nNotes: Say One slowly\n\n## Slide 2 of 2 (hidden)\nTwo\nNotes: Say Two slowly",
  );
});

test("OpenDocument texts and sheets are extracted, with any repeat count of a cell", async () => {
  const { text } = await textOf(
    openDocument(
      "text",
      '<office:text><text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Head</text:h>' +
        '<text:p>Some <text:a xlink:href="https://example.org">bo<text:span>ld</text:span></text:a><text:s text:c="3"/>x<text:note><text:note-citation>1</text:note-citation>' +
        "<text:note-body><text:p>Foot</text:p></text:note-body></text:note> end</text:p><text:list><text:list-item><text:p>a</text:p>" +
        "<text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item></text:list></office:text>",
    ),
  );
  assert.equal(text, "## Head\n\nSome [bold](https://example.org)   x[^1] end\n[^1]: Foot\n\n- a\n  - b");
  const sheet = await textOf(
    openDocument(
      "spreadsheet",
      '<office:spreadsheet><table:table table:name="S" table:style-name="ta2"><table:table-row>' +
        '<table:table-cell table:number-columns-repeated="2"><text:p>v</text:p></table:table-cell>' +
        '<table:table-cell table:number-columns-repeated="999999999"/></table:table-row>' +
        '<table:table-row table:number-rows-repeated="999999999"><table:table-cell/></table:table-row></table:table></office:spreadsheet>',
      '<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>',
    ),
  );
  assert.equal(sheet.text, "## Sheet: S (hidden)\nv\tv");
});

test("a book is extracted chapter by chapter", async () => {
  assert.equal(
    (await textOf(epub(["<h1>One&nbsp;1</h1><p>It was <i>dark</i>.</p><ul><li>a</li></ul>", "<p>Two</p>"]))).text,
    "# One 1\n\nIt was dark.\n- a\n\nTwo",
  );
});

test("RTF is extracted with its special characters and without its font tables", async () => {
  const source =
    "{\\rtf1\\ansi\\ansicpg1252{\\fonttbl{\\f0 Arial;}}{\\*\\x y;}Hello \\b all\\b0\\par caf\\'e9 \\u8364?5 \\{\\}\\par}";
  assert.equal((await textOf(Buffer.from(source))).text, "Hello all\ncafé €5 {}");
  await textOf(Buffer.from(`{\\rtf1 ${"{".repeat(100_000)}`));
});

test("text beyond the limit is cut off with a note", async () => {
  const extracted = await extractDocument(docx(paragraph(["word ".repeat(100)]).repeat(100)), 1000);
  assert.ok(extracted.ok && extracted.value.text.length <= 1010);
  assert.deepEqual(extracted.value.notes, ["Only the first 1000 characters of the document are here."]);
});

test("archives and documents without readable text are described to the model", async () => {
  assert.equal(await faultOf(zipOf({ "a.txt": "x", "b/c": "y" })), "a ZIP archive: it holds 2 files: a.txt, b/c");
  assert.match(
    await faultOf(zipFile([{ name: "word/document.xml", content: "x", encrypted: true }])),
    /Word document: it is protected by a password/u,
  );
  assert.match(await faultOf(docx("").subarray(0, 500)), /end is missing/u);
});

test("hostile documents are handled in limited time: entities, depth, damage at any position", async () => {
  const entities = Array.from(
    { length: 10 },
    (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`,
  ).join("");
  const bomb = await textOf(
    docx("", {
      "word/document.xml": `<!DOCTYPE d [<!ENTITY a0 "ha">${entities}]><w:document xmlns:w="w">${paragraph(["before"])}${paragraph(["&a9;"])}</w:document>`,
    }),
  );
  assert.ok(bomb.text.startsWith("before\n") && bomb.text.length < 200);
  assert.deepEqual(bomb.notes, ["The document is damaged: text may be missing."]);
  assert.ok((await textOf(docx("<w:tbl><w:tr><w:tc>".repeat(50_000)))).text.length < 1000);

  const whole = docx(paragraph(["Hello"]));
  for (let offset = 0; offset < whole.length; offset += 23) {
    for (const value of [0, 0xff]) {
      const broken = Uint8Array.from(whole);
      broken[offset] = value;
      await extractDocument(broken);
    }
  }
});

test("an archive is unpacked within limits, whatever sizes it declares", () => {
  const limits = { entries: 2, entryBytes: 1000, totalBytes: 1500 };
  const opened = openZip(zipOf({ small: "x".repeat(800), big: "x".repeat(1001) }), limits);
  assert.ok(opened.ok);
  const zip = opened.value;
  assert.equal(zip.read("SMALL")?.length, 800);
  assert.throws(() => zip.read("big"), /big in it is too big/u);
  assert.throws(() => zip.read("small"), /small in it is too big/u);
  assert.equal(zip.read("other"), undefined);
  assertFails(openZip(zipOf({ a: "", b: "", c: "" }), limits), /it has 3 entries, more than 2/u);

  const lying = zipOf({ a: "x".repeat(500) });
  new DataView(lying.buffer, lying.byteOffset).setUint32(lying.length - 6, 0xfffffff0, true);
  assertFails(openZip(lying, limits), /its directory is damaged/u);
});
