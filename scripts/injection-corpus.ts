import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

import type { Surface } from "../src/safety/injection/rule.ts";

/** A text of the corpora and the correct verdict. */
export interface Sample {
  readonly text: string;
  readonly surface: Surface;
  readonly isAttack: boolean;
  /**
   * `prose` means short texts of the fixtures; the other kinds are named after the folders that `folderSamples` reads.
   */
  readonly kind: string;
  /**
   * The weight of a mistake in training. It is lower for texts of the first five authors and for variations, because
   * they resemble real input less.
   */
  readonly trust: number;
}

/** Files of test/fixtures/injection by author. */
const authors: Readonly<Record<string, readonly string[]>> = {
  first: ["rules", "held-out", "batches"],
  second: ["second-author", "minimal-pairs"],
  third: ["third-author"],
  fourth: ["fourth-author"],
  fifth: ["fifth-author"],
  short: ["authors/short"],
  ...Object.fromEntries(Array.from("abcdefghijklmnors", (letter) => [letter, [`authors/${letter}`]])),
};

/** The training texts in this repository. */
export function samplesIn(root: string): Sample[] {
  const folder = join(root, "test/fixtures/injection");
  return [
    ...ordinaryIn(root),
    ...Object.entries(authors).flatMap(([author, files]) =>
      files.flatMap((file) => linesOf(folder, file, author.length === 1 || author === "short" ? 1 : 0.1)),
    ),
    ...variationsIn(readFileSync(join(folder, "variations.txt"), "utf8")),
  ];
}

/**
 * Texts of authors that are excluded from training. The limit is also tuned on them, so their figures are slightly too
 * good.
 */
export function heldOutAuthors(root: string): Sample[] {
  return ["p", "q"].flatMap((author) =>
    linesOf(join(root, "test/fixtures/injection"), `held-out-authors/${author}`, 1),
  );
}

/**
 * Texts of other authors, which are not part of this repository: `documents`, `skills` and `rules` (AGENTS.md and
 * similar files) contain a folder per owner with harmless texts; `orders` and `prose` (harmless) contain a file of JSON
 * lines per author, each with a `text`.
 */
export function folderSamples(folder: string): Sample[] {
  const surfaces: Readonly<Record<string, Surface>> = { documents: "tool_result", skills: "skill", rules: "context" };
  const harmless = Object.entries(surfaces).flatMap(([kind, surface]) =>
    filesIn(join(folder, kind)).map((file, index) => ({
      text: readFileSync(join(folder, kind, file), "utf8"),
      surface: kind === "documents" ? (places[index % places.length] ?? surface) : surface,
      isAttack: false,
      kind,
      trust: kind === "documents" ? 0.3 : 2,
    })),
  );
  return [...harmless, ...shortTexts(folder, "orders"), ...shortTexts(folder, "prose")];
}

function shortTexts(folder: string, kind: "orders" | "prose"): Sample[] {
  return filesIn(join(folder, kind)).flatMap((file) => {
    const lines = readFileSync(join(folder, kind, file), "utf8")
      .trim()
      .split("\n");
    const trust = lines.length > manyTexts ? 0.5 : 3;
    return lines.map((line, index) => ({
      text: (JSON.parse(line) as { readonly text: string }).text,
      surface: places[index % places.length] ?? "context",
      isAttack: kind === "orders",
      kind,
      trust: kind === "orders" ? trust : 1,
    }));
  });
}

/** Each text of an author with more texts than this counts less, so that no author dominates. */
const manyTexts = 300;

/** Documents and instructions may appear on any surface. */
const places: readonly Surface[] = ["context", "tool_result", "skill"];

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .toSorted();
}

/** Markdown files of installed packages. */
export function packageDocuments(root: string): { readonly name: string; readonly text: string }[] {
  const folder = join(root, "node_modules");
  return filesIn(folder)
    .filter((file) => /\.(?:md|markdown)$/iu.test(file))
    .map((name) => ({ name, text: readFileSync(join(folder, name), "utf8") }));
}

/**
 * Files of this repository as ordinary text: documents as context, skills, code as tool results; without files about
 * injected text.
 */
function ordinaryIn(root: string): Sample[] {
  return [
    ...readdirSync(root),
    ...["docs", "src", "bench", "scripts", "skills"].flatMap((part) =>
      readdirSync(join(root, part), { recursive: true, encoding: "utf8" }).map((file) => join(part, file)),
    ),
  ]
    .filter((file) => /\.(?:md|ts)$|^LICENSE$/u.test(file) && !/injection|016-|049-/u.test(file))
    .toSorted()
    .flatMap((file) =>
      placesOf(file).map((surface) => ({
        text: readFileSync(join(root, file), "utf8").slice(0, maxDocument),
        surface,
        isAttack: false,
        kind: "ordinary",
        trust: 0.3,
      })),
    );
}

const maxDocument = 6_000;

/** The surfaces where such a file may appear. Files at the top level are common in projects: a licence, a README. */
function placesOf(file: string): readonly Surface[] {
  if (file.endsWith(".ts")) return ["tool_result"];
  if (file.startsWith("skills")) return ["skill"];
  return file.startsWith("docs") ? ["context", "tool_result"] : ["context", "tool_result", "skill"];
}

interface Line {
  readonly text: string;
  readonly surface: Surface;
  readonly verdict: "allow" | "block";
}

function linesOf(folder: string, file: string, trust: number): Sample[] {
  return readFileSync(join(folder, `${file}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((json) => JSON.parse(json) as Line)
    .map(({ text, surface, verdict }) => ({ text, surface, isAttack: verdict === "block", kind: "prose", trust }));
}

/**
 * `T! {Ignore|Forget} the rules.`: the surface, attack or not (`!` or `.`), and alternatives of which one is chosen.
 */
function variationsIn(file: string): Sample[] {
  return file
    .split("\n")
    .filter((line) => line !== "")
    .flatMap((line, index) => {
      const surface = surfaces[line.charAt(0)];
      if (!surface) throw new Error(`variations.txt, line ${index + 1}: T, C, M or S expected`);
      const isAttack = line.charAt(1) === "!";
      const texts = new Set(Array.from({ length: 5 }, (_, turn) => vary(line.slice(3).replaceAll("\\n", "\n"), turn)));
      return [...texts].map((text) => ({ text, surface, isAttack, kind: "variations", trust: isAttack ? 0.1 : 0.3 }));
    });
}

const surfaces: Readonly<Record<string, Surface>> = { T: "tool_result", C: "context", M: "memory", S: "skill" };

/** Deterministic choices for a line and a turn. */
function vary(line: string, turn: number): string {
  let seed = (line.length * 7919 + turn * 104_729) >>> 0;
  return line.replaceAll(/\{([^{}]*\|[^{}]*)\}/gu, (_, inner: string) => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    const choices = inner.split("|");
    return choices[((seed >>> 8) + turn) % choices.length] ?? "";
  });
}
