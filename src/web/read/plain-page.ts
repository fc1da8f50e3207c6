import { parsedJson } from "../../base/json.ts";
import { fencedCode } from "./html/code-text.ts";
import { visible } from "./html/inline-text.ts";
import type { PageKind, PageText } from "./page-text.ts";

/** Text, Markdown, JSON and XML: shown unchanged, without invisible text. */
export function readPlain(
  text: string,
  kind: Exclude<PageKind, "html" | "feed" | "document">,
): Omit<PageText, "wholeLength"> {
  const lines = visible(text.replaceAll(/\r\n?/gu, "\n")).trimEnd();
  const page = { kind, links: [], needsScript: false, notes: [] };
  if (kind === "text") return { ...page, markdown: lines };
  if (kind === "xml") return { ...page, markdown: fencedCode(lines, "xml") };
  if (kind === "json") return { ...page, markdown: fencedCode(indentedJson(lines), "json") };
  const markdown = cleanMarkdown(lines);
  const title = /^#\s+(.+?)\s*#*$/mu.exec(markdown)?.[1];
  return { ...page, ...(title === undefined ? {} : { title }), markdown };
}

/** One value per line. Numbers stay as written, because parsing would round long ones. */
function indentedJson(json: string): string {
  if (json.length > maxIndentedChars || parsedJson(json) === undefined) return json;
  const parts: string[] = [];
  let depth = 0;
  const line = () => `\n${" ".repeat(Math.min(depth, maxIndent))}`;
  let before = "";
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/gu)) {
    if (token === "}" || token === "]") {
      depth--;
      parts.push(before === "{" || before === "[" ? token : line() + token);
    } else {
      if (before === "{" || before === "[") parts.push(line());
      parts.push(token);
      if (token === ",") parts.push(line());
      else if (token === ":") parts.push(" ");
      else if (token === "{" || token === "[") depth++;
    }
    before = token;
  }
  return parts.join("");
}

/** Removes comments and inline images, which a renderer does not show. Code stays unchanged. */
function cleanMarkdown(text: string): string {
  const parts: string[] = [];
  let lines: string[] = [];
  let fence = "";
  const flush = (isCode: boolean) => {
    const part = lines.join("\n");
    parts.push(isCode ? part : withoutHidden(part));
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/u.exec(line)?.[1];
    if (fence === "" && mark !== undefined) {
      flush(false);
      fence = mark;
      lines.push(line);
    } else if (fence !== "" && mark?.startsWith(fence) === true && line.trim() === mark) {
      lines.push(line);
      flush(true);
      fence = "";
    } else lines.push(line);
  }
  flush(fence !== "");
  return parts.join("\n").trim();
}

function withoutHidden(text: string): string {
  return text
    .replaceAll(/<!--[\s\S]*?(?:-->|$)/gu, "")
    .replaceAll(/!\[([^\]\n]{0,500})\]\(\s*<?data:[^)]*\)/giu, "[IMAGE: $1]");
}

const maxIndentedChars = 5_000_000;
const maxIndent = 24;
