import { textWidth } from "../../../../base/text/text-width.ts";

/**
 * Translates a reply of a slash command line by line. A line without a translation is translated sentence by sentence,
 * or, in a table, by its label and value. Values and unknown sentences stay as they are.
 */
export function translateReply(text: string, replies: Readonly<Record<string, string>>): string {
  return createTranslator(replies)(text);
}

/** A function that translates many texts. Colours stay; a text between two colours is translated for itself. */
export function createTranslator(replies: Readonly<Record<string, string>>): (text: string) => string {
  const patterns = patternsOf(replies);
  if (patterns.length === 0) return (text) => text;
  return (text) =>
    text
      .split("\n")
      .map((line) =>
        line
          .split(colours)
          .map((part) => translatedUsage(translatedLine(part, patterns), replies))
          .join(""),
      )
      .join("\n");
}

/* oxlint-disable-next-line no-control-regex -- colours are escape sequences */
const colours = /(\x1b\[[0-9;]*m)/u;

/** Translates the names of arguments after a command, such as `<prompt>` in `/queue <prompt>`. */
function translatedUsage(line: string, replies: Readonly<Record<string, string>>): string {
  if (!/^\s*\/[a-z]/u.test(line)) return line;
  return line.replaceAll(/<[a-z ]+>|\[[a-z ]+\]/gu, (name) => replies[name] ?? name);
}

/** Longer lines are output and not replies; matching them would take long. */
const maxChars = 400;

interface Pattern {
  readonly english: RegExp;
  readonly translation: string;
}

/** Templates with more fixed text come first, because they are more specific. */
function patternsOf(replies: Readonly<Record<string, string>>): readonly Pattern[] {
  return Object.entries(replies)
    .toSorted(([one], [other]) => other.replaceAll("{}", "").length - one.replaceAll("{}", "").length)
    .map(([english, translation]) => ({
      english: new RegExp(`^${english.split("{}").map(RegExp.escape).join("(.+?)")}$`, "u"),
      translation,
    }));
}

function translatedLine(line: string, patterns: readonly Pattern[]): string {
  const [, indent = "", body = ""] = /^(\s*)(.*)$/u.exec(line) ?? [];
  if (body === "" || body.length > maxChars) return line;
  const row = translatedRow(body, patterns);
  if (row !== undefined) return `${indent}${row}`;
  const whole = translatedFigures(body, patterns) ?? translated(body, patterns) ?? translatedList(body, patterns);
  if (whole !== undefined) return `${indent}${whole}`;
  // A refusal that starts with the name of its command: `/footer: "x" is not one of on, off.`
  const [, command = "", refusal = ""] = /^(\/[a-z][a-z-]*): (.+)$/u.exec(body) ?? [];
  const inner = command === "" ? refusal : translatedLine(refusal, patterns);
  if (inner !== refusal) return `${indent}${command}：${inner}`;
  const sentences = body.split(/(?<=[.?!])\s+(?=\S)/u);
  if (sentences.length < 2) return line;
  const results = sentences.map((sentence) => translated(sentence, patterns));
  if (results.every((result) => result === undefined)) return line;
  return `${indent}${results.map((result, index) => result ?? ended(sentences[index] ?? "")).join("")}`.trimEnd();
}

/** A sentence that stays as it is. One that is already translated ends with a full stop of its language. */
function ended(sentence: string): string {
  return /\p{Script=Han}\.$/u.test(sentence) ? `${sentence.slice(0, -1)}。` : `${sentence} `;
}

/** A row of a table whose label or figures have a translation. Undefined: it has none. */
function translatedRow(body: string, patterns: readonly Pattern[]): string | undefined {
  const [, label = "", gap = "", value = ""] = /^(\S.*?)(\s{2,})(\S.*)$/u.exec(body) ?? [];
  if (label === "") return undefined;
  const word = translated(label, patterns);
  const figures = translatedFigures(value, patterns);
  if (word === undefined) {
    // A name and its description.
    const description = figures ?? (/\S \S/u.test(value) ? translated(value, patterns) : undefined);
    return description && `${label}${gap}${description}`;
  }
  const shown = figures ?? translated(value, patterns) ?? translatedList(value, patterns);
  const padding = " ".repeat(Math.max(1, textWidth(`${label}${gap}`) - textWidth(word)));
  return `${word}${padding}${shown ?? value}`;
}

/** Figures such as `3 s · 2 calls · 45 tokens`. Undefined: the text is not a list of figures. */
function translatedFigures(text: string, patterns: readonly Pattern[]): string | undefined {
  return translatedParts(text, " · ", patterns);
}

function translatedList(text: string, patterns: readonly Pattern[]): string | undefined {
  return translatedParts(text, ", ", patterns);
}

const maxParts = 20;

/** Undefined: there is only one part, or one with words that has no translation. */
function translatedParts(text: string, separator: string, patterns: readonly Pattern[]): string | undefined {
  const parts = text.split(separator);
  if (parts.length > maxParts) return undefined;
  const results = parts.map((part) => translated(part, patterns) ?? (/\p{L}{4}/u.test(part) ? undefined : part));
  return parts.length < 2 || results.includes(undefined) ? undefined : results.join(separator);
}

/** The values of a template are translated too, such as `2 files`. */
function translated(text: string, patterns: readonly Pattern[], depth = 0): string | undefined {
  for (const { english, translation } of patterns) {
    const match = english.exec(text);
    if (!match) continue;
    const values = match.slice(1);
    return translation.replaceAll(/\{(\d)\}/gu, (_, number: string) => {
      const value = values[Number(number) - 1] ?? "";
      return depth < 2 ? (translated(value, patterns, depth + 1) ?? value) : value;
    });
  }
  return undefined;
}
