import { once } from "../../../base/async/once.ts";
import { clustersOf, clusterWidth, textWidth } from "../../../base/text/text-width.ts";
import { runsWidth, runText, type TextRun } from "./text-runs.ts";

export type RunLine = readonly TextRun[];

export interface RunWrapOptions {
  columns(): number;
  /** Printed before the first line, and before each further line. */
  readonly first?: RunLine;
  readonly hang?: RunLine;
  /** The minimum number of columns for words; margins shrink if necessary. Default: 8. */
  readonly minRoom?: number;
}

/**
 * Breaks runs into lines between words, also in scripts without spaces, and breaks words that are longer than a line
 * between characters. A line is returned as soon as it cannot change. The result does not depend on how the text was
 * split.
 */
export interface RunWrap {
  add(runs: readonly TextRun[]): readonly RunLine[];
  /** The current unfinished line, as if this further text followed. */
  open(more: readonly TextRun[]): readonly RunLine[];
  end(): readonly RunLine[];
}

export function wrapRuns(runs: readonly TextRun[], options: RunWrapOptions): readonly RunLine[] {
  const wrap = createRunWrap(options);
  return [...wrap.add(runs), ...wrap.end()];
}

/** Plain text as lines that fit the columns. Later lines begin with `hang`. */
export function wrapPlain(text: string, columns: number, hang = ""): readonly string[] {
  const lines = wrapRuns([{ text, style: 0 }], { columns: () => columns, hang: [{ text: hang, style: 0 }] });
  return lines.map(runText);
}

interface WrapState {
  line: TextRun[];
  used: number;
  /** True if the line has content besides the margin. */
  isFilled: boolean;
  blanks: TextRun[];
  /** The unfinished word. */
  word: TextRun[];
  wordChars: number;
  /** True for a single character of a script without spaces. */
  isUnspaced: boolean;
  /** The start of the word is on the line already. */
  isBroken: boolean;
}

export function createRunWrap(options: RunWrapOptions): RunWrap {
  const { minRoom = 8 } = options;
  const maxMargin = Math.max(0, options.columns() - minRoom);
  const first = firstCells(options.first ?? [], maxMargin);
  const hang = firstCells(options.hang ?? [], maxMargin);
  const hangWidth = runsWidth(hang);
  let state: WrapState = {
    line: [...first],
    used: runsWidth(first),
    isFilled: false,
    blanks: [],
    word: [],
    wordChars: 0,
    isUnspaced: false,
    isBroken: false,
  };
  let done: RunLine[] = [];
  const limit = () => Math.max(hangWidth + minRoom, options.columns());

  function breakLine(): void {
    done.push(state.line);
    state.line = [...hang];
    state.used = hangWidth;
    state.isFilled = false;
  }

  function endWord(): void {
    const { word } = state;
    if (state.wordChars === 0) return;
    state.word = [];
    state.wordChars = 0;
    placeWord(word);
    state.isBroken = false;
  }

  function placeWord(word: readonly TextRun[]): void {
    if (state.isBroken) return fill(word);
    const width = runsWidth(word);
    if (state.isFilled && state.used + blanksOf(state) + width > limit()) {
      breakLine();
      state.blanks = [];
    }
    if (state.used + blanksOf(state) + width > limit()) {
      putBlanks();
      return fill(word);
    }
    putBlanks();
    state.line.push(...word);
    state.used += width;
    state.isFilled = true;
  }

  function putBlanks(): void {
    for (const blank of state.blanks) {
      // Limits the indentation, so that words fit on the line.
      const text = state.isFilled ? blank.text : blank.text.slice(0, Math.max(0, limit() - minRoom - state.used));
      if (text !== "") state.line.push({ ...blank, text });
      state.used += text.length;
    }
    state.blanks = [];
  }

  /** Breaks character by character, over as many lines as necessary. */
  function fill(word: readonly TextRun[]): void {
    for (const run of word) {
      let text = "";
      for (const cluster of clustersOf(run.text)) {
        const width = clusterWidth(cluster);
        if (state.used + width > limit() && state.isFilled) {
          if (text !== "") state.line.push({ ...run, text });
          text = "";
          breakLine();
        }
        text += cluster;
        state.used += width;
        state.isFilled = true;
      }
      if (text !== "") state.line.push({ ...run, text });
    }
  }

  /** Places the start of a word that is longer than a line; its last characters may still be joined. */
  function shortenWord(): void {
    const clusters = clustersOf(runText(state.word));
    const isLong = state.isBroken || textWidth(runText(state.word)) > limit() - hangWidth + 2 * maxJoined;
    const heldChars = clusters.slice(-maxJoined).reduce((sum, { length }) => sum + length, 0);
    if (!isLong || heldChars >= state.wordChars) return;
    const [placed, held] = splitRuns(state.word, state.wordChars - heldChars);
    state.word = held;
    state.wordChars = heldChars;
    placeWord(placed);
    state.isBroken = true;
  }

  function append(text: string, { style, url }: TextRun): void {
    const last = state.word.at(-1);
    if (last?.style === style && last.url === url)
      state.word[state.word.length - 1] = { ...last, text: last.text + text };
    else state.word.push({ text, style, ...(url !== undefined && { url }) });
    state.wordChars += text.length;
    if (state.wordChars > 4 * limit()) shortenWord();
  }

  function takeRun(run: TextRun): void {
    for (const piece of run.text.match(pieces()) ?? []) {
      if (piece === "\n") {
        endWord();
        state.blanks = [];
        breakLine();
      } else if (piece.startsWith(" ")) {
        endWord();
        state.isUnspaced = false;
        state.blanks.push({ ...run, text: piece });
      } else if (attached().test(piece)) append(piece, run);
      else {
        const isUnspaced = unspacedStart().test(piece);
        if (isUnspaced || state.isUnspaced) endWord();
        state.isUnspaced = isUnspaced;
        append(piece, run);
      }
    }
  }

  function takeLines(): readonly RunLine[] {
    const lines = done;
    done = [];
    return lines;
  }

  return {
    add(runs) {
      for (const run of runs) takeRun(run);
      return takeLines();
    },
    open(more) {
      const kept = state;
      state = { ...kept, line: [...kept.line], blanks: [...kept.blanks], word: [...kept.word] };
      for (const run of more) takeRun(run);
      endWord();
      const lines = [...takeLines(), state.line];
      state = kept;
      return lines;
    },
    end() {
      endWord();
      return [...takeLines(), state.line];
    },
  };
}

function blanksOf({ blanks }: WrapState): number {
  return blanks.reduce((sum, { text }) => sum + text.length, 0);
}

function firstCells(runs: RunLine, columns: number): RunLine {
  if (runsWidth(runs) <= columns) return runs;
  const cut: TextRun[] = [];
  let left = columns;
  for (const run of runs) {
    let text = "";
    for (const cluster of clustersOf(run.text)) {
      left -= clusterWidth(cluster);
      if (left >= 0) text += cluster;
    }
    if (text !== "") cut.push({ ...run, text });
  }
  return cut;
}

/** The first characters, and the remaining ones. */
function splitRuns(runs: readonly TextRun[], chars: number): readonly [TextRun[], TextRun[]] {
  const before: TextRun[] = [];
  const after: TextRun[] = [];
  let left = chars;
  for (const run of runs) {
    const length = Math.min(left, run.text.length);
    if (length > 0) before.push({ ...run, text: run.text.slice(0, length) });
    if (length < run.text.length) after.push({ ...run, text: run.text.slice(length) });
    left -= length;
  }
  return [before, after];
}

/** Characters at the end of a long word that are held, because others may join them. */
const maxJoined = 12;

/** The longest word of the runs, in columns. */
export function longestWordOf(runs: readonly TextRun[]): number {
  let maxWidth = 0;
  for (const word of runText(runs).match(words()) ?? []) maxWidth = Math.max(maxWidth, textWidth(word));
  return maxWidth;
}

const unspacedScripts = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}`;
/** Marks and joined characters, and punctuation that does not start a line. */
const attachedClass = String.raw`\p{Mn}\p{Me}\u200d\ufe0f\u3001\u3002\uff0c\uff01\uff1f`;
const pieces = once(
  () =>
    new RegExp(
      String.raw`\n| +|[${attachedClass}]+|[${unspacedScripts}]|[^ \n${unspacedScripts}${attachedClass}]+`,
      "gu",
    ),
);
const attached = once(() => new RegExp(`^[${attachedClass}]`, "u"));
const unspacedStart = once(() => new RegExp(`^[${unspacedScripts}]`, "u"));
const words = once(
  () => new RegExp(String.raw`[${unspacedScripts}][${attachedClass}]*|[^ \n${unspacedScripts}]+`, "gu"),
);
