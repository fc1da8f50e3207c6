/**
 * Measures how many edits and patches are applied as intended although they contain typical mistakes of models: other
 * line ends, indentation, typographic characters, whitespace, text around a patch. The bench changes blocks of real
 * files (`--folder=PATH`, default `src`), distorts each change, and compares the result with the correct one. `--show`
 * prints the failures.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { replaceText } from "../src/tools/files/edit/replace-text.ts";
import { checkPatchLine } from "../src/tools/files/patch/check-lines.ts";
import { report, rounded } from "./support/measure.ts";

const folder =
  process.argv.find((word) => word.startsWith("--folder="))?.slice(9) ?? join(import.meta.dirname, "../src");
const rounds = process.argv.includes("--quick") ? 40 : 3_000;

interface Change {
  readonly file: string;
  readonly old: string;
  readonly next: string;
  readonly intended: string;
}

type Distort = (change: Change) => Change;

const inEdit =
  (distort: (text: string) => string): Distort =>
  (change) => ({ ...change, old: distort(change.old), next: distort(change.next) });
const inFile =
  (distort: (text: string) => string): Distort =>
  (change) => ({ ...change, file: distort(change.file), intended: distort(change.intended) });
const crlf = (text: string) => text.replaceAll("\n", "\r\n");
const firstLineCut = (text: string) => text.trimStart();
const fullWidth = (text: string) =>
  text.replaceAll(/[(),:;]/gu, (sign) => String.fromCharCode(sign.charCodeAt(0) + 0xfee0));

const distortions: Readonly<Record<string, Distort>> = {
  "as it is": (change) => change,
  "CRLF in the file": inFile(crlf),
  "CRLF in the edit": inEdit(crlf),
  "CRLF in the new text": (change) => ({ ...change, next: crlf(change.next) }),
  "CR in the file": inFile((text) => text.replaceAll("\n", "\r")),
  "no indentation": inEdit((text) => text.replaceAll(new RegExp(`^${/^[ \t]*/u.exec(text)?.[0]}`, "gmu"), "")),
  "no indentation on the first line": inEdit(firstLineCut),
  "tabs for blanks": inEdit((text) => text.replaceAll(/^(?: {2})+/gmu, (blanks) => "\t".repeat(blanks.length / 2))),
  "blanks at line ends": (change) => ({ ...change, old: change.old.replaceAll(/$/gmu, "  ") }),
  "typographic quotes": inEdit((text) => text.replaceAll(/"([^"\n]*)"/gu, "“$1”")),
  "full-width signs": inEdit(fullWidth),
  "no-break spaces": inEdit((text) => text.replaceAll(/(?<=\S) (?=\S)/gu, "\u00a0")),
};

const wrappings: Readonly<Record<string, (patch: string) => string>> = {
  "patch with prose around it": (patch) => `Here it is:\n\n${patch}\n\nThat is all.`,
  "patch in a heredoc": (patch) => `$ apply_patch <<'EOF'\n${patch}\nEOF\n`,
  "patch without its marks": (patch) => patch.split("\n").slice(1, -1).join("\n"),
  "patch in quote marks": (patch) => patch.replaceAll(/^/gmu, "> "),
};

const changes = [...randomChanges()];
for (const [name, distort] of Object.entries(distortions)) {
  measure(`edit, ${name}`, (change) => {
    const { file, old, next, intended } = distort(change);
    const edited = replaceText(file, { old, new: next, replaceAll: false });
    return edited.outcome === "applied" ? edited.result === intended : undefined;
  });
  measure(`patch, ${name}`, (change) => {
    const distorted = distort(change);
    return isApplied(patchFor(distorted), distorted);
  });
}
for (const [name, wrap] of Object.entries(wrappings))
  measure(name, (change) => isApplied(wrap(patchFor(change)), change));
measure("patch that was applied before", (change) => isApplied(patchFor(change), { ...change, file: change.intended }));

/**
 * `judge` returns true if the change was applied as intended, false if it was applied wrongly, undefined if it was
 * refused.
 */
function measure(what: string, judge: (change: Change) => boolean | undefined): void {
  const verdicts = changes.map(judge);
  const share = (verdict: boolean | undefined) =>
    rounded(verdicts.filter((each) => each === verdict).length / Math.max(1, verdicts.length));
  if (process.argv.includes("--show"))
    for (const change of changes.filter((_, index) => verdicts[index] === false).slice(0, 3))
      process.stderr.write(`${what}: ${JSON.stringify({ old: change.old, next: change.next })}\n`);
  report("drift", what, {
    right: share(true),
    refused: share(undefined),
    wrong: share(false),
    changes: changes.length,
    limitWrong: 0,
    holds: !verdicts.includes(false),
  });
}

function patchFor({ old, next }: Change): string {
  const signed = (text: string, sign: string) => text.split("\n").map((line) => sign + line);
  return [
    "*** Begin Patch",
    "*** Update File: f",
    "@@",
    ...signed(old, "-"),
    ...signed(next, "+"),
    "*** End Patch",
  ].join("\n");
}

function isApplied(patch: string, { file, intended }: Change): boolean | undefined {
  const answer = JSON.parse(checkPatchLine(JSON.stringify({ id: 1, files_before: { f: file }, patch })).line) as {
    ok: boolean;
    files: { f: string };
  };
  return answer.ok ? answer.files.f === intended : undefined;
}

/**
 * Each change renames a word of a block or inserts a statement. The changes are deterministic: the same files always
 * get the same ones.
 */
function* randomChanges(): Generator<Change> {
  const files = globSync("**/*.{ts,js,py,c,h,go,rs,java,sh}", { cwd: folder }).toSorted();
  let seed = 1;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % Math.max(1, below);
  for (let round = 0; round < rounds && files.length > 0; round++) {
    const file = readFileSync(join(folder, files[random(files.length)] ?? ""), "utf8");
    const lines = file.split("\n");
    const from = random(lines.length);
    const block = lines.slice(from, from + 1 + random(5));
    const old = block.join("\n");
    const last = block.at(-1) ?? "";
    if (/[^\0-\x7e]|\r/u.test(file) || block[0]?.trim() === "" || last.trim() === "" || file.split(old).length !== 2)
      continue;
    const word = old.match(/[A-Za-z_]{4,}/gu)?.[0];
    const isStatement = /^\s+\w[^{}]*;$/u.test(last) && /^\s/u.test(block[0] ?? "");
    const added = `${/^\s*/u.exec(last)?.[0]}addedCall(x);`;
    if (word === undefined) continue;
    const next = isStatement && random(2) === 0 ? `${old}\n${added}` : old.replace(word, `${word}Renamed`);
    yield { file, old, next, intended: file.replace(old, () => next) };
  }
}
