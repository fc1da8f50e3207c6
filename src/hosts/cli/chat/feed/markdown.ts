import type { Paint } from "../../paint.ts";

/** Formats the Markdown of one answer while it streams. Holds back only an unclosed mark. */
export interface MarkdownPainter {
  push(text: string): string;
  /** Returns the rest unchanged. The next text starts a line; an open code block stays open. */
  end(): string;
}

/** A mark that stays open longer than this is plain text. */
const maxHeldChars = 400;

export function createMarkdownPainter(paint: Paint): MarkdownPainter {
  let held = "";
  let isLineStart = true;
  let isHeading = false;
  /** The end marker of the open code block. */
  let fence = "";

  const shown = (text: string) => (isHeading && text !== "" ? paint.bold(text) : text);

  /** One step: the number of consumed characters and their output. Undefined: more text is needed. */
  function step(text: string): { readonly took: number; readonly out: string } | undefined {
    if (isLineStart) return lineStart(text);
    const end = text.indexOf("\n");
    const line = end < 0 ? text : text.slice(0, end);
    if (line === "") {
      [isLineStart, isHeading] = [true, false];
      return { took: 1, out: "\n" };
    }
    if (fence !== "") return { took: line.length, out: line };
    const plain = /^[^*`]+/u.exec(line)?.[0] ?? "";
    if (plain !== "") return { took: plain.length, out: shown(plain) };
    return marked(line, end >= 0);
  }

  function lineStart(text: string) {
    const end = text.indexOf("\n");
    const line = end < 0 ? text : text.slice(0, end);
    const mark = /^ {0,3}(?<mark>`{3,}|~{3,})/u.exec(line)?.groups?.["mark"];
    const isFence = mark !== undefined && (fence === "" || (line.trim() === mark && mark.startsWith(fence)));
    // The language of the fence may follow.
    if (isFence && end < 0) return undefined;
    if (isFence) {
      fence = fence === "" ? mark : "";
      return { took: end + 1, out: `${paint.dim(line)}\n` };
    }
    if (end < 0 && undecided.test(text)) return undefined;
    isLineStart = false;
    if (fence !== "") return { took: 0, out: "" };
    const [all = "", indent = "", sign = ""] = /^(\s*)(#{1,6}|[-*+]|>) +/u.exec(line) ?? [];
    if (sign.startsWith("#")) isHeading = true;
    if (sign === "" || all.length === line.length) return { took: 0, out: "" };
    return { took: all.length, out: `${indent}${isHeading ? "" : paint.dim(sign === ">" ? "│ " : "• ")}` };
  }

  /** Formats at `*` or a backtick. */
  function marked(line: string, isWhole: boolean) {
    const mark = /^(?:\*+|`+)/u.exec(line)?.[0] ?? "";
    const isCode = mark.startsWith("`");
    if (mark === line && !isWhole) return undefined;
    const isMark = (isCode && mark.length < 3) || (mark === "**" && /^\*\*[^\s*]/u.test(line));
    if (!isMark) return { took: mark.length, out: shown(mark) };
    const inner = line.slice(mark.length);
    const close = inner.indexOf(mark);
    // The next character may belong to the closing mark.
    const isSure = close >= 0 && (isWhole || inner.length > close + mark.length);
    if (isSure) {
      const words = inner.slice(0, close);
      return { took: close + 2 * mark.length, out: isCode ? paint.accent(words) : paint.bold(words) };
    }
    return isWhole || line.length > maxHeldChars ? { took: mark.length, out: shown(mark) } : undefined;
  }

  return {
    push(text) {
      let rest = held + text;
      let out = "";
      while (rest !== "") {
        const next = step(rest);
        if (next === undefined && rest.length <= 2 * maxHeldChars) break;
        const { took, out: piece } = next ?? { took: rest.length, out: rest };
        out += piece;
        rest = rest.slice(took);
      }
      held = rest;
      return out;
    },
    end() {
      const rest = held;
      held = "";
      [isLineStart, isHeading] = [true, false];
      return rest;
    },
  };
}

/** Text that could still become a heading, a list, a quote or a fence. */
const undecided = /^\s*(?:#{0,6}|[-*+>]|`{1,}|~{1,})? *$/u;
