/** Time and memory to read ordinary and hostile documents, including the worker thread. */
import { systemClock } from "../src/base/clock.ts";
import { documentText } from "../src/tools/files/documents/document-text.ts";
import { docx, wordParagraph, xlsx } from "../test/support/office-files.ts";
import { pdfFile, pdfOf } from "../test/support/pdf-file.ts";
import { report, rounded } from "./support/measure.ts";

const scale = process.argv.includes("--quick") ? 0.02 : 1;
const pages = Math.ceil(500 * scale);
const rows = Math.ceil(200_000 * scale);
const bombBytes = Math.ceil(400_000_000 * scale);

const line = "A line of a page with a dozen of words that say little to anybody who reads it.";
const cells = (row: number) =>
  "ABCDEFGHIJ"
    .split("")
    .map((column) => `<c r="${column}${row}"><v>${row * 1.5}</v></c>`)
    .join("");
const table = () =>
  Array.from({ length: rows }, (_, index) => `<row r="${index + 1}">${cells(index + 1)}</row>`).join("");

const documents: readonly { readonly what: string; readonly make: () => Uint8Array; readonly seconds: number }[] = [
  { what: "smallest pdf", make: () => pdfFile([["Hello"]]), seconds: 2 },
  { what: "smallest docx", make: () => docx(wordParagraph(["Hello"])), seconds: 1 },
  {
    what: `pdf of ${pages} pages`,
    make: () => pdfFile(Array.from({ length: pages }, () => Array(45).fill(line))),
    seconds: 10,
  },
  { what: `xlsx of ${rows * 10} cells`, make: () => xlsx(table()), seconds: 20 },
  { what: `pdf that unpacks to ${bombBytes} bytes`, make: () => pdfOf([Buffer.alloc(bombBytes, " ")]), seconds: 30 },
  { what: `docx that unpacks to ${bombBytes} bytes`, make: () => bomb(), seconds: 2 },
];

for (const { what, make, seconds } of documents) {
  const bytes = make();
  globalThis.gc?.();
  const before = process.memoryUsage.rss();
  let peak = before;
  const watch = setInterval(() => (peak = Math.max(peak, process.memoryUsage.rss())), 10);
  const startedAt = performance.now();
  const read = await documentText(bytes, { signal: new AbortController().signal, clock: systemClock });
  const ms = performance.now() - startedAt;
  clearInterval(watch);
  report("documents", what, {
    ms: rounded(ms),
    peakMb: rounded((peak - before) / 1_000_000),
    outcome: read.ok ? `${read.value.text.length} characters` : read.error.why,
    reach: `at most ${seconds} s and 900 MB`,
    holds: ms <= seconds * 1000 && peak - before <= 900_000_000,
  });
}

function bomb(): Uint8Array {
  return docx("", { "word/document.xml": " ".repeat(bombBytes) });
}
