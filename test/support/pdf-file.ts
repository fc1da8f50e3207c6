import { deflateSync } from "node:zlib";

/** A PDF with a page for each list of lines; a page without lines has no text. */
export function pdfFile(
  pages: readonly (readonly string[])[],
  { packed = true, trailer = "" }: { readonly packed?: boolean; readonly trailer?: string } = {},
): Uint8Array {
  const contents = pages.map((lines) =>
    lines
      .map((line, index) => `BT /F1 12 Tf 72 ${720 - 16 * index} Td (${line.replace(/[\\()]/gu, "\\$&")}) Tj ET`)
      .join("\n"),
  );
  return pdfOf(
    contents.map((content) => Buffer.from(content, "latin1")),
    { packed, trailer },
  );
}

/** A PDF whose pages have these content streams. */
export function pdfOf(
  contents: readonly Uint8Array[],
  { packed = true, trailer = "" }: { readonly packed?: boolean; readonly trailer?: string } = {},
): Uint8Array {
  const parts: Buffer[] = [Buffer.from("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "latin1")];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const add = (part: Buffer) => {
    parts.push(part);
    length += part.length;
  };
  const object = (body: string, stream?: Uint8Array) => {
    offsets.push(length);
    add(Buffer.from(`${offsets.length} 0 obj\n${body}\n`, "latin1"));
    if (stream) add(Buffer.concat([Buffer.from("stream\n"), stream, Buffer.from("\nendstream\n")]));
    add(Buffer.from("endobj\n"));
  };
  const kids = contents.map((_, index) => `${4 + 2 * index} 0 R`);
  object("<< /Type /Catalog /Pages 2 0 R >>");
  object(`<< /Type /Pages /Count ${contents.length} /Kids [${kids.join(" ")}] >>`);
  object("<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>");
  for (const [index, content] of contents.entries()) {
    const page = 4 + 2 * index;
    object(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${page + 1} 0 R >>`,
    );
    const stream = packed ? deflateSync(content, { level: 1 }) : content;
    object(`<< /Length ${stream.length}${packed ? " /Filter /FlateDecode" : ""} >>`, stream);
  }
  const table = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join("");
  add(
    Buffer.from(
      `xref\n0 ${offsets.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${offsets.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${table}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}
