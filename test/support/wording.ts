import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

import {
  type ForbiddenPhrase,
  forbiddenNames,
  forbiddenPhrases,
  quotations,
  uncheckedFiles,
} from "./forbidden-words.ts";
import { type Token, tokensOf } from "./source-tokens.ts";

export interface WordingHit {
  readonly file: string;
  readonly line: number;
  /** The forbidden name or phrase as the file spells it. */
  readonly words: string;
  readonly instead: string;
  readonly kind: "name" | "phrase";
}

/** Every file of the repository whose words are checked, as sorted paths with forward slashes. */
export function checkedFiles(root: string): readonly string[] {
  return globSync(["*.md", "hermes", "{src,test,bench,scripts}/**/*.{ts,mjs}", "docs/**/*.md"], { cwd: root })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => !uncheckedFiles.some((pattern) => pattern.test(file)))
    .toSorted();
}

export function hitsOfFile(root: string, file: string, exempt = quotations): readonly WordingHit[] {
  return wordingHits(file, readFileSync(join(root, file), "utf8"), exempt);
}

/** The hits of one file by line. */
export function wordingHits(file: string, text: string, exempt = quotations): readonly WordingHit[] {
  const isCode = /\.(ts|mjs)$/.test(file);
  const tokens = isCode ? tokensOf(text) : [];
  const passages = isCode ? passagesOf(tokens) : [{ text, line: 1, isComment: false }];
  const lines = text.split("\n");
  const isQuotation = (hit: WordingHit): boolean =>
    exempt.some((quotation) => quotation.file === file && lines[hit.line - 1]?.includes(quotation.text));
  return [...nameHits(file, tokens), ...passages.flatMap((passage) => phraseHits(file, passage))]
    .filter((hit) => !isQuotation(hit))
    .toSorted((a, b) => a.line - b.line);
}

interface Passage {
  readonly text: string;
  readonly line: number;
  readonly isComment: boolean;
}

function phraseHits(file: string, { text, line, isComment }: Passage): readonly WordingHit[] {
  if (!anyPhrase.test(text)) return [];
  return searches.flatMap(({ rule, search }) => {
    if (rule.only === "comments" && !isComment) return [];
    return [...text.matchAll(search)].map((match) => ({
      file,
      line: line + text.slice(0, match.index).split("\n").length - 1,
      words: match[0].replace(/\s+/g, " ").trim(),
      instead: rule.instead,
      kind: "phrase" as const,
    }));
  });
}

const searches = forbiddenPhrases.map((rule) => ({ rule, search: new RegExp(patternOf(rule), "gi") }));

/** One search instead of one for each phrase: few passages contain any of them. */
const anyPhrase = new RegExp(forbiddenPhrases.map((rule) => `(?:${patternOf(rule)})`).join("|"), "i");

function patternOf({ phrase }: ForbiddenPhrase): string {
  return phrase.source.replaceAll(" ", "\\s+").replace(/^\^/, "^\\s*");
}

/** Comments on consecutive lines form one passage. A string without a space is a value and not prose. */
function passagesOf(tokens: readonly Token[]): readonly Passage[] {
  const passages: Passage[] = [];
  let lastLine = -1;
  let comment: string[] = [];
  const close = (): void => {
    if (comment.length > 0)
      passages.push({ text: comment.join("\n"), line: lastLine - comment.length + 1, isComment: true });
    comment = [];
  };
  for (const token of tokens) {
    if (token.kind === "comment") {
      if (token.line !== lastLine + 1) close();
      comment.push(...token.text.split("\n").map((line) => line.replace(/^\s*(\/\/+|\/\*+|\*+(?!\/))|\*+\/$/g, "")));
      lastLine = token.line + token.text.split("\n").length - 1;
    } else {
      close();
      lastLine = -1;
      if (token.kind === "string" && /\S\s+\S/.test(token.text))
        passages.push({ text: token.text, line: token.line, isComment: false });
    }
  }
  close();
  return passages;
}

function nameHits(file: string, tokens: readonly Token[]): readonly WordingHit[] {
  const code = tokens.filter((token) => token.kind !== "comment");
  return code.flatMap((token, index) => {
    const instead = Object.hasOwn(forbiddenNames, token.text) ? forbiddenNames[token.text] : undefined;
    if (token.kind !== "name" || instead === undefined || !isDeclared(code, index)) return [];
    return [{ file, line: token.line, words: token.text, instead, kind: "name" as const }];
  });
}

/** Whether the name is declared here: variable, function, type, parameter, or part of a destructuring pattern. */
function isDeclared(code: readonly Token[], index: number): boolean {
  const before = code[index - 1]?.text ?? "";
  const after = code[index + 1]?.text ?? "";
  const bracket = code[index]?.bracket;
  if (["const", "let", "var", "function", "type", "interface", "class"].includes(before)) return true;
  if (after === "=>") return true;
  if (bracket === "(") return isParameter(code, index);
  return (bracket === "{" || bracket === "[") && isPattern(code, index);
}

/** `(name: T`, `, name?: T`, and plain names of an arrow function's list, `(a, name) =>`. */
function isParameter(code: readonly Token[], index: number): boolean {
  const before = code[index - 1]?.text ?? "";
  if (!["(", ",", ".", "readonly", "private"].includes(before)) return false;
  if (before === "." && code[index - 2]?.text !== ".") return false;
  const after = code[index + 1]?.text;
  if (after === ":" || (after === "?" && code[index + 2]?.text === ":")) return true;
  const close = closingOf(code, index);
  return (after === "," || after === ")" || after === "=") && code[close + 1]?.text === "=>";
}

/** `const { name } = …`, `const [name] = …`, `({ name }) =>`, `{ key: name }: T`. */
function isPattern(code: readonly Token[], index: number): boolean {
  const after = code[index + 1]?.text ?? "";
  if (![",", "}", "]", "="].includes(after)) return false;
  const close = closingOf(code, index);
  const open = openingOf(code, index);
  const beforeOpen = code[open - 1]?.text ?? "";
  const afterClose = code[close + 1]?.text ?? "";
  if (["const", "let", "var"].includes(beforeOpen)) return true;
  const isInList = beforeOpen === "(" || beforeOpen === ",";
  if (!isInList || code[open]?.bracket !== "(") return false;
  return afterClose === ":" || code[closingOf(code, close) + 1]?.text === "=>";
}

/** Index of the bracket that closes the innermost bracket around a token. */
function closingOf(code: readonly Token[], index: number): number {
  return scan(code, index, 1, "([{", ")]}");
}

function openingOf(code: readonly Token[], index: number): number {
  return scan(code, index, -1, ")]}", "([{");
}

function scan(code: readonly Token[], from: number, step: 1 | -1, deeper: string, higher: string): number {
  let depth = 0;
  for (let index = from + step; index >= 0 && index < code.length; index += step) {
    const token = code[index];
    if (token?.kind !== "punctuation") continue;
    if (deeper.includes(token.text)) depth++;
    else if (higher.includes(token.text) && depth-- === 0) return index;
  }
  return step === 1 ? code.length : -1;
}
