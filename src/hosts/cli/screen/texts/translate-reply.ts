import { textWidth } from "../../../../base/text/text-width.ts";

/**
 * Translates a reply of a slash command line by line. A line without a translation is translated sentence by sentence,
 * or, in a table, by its label and value. Values and unknown sentences stay as they are.
 */
export function translateReply(text: string, replies: Readonly<Record<string, string>>): string {
  const patterns = patternsOf(replies);
  if (patterns.length === 0) return text;
  return text
    .split("\n")
    .map((line) => translatedUsage(translatedLine(line, patterns), replies))
    .join("\n");
}

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
  const whole = translated(body, patterns);
  if (whole !== undefined) return `${indent}${whole}`;
  // A refusal that starts with the name of its command: `/footer: "x" is not one of on, off.`
  const [, command = "", refusal = ""] = /^(\/[a-z][a-z-]*): (.+)$/u.exec(body) ?? [];
  const inner = command === "" ? refusal : translatedLine(refusal, patterns);
  if (inner !== refusal) return `${indent}${command}：${inner}`;
  const [, label = "", gap = "", value = ""] = /^(\S.*?)(\s{2,})(\S.*)$/u.exec(body) ?? [];
  const word = label === "" ? undefined : translated(label, patterns);
  if (word !== undefined) {
    const padding = " ".repeat(Math.max(1, textWidth(`${label}${gap}`) - textWidth(word)));
    return `${indent}${word}${padding}${translated(value, patterns) ?? value}`;
  }
  const sentences = body.split(/(?<=[.?!])\s+(?=\S)/u);
  if (sentences.length < 2) return line;
  const results = sentences.map((sentence) => translated(sentence, patterns));
  if (results.every((result) => result === undefined)) return line;
  return `${indent}${results.map((result, index) => result ?? `${sentences[index]} `).join("")}`.trimEnd();
}

/** The values of a template are translated too, such as `2 files`. */
function translated(text: string, patterns: readonly Pattern[], depth = 0): string | undefined {
  for (const { english, translation } of patterns) {
    const match = english.exec(text);
    if (!match) continue;
    const values = match.slice(1);
    return translation.replaceAll(/\{(\d)\}/gu, (_, number: string) => {
      const value = values[Number(number) - 1] ?? "";
      return depth < 1 ? (translated(value, patterns, depth + 1) ?? value) : value;
    });
  }
  return undefined;
}
