import { createPlainStream } from "../../markdown/plain-stream.ts";
import { createMarkdownStream, type MarkdownStream } from "../../markdown/render-markdown.ts";
import { runStyles } from "../../markdown/text-runs.ts";
import type { Theme } from "../parts.ts";

export type BlockKind = "prompt" | "answer" | "reasoning" | "call" | "plan" | "note";

type Piece =
  | { readonly type: "lines"; readonly kind: BlockKind | "command"; draw(columns: number): readonly string[] }
  | { readonly type: "text"; readonly kind: "answer" | "reasoning"; text: string }
  | { readonly type: "end" }
  | { readonly type: "pause" };

/** Collects blocks in order and returns each line once, as soon as it can no longer change. */
export interface FinishedLines {
  add(kind: BlockKind | "command", draw: (columns: number) => readonly string[]): void;
  /** Streaming text. Blocks that are added meanwhile are placed before its unfinished line. */
  text(kind: "answer" | "reasoning", delta: string): void;
  /** Ends the streaming text. */
  end(): void;
  /** Ends the current line; open code stays open. */
  pause(): void;
  /** The kind of the last line that was taken. */
  readonly lastKind: BlockKind | undefined;
  take(columns: number): readonly string[];
  /** The lines of the streaming text that may still change. */
  open(columns: number, maxLines: number): readonly string[];
}

interface FinishedLinesParts {
  theme(): Theme;
  display(): { readonly markdown: boolean };
  /** True: the terminal has links (OSC 8). */
  readonly hyperlinks?: boolean;
}

export function createFinishedLines(parts: FinishedLinesParts): FinishedLines {
  let pieces: Piece[] = [];
  let columns = 80;
  let lastKind: BlockKind | undefined;
  let stream: { readonly kind: "answer" | "reasoning"; readonly lines: MarkdownStream } | undefined;
  /** Empty lines are held until a line follows. */
  let blanks = 0;

  /** Whether an empty line separates two blocks: between different kinds, and before typed lines. */
  function put(given: BlockKind | "command", lines: readonly string[], out: string[]): void {
    // The reply to a command follows it.
    const kind = given === "command" ? "note" : given;
    let isStart = kind === "prompt" || given === "command";
    for (const line of lines) {
      if (line === "") {
        if (lastKind === kind) blanks++;
        continue;
      }
      if (lastKind !== undefined && (lastKind !== kind || isStart)) blanks = 1;
      for (; blanks > 0; blanks--) out.push("");
      out.push(line);
      lastKind = kind;
      isStart = false;
    }
  }

  function putText({ kind, text }: Extract<Piece, { type: "text" }>, out: string[]): void {
    if (stream && stream.kind !== kind) endStream(out);
    stream ??= { kind, lines: createTextStream(kind, parts, () => columns) };
    put(kind, stream.lines.push(text), out);
  }

  function pauseStream(out: string[]): void {
    if (stream) put(stream.kind, stream.lines.end(), out);
  }

  function endStream(out: string[]): void {
    if (!stream) return;
    const { kind, lines } = stream;
    stream = undefined;
    put(kind, lines.end(), out);
    blanks = 0;
  }

  return {
    add: (kind, draw) => void pieces.push({ type: "lines", kind, draw }),
    text(kind, delta) {
      if (delta === "") return;
      const last = pieces.at(-1);
      if (last?.type === "text" && last.kind === kind) last.text += delta;
      else pieces.push({ type: "text", kind, text: delta });
    },
    end: () => void (pieces.at(-1)?.type !== "end" && pieces.push({ type: "end" })),
    pause: () => void pieces.push({ type: "pause" }),
    get lastKind() {
      return lastKind;
    },
    take(width) {
      columns = width;
      const out: string[] = [];
      for (const piece of pieces) {
        if (piece.type === "text") putText(piece, out);
        else if (piece.type === "end") endStream(out);
        else if (piece.type === "pause") pauseStream(out);
        else put(piece.kind, piece.draw(columns), out);
      }
      pieces = [];
      return out;
    },
    open(width, maxLines) {
      columns = width;
      if (!stream) return [];
      const lines = stream.lines.open(maxLines);
      return lastKind !== undefined && lastKind !== stream.kind && lines.length > 0 ? ["", ...lines] : lines;
    },
  };
}

/** Answers are Markdown, unless the settings say otherwise. Reasoning is dim. */
function createTextStream(
  kind: "answer" | "reasoning",
  { theme, display, hyperlinks }: FinishedLinesParts,
  columns: () => number,
): MarkdownStream {
  const paint = theme();
  if (kind === "reasoning") return createPlainStream({ paint, columns, style: runStyles.dim, margin: "╎ " });
  return display().markdown
    ? createMarkdownStream({ paint, columns, hyperlinks: hyperlinks === true })
    : createPlainStream({ paint, columns });
}
