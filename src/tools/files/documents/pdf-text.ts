import type { ExtractedText } from "./extracted-text.ts";

/** Extracts the text. Returns the reason if that is not possible, or undefined on success. */
export async function pdfText(bytes: Uint8Array, out: ExtractedText): Promise<string | undefined> {
  const { getDocument, PasswordException } = await import("unpdf/pdfjs");
  const loading = getDocument({
    // The bytes are copied to an array that is not a Buffer, because the library takes ownership.
    data: new Uint8Array(bytes),
    verbosity: 0,
    disableFontFace: true,
    useSystemFonts: false,
    useWasm: false,
    stopAtErrors: false,
  });
  let pdf: Awaited<typeof loading.promise>;
  try {
    pdf = await loading.promise;
  } catch (thrown) {
    return thrown instanceof PasswordException ? "it is protected by a password" : "it is damaged";
  }
  const without: number[] = [];
  for (let number = 1; number <= pdf.numPages; number++) {
    out.gap();
    out.line(`--- Page ${number} of ${pdf.numPages} ---`);
    let lines: readonly string[];
    try {
      const page = await pdf.getPage(number);
      const { items } = await page.getTextContent();
      lines = pageLines(items);
      page.cleanup();
    } catch {
      out.line("[this page is damaged]");
      continue;
    }
    if (lines.length === 0) without.push(number);
    for (const line of lines) out.line(line);
  }
  if (without.length === pdf.numPages) out.note(`No text was found. ${whyNoText}`);
  else if (without.length > 0) out.note(`No text was found on pages ${ranges(without)}. ${whyNoText}`);
  return undefined;
}

interface TextItem {
  readonly str: string;
  readonly hasEOL: boolean;
  readonly width: number;
  readonly height: number;
}

/** Joins pieces of text into lines. Distant pieces on a line, such as table columns, stay separate. */
function pageLines(items: readonly object[]): readonly string[] {
  const lines: string[] = [];
  let line = "";
  let last: TextItem | undefined;
  for (const item of items.filter(isTextItem)) {
    // The library inserts one space for each gap, as wide as the gap.
    const isGap = item.str.trim() === "" && last !== undefined && item.width > wideGap * last.height;
    line += isGap ? "   " : item.str;
    if (item.str.trim() !== "") last = item;
    if (item.hasEOL) {
      lines.push(line.trimEnd());
      line = "";
      last = undefined;
    }
  }
  if (line.trim() !== "") lines.push(line.trimEnd());
  while (lines.at(-1) === "") lines.pop();
  // Unusual control characters come from fonts without character names.
  // oxlint-disable-next-line no-control-regex -- removes control characters
  return lines.map((text) => text.replace(/[\u0000-\u0008\u000b-\u001f]/gu, ""));
}

function isTextItem(item: object): item is TextItem {
  return "str" in item;
}

/** `1-3, 7` */
function ranges(numbers: readonly number[]): string {
  const result: [number, number][] = [];
  for (const number of numbers) {
    const last = result.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else result.push([number, number]);
  }
  return result
    .slice(0, 20)
    .map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`))
    .join(", ");
}

const whyNoText = "It may be in pictures, such as scans, or in fonts that cannot be read here.";
/** The minimum gap between columns, in multiples of the text height. */
const wideGap = 0.9;
