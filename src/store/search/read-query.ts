import { cut } from "../../base/text/text.ts";
import type { Splitter } from "./split-words.ts";

/** One word or identifier of a query. */
export interface QueryUnit {
  readonly token: string;
  readonly kind: "word" | "whole" | "pair" | "letter";
  /** The parts of an identifier. */
  readonly parts: readonly string[];
}

/** The text between two spaces, or between quotes. */
export interface QueryTerm {
  readonly written: string;
  readonly units: readonly QueryUnit[];
  /** Words, parts of words and runs of letters without spaces, in order. */
  readonly pieces: readonly string[];
  /** True if the parts must be adjacent in the text. */
  readonly isPhrase: boolean;
  /** True if the last unit is a prefix of a word. */
  readonly isPrefix: boolean;
  /** True for a common word that is ignored next to other words. */
  readonly isFiller: boolean;
}

/** A query: one term of each group must match, and no term of `without` may match. */
export interface ReadQuery {
  readonly groups: readonly (readonly QueryTerm[])[];
  readonly without: readonly QueryTerm[];
  /** True if the query has more terms than the limit. */
  readonly isCut: boolean;
}

/** Parses a query. Any text is valid. */
export function readQuery(text: string, splitter: Splitter): ReadQuery {
  const groups: QueryTerm[][] = [];
  const without: QueryTerm[] = [];
  let joinsLast = false;
  let negates = false;
  let units = 0;
  const short = cut(text, maxQueryChars);
  for (const { groups: parts } of short.matchAll(written)) {
    const { minus, quoted, bare } = parts ?? {};
    if (bare === "OR" || bare === "|" || bare === "||") {
      joinsLast = groups.length > 0;
      continue;
    }
    if (bare === "AND" || bare === "&&" || bare === "NOT") {
      negates ||= bare === "NOT";
      continue;
    }
    const term = readTerm(quoted ?? bare ?? "", quoted !== undefined, splitter);
    const isLeftOut = negates || (minus !== undefined && minus !== "");
    const last = joinsLast ? groups.at(-1) : undefined;
    negates = false;
    joinsLast = false;
    if (!term) continue;
    units += term.units.length;
    if (units > maxUnits) break;
    if (isLeftOut) without.push(term);
    else if (last) last.push(term);
    else groups.push([term]);
  }
  const isCut = short.length < text.length || units > maxUnits;
  // A query that has only exclusions is more likely a command-line option.
  if (groups.length === 0) return { groups: without.map((term) => [term]), without: [], isCut };
  return { groups: withoutFillers(groups), without, isCut };
}

const maxQueryChars = 2_000;
const maxUnits = 48;
/** The maximum number of parts of an identifier; more are not needed to recognize it. */
const maxParts = 12;
/** A minus excludes the word directly after it, but only at the start of a word. */
const written = /(?<minus>(?<![^\s(])-(?![-\s]))?(?:["“”„«](?<quoted>[^"“”„»]*)["“”»]?|(?<bare>[^\s"“”„«»]+))/gu;

function readTerm(text: string, isQuoted: boolean, { split }: Splitter): QueryTerm | undefined {
  const units: QueryUnit[] = [];
  const pieces: string[] = [];
  let whole: { readonly parts: string[]; readonly to: number } | undefined;
  let run = "";
  split(text, (token, from, to, _, kind) => {
    if (kind === "pair") run += firstLetter(token);
    else if (kind !== "whole") {
      pieces.push(run + token);
      run = "";
    }
    if (kind === "whole") {
      whole = { parts: [], to };
      units.push({ token, kind, parts: whole.parts });
    } else if (whole && from < whole.to) {
      if (whole.parts.length < maxParts) whole.parts.push(token);
    }
    // The pair before it already contains the last letter of a run.
    else if (kind !== "letter" || units.at(-1)?.kind !== "pair") units.push({ token, kind, parts: [] });
  });
  const [first, second] = units;
  if (!first) return undefined;
  return {
    written: text.trim(),
    units,
    pieces,
    isPhrase: isQuoted && pieces.length > 1,
    isPrefix: /[\p{L}\p{N}]{2}\*+$/u.test(text),
    isFiller: !isQuoted && second === undefined && isStopWord(first.token),
  };
}

function firstLetter(token: string): string {
  return String.fromCodePoint(token.codePointAt(0) ?? 0);
}

/** Ignores very common words if there are others. */
function withoutFillers(groups: readonly (readonly QueryTerm[])[]): readonly (readonly QueryTerm[])[] {
  const telling = groups.filter((terms) => !terms.every(({ isFiller }) => isFiller));
  return telling.length > 0 ? telling : groups;
}

/** Whether nearly every text of the language contains this normalised word. */
function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

const stopWords: ReadonlySet<string> = new Set(
  [
    "a an the of to in on at by for from with and or but not is are was were be been am do does did done has have had",
    "i you he she it we they me my our your us them this that these those there here what which who whom when where why",
    "how about say said tell told talk talked discuss discussed mention mentioned remember recall know if then than so",
    "as can could would should will shall may might let please any some all no yes into out up down over again",
    "der die das den dem des ein eine einen einem einer und oder aber nicht ist sind war waren sein hat haben hatte wir",
    "ihr sie er es ich du mich mir uns was wer wie wo wann warum mit von zu zum zur auf fur im am an bei uber als auch",
    "le la les un une des du de et ou est sont que qui dans pour avec sur ce cette nous vous el los las y en es por con",
    "и в во на с со что как это мы вы он она они не по за из от у к о об а но же ли бы был была были",
    "في من على الى عن ما هذا هذه التي الذي كان مع هل لا او ان",
  ].flatMap((line) => line.split(" ")),
);
