import { endsInCodeBlock } from "../../base/text/text.ts";

/**
 * Splits reasoning between tags from the text of a model. A tag is recognised at the start of an answer or a line and
 * outside of code blocks, so that an answer can mention tags; an unmatched closing tag is also recognised directly
 * after a word. Tags may be split between chunks.
 */
export interface ThinkSplitter {
  push(delta: string): void;
  /** Emits text that was held back. */
  end(): void;
  /**
   * The number of characters of the text that turned out to be reasoning because of an unmatched closing tag. Usually
   * 0.
   */
  misread(): number;
}

export interface ThinkSink {
  text(delta: string): void;
  reasoning(delta: string): void;
  /** All text so far. */
  textSoFar(): string;
}

const names = "think thinking reasoning thought reasoning_scratchpad mm:think seed:think 思考 反思 推理".split(" ");
const openings = names.map((name) => `<${name}>`);
const closings = names.map((name) => `</${name}>`);
const tags = [...openings, ...closings];
const maxTagChars = Math.max(...tags.map((tag) => tag.length));

export function createThinkSplitter(sink: ThinkSink): ThinkSplitter {
  let held = "";
  /** The closing tag of the current reasoning. */
  let closing: string | undefined;
  let skipSpace = false;
  let lineStart = true;
  let seenTag = false;
  let misread = 0;
  let looks = 0;

  function text(piece: string): void {
    const shown = skipSpace ? piece.trimStart() : piece;
    if (shown === "") return;
    skipSpace = false;
    lineStart = shown.charCodeAt(shown.length - 1) === newline || (lineStart && shown.trim() === "");
    sink.text(shown);
  }

  /** Returns the rest after a tag, or undefined if all input was emitted or held back. */
  function readText(input: string): string | undefined {
    const first = input.search(/\S/u);
    for (let index = input.indexOf("<"); index >= 0; index = input.indexOf("<", index + 1)) {
      const begins = (lineStart && index === first) || input.charCodeAt(index - 1) === newline;
      if (!begins && (seenTag || (input[index + 1] ?? "/") !== "/")) continue;
      const possible = begins ? tags : closings;
      const rest = input.slice(index, index + maxTagChars).toLowerCase();
      const tag = possible.find((one) => rest.startsWith(one));
      if (tag === undefined) {
        if (!possible.some((one) => one.startsWith(rest))) continue;
        text(input.slice(0, index));
        held = input.slice(index);
        return undefined;
      }
      const isOpening = openings.includes(tag);
      if ((!isOpening && seenTag) || (looks += 1) > maxLooks) continue;
      const before = sink.textSoFar() + input.slice(0, index);
      if (endsInCodeBlock(before) || (!begins && !closesBehindWord(before, tag))) continue;
      text(input.slice(0, index));
      seenTag = true;
      if (isOpening) closing = `</${tag.slice(1)}`;
      else misread = sink.textSoFar().length;
      skipSpace = !isOpening;
      return input.slice(index + tag.length);
    }
    text(input);
    return undefined;
  }

  function readReasoning(input: string, until: string): string | undefined {
    const index = input.search(new RegExp(until, "iu"));
    if (index >= 0) {
      if (index > 0) sink.reasoning(input.slice(0, index));
      closing = undefined;
      skipSpace = true;
      lineStart = true;
      return input.slice(index + until.length);
    }
    const tail = input.lastIndexOf("<");
    const cutTag = tail >= 0 && until.startsWith(input.slice(tail).toLowerCase());
    if (cutTag) held = input.slice(tail);
    const output = cutTag ? input.slice(0, tail) : input;
    if (output !== "") sink.reasoning(output);
    return undefined;
  }

  return {
    push(delta) {
      if (closing === undefined && held === "" && !delta.includes("<")) return text(delta);
      let rest: string | undefined = held + delta;
      held = "";
      while (rest !== undefined && rest !== "")
        rest = closing === undefined ? readText(rest) : readReasoning(rest, closing);
    },
    end() {
      const rest = held;
      held = "";
      if (rest === "") return;
      if (closing === undefined) text(rest);
      else sink.reasoning(rest);
    },
    misread: () => misread,
  };
}

const newline = 10;

/** The maximum number of scans over the whole text. If there are more tags, the answer discusses them. */
const maxLooks = 100;

/** Returns false if an answer only mentions tags: after a space or a quote, in code, or after the opening tag. */
function closesBehindWord(before: string, closing: string): boolean {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const isCode = (line.match(/`/gu)?.length ?? 0) % 2 === 1;
  return /[^\s"'([{<`]$/u.test(line) && !isCode && !before.toLowerCase().includes(`<${closing.slice(2)}`);
}
