import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import type { Surface } from "../src/safety/injection/rule.ts";

/** A text of the corpora: its author, its batch and the correct verdict. */
export interface Sample {
  readonly author: string;
  readonly batch: string;
  readonly text: string;
  readonly surface: Surface;
  readonly isAttack: boolean;
  /** True: written without knowledge of the scanner; other texts are only learned. */
  readonly isMeasured: boolean;
  /** True: written as a complete benchmark, with knowledge of the patterns of the Python version. */
  readonly isBlind: boolean;
  /** True: a document of an installed package, which is ordinary text. */
  readonly isDocument: boolean;
}

/** Files of test/fixtures/injection by author. */
const authors: Readonly<Record<string, readonly string[]>> = {
  first: ["rules", "held-out", "batches"],
  second: ["second-author", "minimal-pairs"],
  third: ["third-author"],
  fourth: ["fourth-author"],
  fifth: ["fifth-author"],
  short: ["authors/short"],
  ...Object.fromEntries(Array.from("abcdefghijklmno", (letter) => [letter, [`authors/${letter}`]])),
};

export function samplesIn(root: string): Sample[] {
  const folder = join(root, "test/fixtures/injection");
  return [
    ...ordinaryIn(root),
    ...documentsIn(root),
    ...Object.entries(authors).flatMap(([author, files]) => files.flatMap((file) => linesOf(folder, author, file))),
    ...variationsIn(readFileSync(join(folder, "variations.txt"), "utf8")),
  ];
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
    .filter((file) => /\.(?:md|ts)$|^LICENSE$/u.test(file) && !/injection|016-/u.test(file))
    .toSorted()
    .flatMap((file) =>
      placesOf(file).map((surface) => ({
        author: "ordinary",
        batch: "ordinary",
        text: readFileSync(join(root, file), "utf8").slice(0, maxDocument),
        surface,
        isAttack: false,
        isMeasured: false,
        isBlind: false,
        isDocument: false,
      })),
    );
}

/** Documents of the installed packages, by the first letter of the package, in turn at each place. */
function documentsIn(root: string): Sample[] {
  return packageDocuments(root)
    .filter(({ isHeldOut }) => !isHeldOut)
    .map(({ name, text }, index) => ({
      author: name,
      batch: "documents",
      text: text.slice(0, maxDocument),
      surface: (["context", "skill", "tool_result", "memory"] as const)[index % 4] ?? "context",
      isAttack: false,
      isMeasured: true,
      isBlind: false,
      isDocument: true,
    }));
}

const maxDocument = 16_000;

/** Markdown files of installed packages. Every third package is held out. */
export function packageDocuments(root: string): { name: string; text: string; isHeldOut: boolean }[] {
  const folder = join(root, "node_modules");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:md|markdown)$/iu.test(file))
    .toSorted()
    .map((file) => ({
      name: file.replace(/^@[^/]*\//u, ""),
      text: readFileSync(join(folder, file), "utf8"),
      isHeldOut: (file.charCodeAt(1) + file.charCodeAt(2)) % 3 === 0,
    }));
}

/** The surfaces where such a file may appear. Files at the top level are common in projects: a licence, a README. */
function placesOf(file: string): readonly Surface[] {
  if (file.endsWith(".ts")) return ["tool_result"];
  if (file.startsWith("skills")) return ["skill"];
  return file.startsWith("docs") ? ["context", "tool_result"] : ["context", "tool_result", "skill"];
}

interface Line {
  readonly id: string;
  readonly text: string;
  readonly surface: Surface;
  readonly verdict: "allow" | "block";
}

function linesOf(folder: string, author: string, file: string): Sample[] {
  return readFileSync(join(folder, `${file}.jsonl`), "utf8")
    .trim()
    .split("\n")
    .map((json) => JSON.parse(json) as Line)
    .map(({ id, text, surface, verdict }, index) => ({
      author,
      batch: `${author}/${/^(?:b|d)\d+(?=-)/u.exec(id)?.[0] ?? `${file}-${Math.floor(index / 90)}`}`,
      text,
      surface,
      isAttack: verdict === "block",
      isMeasured: true,
      isBlind: author.length === 1,
      isDocument: false,
    }));
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
      return [...texts].map((text) => ({
        author: "variations",
        batch: "variations",
        text,
        surface,
        isAttack,
        isMeasured: false,
        isBlind: false,
        isDocument: false,
      }));
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
