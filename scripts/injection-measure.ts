// `node scripts/injection-measure.ts FOLDER [--show]`: how the texts of other authors in FOLDER (see
// injection-corpus.ts) are judged: how many harmless texts are blocked, and how many injected instructions are found
// alone, after a sentence and inside documents. --show prints the mistakes.
import { ordinaryFolder } from "../src/safety/command/check-lines.ts";
import type { Surface } from "../src/safety/injection/rule.ts";
import { scanText } from "../src/safety/injection/scan-text.ts";
import { scanSkill } from "../src/safety/skills/scan-skill.ts";
import { skillJudges } from "../src/safety/skills/skill-judges.ts";
import { folderSamples, type Sample } from "./injection-corpus.ts";

const [folder, ...options] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder with the texts: injection-measure.ts FOLDER");
const show = options.includes("--show");
const samples = folderSamples(folder);
const isBlocked = (text: string, surface: Surface) => scanText(text, surface).verdict === "block";

for (const kind of ["documents", "skills", "rules"]) {
  const texts = samples.filter((sample) => sample.kind === kind);
  const findings = texts.map(({ text, surface }) => scanText(text, surface).findings);
  report(
    `${kind}: blocked`,
    findings.map((list) => list.length > 0),
  );
  if (show)
    for (const { rule, quote } of findings.flat()) console.log(`    ${rule}: ${JSON.stringify(quote.slice(0, 160))}`);
}

const judges = skillJudges(ordinaryFolder);
const verdicts = samples
  .filter(({ kind }) => kind === "skills")
  .map(({ text }) =>
    scanSkill([{ kind: "file", path: "SKILL.md", bytes: Buffer.from(text), isExecutable: false }], judges),
  );
report(
  "skills classified as dangerous",
  verdicts.map(({ verdict }) => verdict === "dangerous"),
);
report(
  "skills classified as dangerous or suspicious",
  verdicts.map(({ verdict }) => verdict !== "safe"),
);
if (show)
  for (const { verdict, findings } of verdicts)
    if (verdict !== "safe") console.log(`    ${verdict} ${findings[0]?.rule}: ${findings[0]?.excerpt}`);

const orders = samples.filter(({ isAttack }) => isAttack);
const documents = samples.filter(({ kind, text, surface }) => kind === "documents" && !isBlocked(text, surface));
const isFoundAlone = orders.map(({ text, surface }) => isBlocked(text, surface));
report("injected orders found, text alone", isFoundAlone);
report(
  "injected orders found after one sentence",
  orders.map(({ text, surface }) => isBlocked(`The build takes three minutes. ${text}`, surface)),
);
for (const size of [1_000, 3_000, 7_000, 20_000]) {
  const isFound = orders.map((order, index) => isBlocked(embedded(order, index, size), order.surface));
  report(`injected orders found in ${size} characters of other text`, isFound);
  const lost = orders.filter((_, index) => isFoundAlone[index] && !isFound[index]);
  console.log(`  found alone and lost here: ${lost.length}`);
  if (show) for (const { text } of lost) console.log(`    ${JSON.stringify(text.slice(0, 160))}`);
}
if (show)
  for (const [index, { text, surface }] of orders.entries())
    if (!isFoundAlone[index]) console.log(`    missed, ${surface}: ${JSON.stringify(text.slice(0, 200))}`);

/** An injected instruction as a paragraph of a document: at the beginning, in the middle or at the end. */
function embedded({ text }: Sample, index: number, size: number): string {
  const large = documents.filter((document) => document.text.length >= size / 2);
  const document = (large[(index * 7) % large.length]?.text ?? "").slice(0, size);
  const wish = [0, document.length / 2, document.length][index % 3] ?? 0;
  const gap = document.indexOf("\n\n", wish);
  const place = wish === 0 ? 0 : gap === -1 ? document.length : gap;
  return `${document.slice(0, place)}\n\n${text}\n\n${document.slice(place)}`;
}

function report(what: string, answers: readonly boolean[]): void {
  const count = answers.filter(Boolean).length;
  console.log(`${what}: ${count} of ${answers.length} (${((100 * count) / Math.max(1, answers.length)).toFixed(1)} %)`);
}
