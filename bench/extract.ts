/**
 * Compares the text that readers extract from pages of other authors with the text that a person marked as content (F1
 * of words, averaged over the pages), and measures the time for pages of more than a megabyte. `--apart` uses the
 * held-out pages; `--list` shows the worst pages of the tuning set with their F1.
 */
import { readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";

import { systemClock } from "../src/base/clock.ts";
import { createPageReader } from "../src/web/read/page-reader.ts";
import { npmPrograms } from "../test/support/npm-programs.ts";
import { markedPages, type MarkedPage, type MarkedSet } from "./support/marked-pages.ts";
import { interleaved, median, report, rounded } from "./support/measure.ts";
import { peerReaders } from "./support/page-readers.ts";
import { countOf, overlap, plainOfMarkdown, withTitle, wordsOf } from "./support/word-overlap.ts";

type Read = (page: MarkedPage) => Promise<string>;

const programs = await npmPrograms("pages");
if (programs.skip !== false) {
  report("extract", "kept text", { skipped: programs.skip });
  process.exit(0);
}
const set: MarkedSet = process.argv.includes("--apart") ? "apart" : "tuning";
/** `--quick` reads a few small pages and skips defuddle; the tests use it. */
const isQuick = process.argv.includes("--quick");
const isListing = process.argv.includes("--list") && set === "tuning";
/** Larger pages are not given to defuddle: it takes 13 s for the largest one. */
const maxDefuddleChars = 400_000;

const { pages, missing } = await markedPages(set, programs.folder, isQuick ? 5 : undefined);
const peers = await peerReaders(programs.folder);
const ours = createPageReader({
  clock: systemClock,
  readDocument: () => Promise.reject(new Error("These pages are HTML.")),
});
const readers: Readonly<Record<string, Read>> = {
  readability: (page) => peers.readability(page.html, addressOf(page)),
  ...(!isQuick && { defuddle: (page: MarkedPage) => peers.defuddle(page.html, addressOf(page)) }),
  // Our reader comes last, because its score is compared with the best score of the others.
  ours: (page) => readOurs(page.bytes, page.contentType, addressOf(page)),
};
await measureKeptText();
await measureSpeed();
await ours[Symbol.asyncDispose]();

async function measureKeptText(): Promise<void> {
  let bestOther = 0;
  for (const [reader, read] of Object.entries(readers)) {
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
    const f1 = mean(scores.map((score) => score.f1));
    if (reader !== "ours") bestOther = Math.max(bestOther, f1);
    const bySource = Map.groupBy(scores, ({ page }) => page.mark.from);
    report("extract", `kept text, ${set}`, {
      reader,
      pages: scores.length,
      f1: rounded(f1),
      precision: rounded(mean(scores.map(({ precision }) => precision))),
      recall: rounded(mean(scores.map(({ recall }) => recall))),
      sources: [...bySource].map(([from, all]) => `${from} ${rounded(mean(all.map((score) => score.f1)))}`).join(", "),
      failed: failed.length,
      missing: [...missing].map(([from, count]) => `${from} (${count})`).join(", "),
      reach: reader === "ours" ? "at least 0.93, above the others" : "no limit: a reader for comparison",
      holds: reader !== "ours" || (f1 >= 0.93 && f1 > bestOther),
    });
    if (!isListing) continue;
    for (const { page, ...score } of scores.toSorted((a, b) => a.f1 - b.f1).slice(0, 20))
      report("extract", page.name, {
        reader,
        f1: rounded(score.f1),
        precision: rounded(score.precision),
        recall: rounded(score.recall),
      });
  }
}

/** Calls our reader as web_extract does, in its worker. */
async function measureSpeed(): Promise<void> {
  for (const file of isQuick ? ["book/ch01-01-installation.html"] : ["book/print.html", "std/primitive.i32.html"]) {
    const path = join("/usr/share/doc/rust-doc/html", file);
    if (!existsSync(path)) {
      report("extract", file, { skipped: "needs Debian's rust-doc" });
      continue;
    }
    const bytes = readFileSync(path);
    const html = bytes.toString("utf8");
    const url = `https://doc.rust-lang.org/${file}`;
    /**
     * The longest time per round that the event loop is blocked. Other programs on the machine can cause single
     * outliers, so the median counts.
     */
    const blocks: number[] = [];
    const readOne = async () => {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      await readOurs(bytes, "text/html", url);
      delay.disable();
      blocks.push(delay.max / 1e6);
    };
    const times = await interleaved(
      { ours: readOne, readability: () => peers.readability(html, url) },
      isQuick ? 1 : 5,
    );
    const blockedMs = median(blocks);
    const ratio = median(times.ours) / median(times.readability);
    report("extract", file, {
      ms: rounded(median(times.ours)),
      ratio: rounded(ratio),
      blockedMs: rounded(blockedMs),
      readabilityMs: rounded(median(times.readability)),
      reach: "at most 0.2 times, blocked at most 20 ms",
      holds: ratio <= 0.2 && blockedMs <= 20,
    });
  }
}

async function readOurs(bytes: Uint8Array, contentType: string, url: string): Promise<string> {
  const read = await ours.read({ bytes, contentType, url }, { signal: new AbortController().signal });
  if (!read.ok) throw new Error(read.error.message);
  return withTitle(read.value.title, read.value.markdown);
}

function addressOf(page: MarkedPage): string {
  return `https://${page.mark.site}/${page.mark.file.split("/").at(-1)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}
