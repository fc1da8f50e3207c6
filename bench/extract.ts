/**
 * Text that readers keep of pages that strangers wrote, against the text that a person would keep (F1 of words,
 * averaged over the pages), and the time for pages of more than a megabyte. `--apart`: the pages kept apart; `--list`: the worst pages
 * of the tuning set, with their F1.
 */
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { pathToFileURL } from "node:url";

import { systemClock } from "../src/base/clock.ts";
import { npmPrograms } from "../test/support/npm-programs.ts";
import { markedPages, type MarkedPage, type MarkedSet } from "./support/marked-pages.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { peerReaders } from "./support/page-readers.ts";
import { countOf, overlap, plainOfMarkdown, wordsOf } from "./support/word-overlap.ts";

interface OurReader extends AsyncDisposable {
  read(
    source: { readonly bytes: Uint8Array; readonly contentType: string; readonly url: string },
    options: { readonly signal: AbortSignal },
  ): Promise<{ ok: true; value: { markdown: string; title?: string } } | { ok: false; error: { message: string } }>;
}
type Read = (page: MarkedPage) => Promise<string>;

const programs = await npmPrograms("pages");
if (programs.skip !== false) {
  report("extract", "kept text", { skipped: programs.skip });
  process.exit(0);
}
const set: MarkedSet = process.argv.includes("--apart") ? "apart" : "tuning";
const isListing = process.argv.includes("--list") && set === "tuning";
/** defuddle takes 13 s for the largest. */
const maxDefuddleChars = 400_000;

const { pages, missing } = await markedPages(set, programs.folder);
const peers = await peerReaders(programs.folder);
const ours = await openOurs();
const readers: Readonly<Record<string, Read | undefined>> = {
  ours: ours && (async (page) => await readOurs(ours, page.bytes, page.contentType, addressOf(page))),
  readability: (page) => peers.readability(page.html, addressOf(page)),
  defuddle: async (page) =>
    page.html.length > maxDefuddleChars ? "" : await peers.defuddle(page.html, addressOf(page)),
};
await measureKeptText();
await measureSpeed();
await ours?.[Symbol.asyncDispose]();

async function measureKeptText(): Promise<void> {
  for (const [reader, read] of Object.entries(readers)) {
    if (read === undefined) continue;
    const scores: {
      readonly page: MarkedPage;
      readonly f1: number;
      readonly precision: number;
      readonly recall: number;
    }[] = [];
    const failed: string[] = [];
    for (const page of pages) {
      if (reader === "defuddle" && page.html.length > maxDefuddleChars) continue;
      const markdown = await read(page).catch(() => {
        failed.push(page.name);
        return "";
      });
      scores.push({ page, ...overlap(countOf(wordsOf(plainOfMarkdown(markdown))), page.kept, page.either) });
    }
    const bySource = Map.groupBy(scores, ({ page }) => page.mark.from);
    report("extract", `kept text, ${set}`, {
      reader,
      pages: scores.length,
      f1: rounded(mean(scores.map(({ f1 }) => f1))),
      precision: rounded(mean(scores.map(({ precision }) => precision))),
      recall: rounded(mean(scores.map(({ recall }) => recall))),
      sources: [...bySource].map(([from, all]) => `${from} ${rounded(mean(all.map(({ f1 }) => f1)))}`).join(", "),
      failed: failed.length,
      missing: [...missing].map(([from, count]) => `${from} (${count})`).join(", "),
    });
    if (!isListing) continue;
    for (const { page, f1, precision, recall } of scores.toSorted((a, b) => a.f1 - b.f1).slice(0, 20))
      report("extract", page.name, { reader, f1: rounded(f1), precision: rounded(precision), recall: rounded(recall) });
  }
}

/** As web_extract calls our reader: in its worker. */
async function measureSpeed(): Promise<void> {
  for (const file of ["book/print.html", "std/primitive.i32.html"]) {
    const path = join("/usr/share/doc/rust-doc/html", file);
    if (!existsSync(path)) {
      report("extract", file, { skipped: "needs Debian's rust-doc" });
      continue;
    }
    const bytes = readFileSync(path);
    const html = bytes.toString("utf8");
    const url = `https://doc.rust-lang.org/${file}`;
    let blockedMs = 0;
    const readOne = async () => {
      if (ours === undefined) return;
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      await readOurs(ours, bytes, "text/html", url);
      delay.disable();
      blockedMs = Math.max(blockedMs, delay.max / 1e6);
    };
    const times = await interleaved({ ours: readOne, readability: () => peers.readability(html, url) }, 5);
    const ratio = median(times.ours) / median(times.readability);
    report("extract", file, {
      ...(ours === undefined
        ? {}
        : { ms: rounded(median(times.ours)), ratio: rounded(ratio), blockedMs: rounded(blockedMs) }),
      readabilityMs: rounded(median(times.readability)),
      reach: "at most 0.2 times, blocked at most 20 ms",
      holds: ours !== undefined && ratio <= 0.2 && blockedMs <= 20,
    });
  }
}

async function openOurs(): Promise<OurReader | undefined> {
  const entry = join(import.meta.dirname, "..", "src", "web", "read", "page-reader.ts");
  if (!existsSync(entry)) return undefined;
  const { createPageReader } = (await import(pathToFileURL(entry).href)) as {
    readonly createPageReader: (parts: object) => OurReader;
  };
  return createPageReader({ clock: systemClock, readDocument: () => Promise.reject(new Error("No documents here.")) });
}

async function readOurs(reader: OurReader, bytes: Uint8Array, contentType: string, url: string): Promise<string> {
  const read = await reader.read({ bytes, contentType, url }, { signal: new AbortController().signal });
  if (!read.ok) throw new Error(read.error.message);
  const title = read.value.title?.trim() ?? "";
  const { markdown } = read.value;
  return markdown.slice(0, 500).includes(title) ? markdown : `# ${title}\n\n${markdown}`;
}

function addressOf(page: MarkedPage): string {
  return `https://${page.mark.site}/${page.mark.file.split("/").at(-1)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
