import { oneLine } from "../../base/text/text.ts";
import { durationText, timeText } from "../../base/text/time-text.ts";
import type { ContentPart } from "../../contracts/model/message.ts";
import { exchangesUpTo } from "../branches.ts";
import { withoutControlChars } from "./escape-html.ts";
import {
  sessionLabel,
  type ReadableCall,
  type ReadableExchange,
  type ReadablePart,
  type ReadableSession,
} from "./readable-session.ts";

/** Exports the session as Markdown: the current branch, then the differences of the others. */
export function* markdownPage(session: ReadableSession): Generator<string> {
  for (const piece of pieces(session)) yield withoutControlChars(piece);
}

function* pieces({ record, tree, exchanges }: ReadableSession): Generator<string> {
  const { id, createdAt, model, cwd, tags } = record;
  yield `# ${plain(sessionLabel(record))}\n\n`;
  const facts = [
    `- Session: ${span(id)}`,
    `- Started: ${timeText(createdAt)}`,
    ...(model === undefined ? [] : [`- Model: ${plain(model)}`]),
    ...(cwd === undefined ? [] : [`- Folder: ${span(cwd)}`]),
    ...(tags ? [`- Tags: ${plain(tags.join(", "))}`] : []),
  ];
  yield `${facts.join("\n")}\n`;
  const notices = new Set<number>();
  const current = tree.branches.filter(({ isCurrent }) => isCurrent);
  const others = tree.branches.filter(({ isCurrent }) => !isCurrent);
  for (const { name, last, from, isCurrent } of [...current, ...others]) {
    const own = exchangesUpTo(tree, last).filter((number) => !notices.has(number));
    if (own.length === 0) continue;
    const parts = exchanges[(own[0] ?? 1) - 1]?.after ?? from;
    const begins = parts === undefined ? "from the start" : `after ${parts}`;
    if (!isCurrent) yield `\n---\n\n## Branch ${plain(name)}, ${begins}\n`;
    for (const number of own) {
      notices.add(number);
      const exchange = exchanges[number - 1];
      if (exchange) yield exchangeText(exchange);
    }
  }
}

function exchangeText({ number, at: askedAt, parts }: ReadableExchange): string {
  return `\n## ${number} · ${timeText(askedAt)}\n\n${parts.map(partText).filter(Boolean).join("\n\n")}\n`;
}

function partText(part: ReadablePart): string {
  switch (part.kind) {
    case "asked":
      return `**You**\n\n${part.content.map((each) => contentText(each, harmless)).join("\n\n")}`;
    case "answered": {
      const text = part.content.map((each) => contentText(each, harmless)).join("\n\n");
      return text.trim() === "" ? "" : `**Hermes**\n\n${text}`;
    }
    case "call":
      return callText(part);
    case "shortened":
      return `*${part.title}.*`;
    case "damaged":
      return `*An entry is damaged: ${plain(part.why)}*`;
  }
}

function callText({ tool, args, result }: ReadableCall): string {
  const mark = !result ? "–" : result.isOk ? "✓" : "✗";
  const took = result && result.durationMs >= 1000 ? `, ${durationText(result.durationMs)}` : "";
  const output = result ? result.content.map((each) => contentText(each, fenced)).join("\n\n") : "It has no result.";
  const summary = `${mark} <b>${escaped(tool)}</b> ${escaped(oneLine(args.slice(0, 1_000), 100))}${took}`;
  return `<details><summary>${summary}</summary>\n\n${fenced(args)}\n\n${output}\n\n</details>`;
}

function contentText(part: ContentPart, textOf: (text: string) => string): string {
  if (part.type === "text") return textOf(part.text);
  return part.type === "file" ? `[file ${span(part.path)}]` : `[${part.type}]`;
}

/** Wraps the text in a fence that is longer than any fence inside. */
function fenced(text: string): string {
  const max = Math.max(2, ...Array.from(text.matchAll(/`{3,}/gu), ([run]) => run.length));
  const fence = "`".repeat(max + 1);
  return `${fence}\n${text.replace(/\n$/u, "")}\n${fence}`;
}

/** Makes untrusted Markdown safe: escapes HTML, loads nothing, closes an open fence. */
function harmless(text: string): string {
  let fence: string | undefined;
  /** Until the paragraph ends, it is unknown which parts are code, so everything is treated as text. */
  let isUnsure = false;
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence !== undefined) {
      if (mark?.startsWith(fence) && /^[`~\s]+$/u.test(line)) fence = undefined;
      return line;
    }
    if (line.trim() === "") isUnsure = false;
    if (mark === undefined) {
      isUnsure ||= /``|\\`/u.test(line) || line.split("`").length % 2 === 0;
      return isUnsure ? harmlessPiece(line) : harmlessLine(line);
    }
    fence = mark;
    // The text after the fence is a language name and never contains HTML.
    return line.replaceAll("<", "");
  });
  return [...lines, ...(fence === undefined ? [] : [fence])].join("\n");
}

function harmlessLine(line: string): string {
  const pieces = line.split("`");
  return pieces.map((piece, index) => (index % 2 === 1 ? piece : harmlessPiece(piece))).join("`");
}

function harmlessPiece(text: string): string {
  return text.replaceAll(/\\*<(?=[a-z!/?])/giu, "\\<").replaceAll(/!\\*\[/gu, "!\\[");
}

function span(text: string): string {
  return `\`${oneLine(text.replaceAll("`", "'"), 1_000)}\``;
}

function plain(text: string): string {
  return oneLine(text, 1_000).replaceAll(/[\\`*_[\]<>#|]/gu, (char) => `\\${char}`);
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
