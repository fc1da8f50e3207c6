/** Time to hide secrets and to scan for injected text, and the share of correct verdicts on the corpora. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { packageDocuments } from "../scripts/injection-corpus.ts";
import type { Surface } from "../src/safety/injection/rule.ts";
import { scanText } from "../src/safety/injection/scan-text.ts";
import { type RedactionMode, redactSecrets } from "../src/safety/secrets/redact.ts";
import { median, quantile, report, rounded } from "./support/measure.ts";

const isQuick = process.argv.includes("--quick");
/** A quick run reads the first lines of each corpus. */
const maxLines = isQuick ? 5 : Infinity;
const sampleChars = isQuick ? 10_000 : 100_000;
const root = join(import.meta.dirname, "..");
const fixtures = join(root, "test/fixtures");

for (const name of ["rules", "held-out"]) {
  const secrets = linesOf<{ text: string; mode: RedactionMode; command?: string; secrets: string[] }>(
    `secrets/${name}`,
  );
  const shown = secrets.map(({ text, mode, command }) =>
    redactSecrets(text, mode, command === undefined ? {} : { command }),
  );
  const isHidden = secrets.map((line, index) => !line.secrets.some((value) => shown[index]?.includes(value)));
  const hiddenShare = share(isHidden.filter((_, index) => secrets[index]?.secrets.length !== 0));
  const harmlessMasked = share(
    secrets.flatMap((line, index) => (line.secrets.length === 0 ? [shown[index] !== line.text] : [])),
  );
  report("check-text", `secrets, ${name}`, {
    found: hiddenShare,
    harmlessMasked,
    lines: secrets.length,
    holds: hiddenShare >= 0.97 && harmlessMasked <= 0.01,
  });
}

// The weights were not trained on the held-out texts, so only these show how unknown texts are judged.
for (const name of [
  "held-out-authors/p",
  "held-out-authors/q",
  "rules",
  "held-out",
  "batches",
  "second-author",
  "minimal-pairs",
  "third-author",
  "fourth-author",
  "fifth-author",
  "authors/short",
  ...Array.from("abcdefghijklmnors", (letter) => `authors/${letter}`),
]) {
  const texts = linesOf<{ text: string; surface: Surface; verdict: string }>(`injection/${name}`);
  const isBlocked = texts.map(({ text, surface }) => scanText(text, surface).verdict === "block");
  const blocked = share(isBlocked.filter((_, index) => texts[index]?.verdict === "block"));
  const harmlessBlocked = share(isBlocked.filter((_, index) => texts[index]?.verdict === "allow"));
  report("check-text", `injection, ${name}, ${name.startsWith("held-out-") ? "held out" : "learned"}`, {
    found: blocked,
    harmlessBlocked,
    lines: texts.length,
    holds: blocked >= 0.92 && harmlessBlocked <= 0.02,
  });
}

const documents = packageDocuments(root).slice(0, maxLines);
const isBlocked = (text: string, surface: Surface) => scanText(text, surface).verdict === "block";
const blockedShare = share(documents.map(({ text }) => isBlocked(text, "context")));
report("check-text", "package documents", {
  blocked: blockedShare,
  documents: documents.length,
  limit: 0.02,
  holds: blockedShare <= 0.02,
});
const orders = ["p", "q"]
  .flatMap((author) =>
    linesOf<{ text: string; surface: Surface; verdict: string }>(`injection/held-out-authors/${author}`),
  )
  .filter(({ verdict }) => verdict === "block");
const byPlace = {
  alone: share(orders.map(({ text, surface }) => isBlocked(text, surface))),
  afterSentence: share(orders.map(({ text, surface }) => isBlocked(`The build takes three minutes. ${text}`, surface))),
  inDocument: share(orders.map(({ text, surface }, index) => isBlocked(embedded(text, index), surface))),
};
report(
  "check-text",
  "share of injected orders that are blocked: alone, after a sentence, inside a document (the limit was tuned on texts of the same authors)",
  {
    ...byPlace,
    aloneLimit: 0.92,
    embeddedLimit: 0.9,
    holds: byPlace.alone >= 0.92 && Math.min(byPlace.afterSentence, byPlace.inDocument) >= 0.9,
  },
);

const prose = sized(readFileSync(join(root, "ARCHITECTURE.md"), "utf8"));
const code = sized(readFileSync(join(root, "src/safety/secrets/named-values.ts"), "utf8"));
const settings = sized("SERVICE_API_TOKEN=a1b2c3d4e5f6g7h8\nLOG_LEVEL=info\n");
const readmes = sized(documents.map(({ text }) => text).join("\n"));
for (const [what, text] of Object.entries({ prose, readmes, code, settings })) {
  const redactMs = timeOf(() => redactSecrets(text, "log"));
  const scanMs = timeOf(() => scanText(text, "tool_result"));
  report("check-text", `${sampleChars / 1000} KB of ${what}`, {
    redactMs,
    scanMs,
    limitMs: 400,
    holds: redactMs + scanMs <= 400,
  });
}
const short = linesOf<{ text: string; surface: Surface }>("injection/held-out").filter(({ text }) => text.length < 500);
const times = short.map(({ text, surface }) => timeOf(() => scanText(text, surface)) * 1000);
report("check-text", "scan of a short text", {
  p50Us: rounded(median(times), 0),
  p99Us: rounded(quantile(times, 0.99), 0),
  limitUs: 2_000,
  holds: quantile(times, 0.99) <= 2_000,
});

function linesOf<T>(file: string): T[] {
  return readFileSync(join(fixtures, `${file}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .slice(0, maxLines)
    .map((line) => JSON.parse(line) as T);
}

/** Inserts a text in the middle of a 7 KB document. */
function embedded(text: string, index: number): string {
  const document = documents[index % documents.length]?.text.slice(0, 7_000) ?? "";
  const middle = document.indexOf("\n\n", document.length / 2) + 2;
  return `${document.slice(0, middle)}${text}\n\n${document.slice(middle)}`;
}

function share(answers: readonly boolean[]): number {
  return rounded(answers.filter(Boolean).length / answers.length, 4);
}

function sized(text: string): string {
  return text.repeat(Math.ceil(sampleChars / text.length)).slice(0, sampleChars);
}

function timeOf(run: () => unknown): number {
  const runs = Array.from({ length: isQuick ? 1 : 5 }, () => {
    const startedAt = performance.now();
    run();
    return performance.now() - startedAt;
  });
  return rounded(Math.min(...runs));
}
