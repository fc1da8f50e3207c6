import { plainText } from "./ansi.ts";
import { characterWidth } from "./text-width.ts";

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/**
 * The text that a terminal shows at the end. A redrawn line appears once; erased text and the screens of full-screen
 * programs do not appear. Lines that the terminal wrapped are joined, without trailing blanks. Without a size, the
 * text came through a pipe: lines have no right edge, and a line feed also returns to the first column. Linear in the
 * length of the text.
 */
export function terminalText(text: string, size?: TerminalSize): string {
  if (!redraws.test(text)) return plainText(size ? text.replaceAll("\r\n", "\n") : text);
  const paper = createPaper(size ?? { columns: Infinity, rows: pipeRows });
  for (const token of text.matchAll(tokens)) {
    const { words, code, intro, marks = "", final } = token.groups ?? {};
    if (words !== undefined) paper.print(words);
    else if (final !== undefined) paper.control(final, numbersOf(marks), intro === "?" ? marks : "");
    else if (code !== undefined) act(paper, code, size !== undefined);
  }
  return paper.text();
}

/** The screen size for text from a pipe that nevertheless moves the cursor. */
const pipeRows = 100;
/** The maximum column. No terminal is wider, and a larger limit would let a few bytes use much memory. */
const farRight = 1_000;

/* oxlint-disable no-control-regex -- this file interprets control characters */
const redraws = /\r(?!\n)|[\x08\x0b]|(?:\x1b\[|\x9b)[0-9;?]*[A-HJKPX@defhl`]|\x1b[78Mc]/u;
const tokens = new RegExp(
  [
    /(?<words>[^\0-\x1f\x7f-\x9f]+)/u,
    /(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f\n]*(?:\x07|\x1b\\|\x9c)/u,
    /(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f]*(?:\x1b\\|\x9c)/u,
    /(?:\x1b\[|\x9b)(?<intro>[<-?]?)(?<marks>[0-9;:]*)[ -/]*(?<final>[@-~])/u,
    /(?:\x1b\[|\x9b)[0-?]*[ -/]*/u,
    /\x1b[ -/]+[0-~]?/u,
    /(?<code>\x1b[78Mc]|[\n\r\x08\t\x0b\f])/u,
    /\x1b[0-~]?|[\0-\x1f\x7f-\x9f]/u,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gu",
);
const simple = /^[ -~]*$/u;

function numbersOf(marks: string): readonly number[] {
  return marks.split(";").map((mark) => Math.min(Number.parseInt(mark, 10) || 0, farRight));
}

function act(paper: Paper, code: string, isTerminal: boolean): void {
  if (code === "\r") paper.column(0);
  else if (code === "\b") paper.move(-1, 0);
  else if (code === "\t") paper.tab();
  else if (code === "\x1b7") paper.control("s", [], "");
  else if (code === "\x1b8") paper.control("u", [], "");
  else if (code === "\x1bM") paper.move(0, -1);
  else if (code === "\x1bc") paper.control("J", [2], "");
  else {
    if (!isTerminal) paper.column(0);
    paper.down();
  }
}

interface Paper {
  print(words: string): void;
  control(final: string, numbers: readonly number[], mode: string): void;
  column(to: number): void;
  move(right: number, down: number): void;
  tab(): void;
  down(): void;
  text(): string;
}

interface Row {
  /** The character of each column. The second column of a wide character is empty. */
  readonly cells: string[];
  /** Whether the row continues the full row above it. */
  goesOn: boolean;
}

interface Sheet {
  rows: Row[];
  /** The first row on the screen; rows above it no longer change. */
  top: number;
  row: number;
  column: number;
}

function createPaper({ columns, rows: height }: TerminalSize): Paper {
  let sheet: Sheet = emptySheet();
  let main: Sheet | undefined;
  let saved = { row: 0, column: 0 };
  const rightmost = Math.min(columns - 1, farRight);

  function rowAt(index: number): Row {
    while (sheet.rows.length <= index) sheet.rows.push({ cells: [], goesOn: false });
    sheet.top = Math.max(sheet.top, sheet.rows.length - height);
    return sheet.rows[index] ?? { cells: [], goesOn: false };
  }

  function put(character: string, width: number): void {
    if (sheet.column + width > columns) {
      down();
      sheet.column = 0;
      rowAt(sheet.row).goesOn = true;
    }
    const { cells } = rowAt(sheet.row);
    while (cells.length < sheet.column) cells.push(" ");
    // Overwriting one half of a wide character removes the other half.
    if (cells[sheet.column] === "") cells[sheet.column - 1] = " ";
    if (cells[sheet.column + width] === "") cells[sheet.column + width] = " ";
    cells[sheet.column] = character;
    if (width === 2) cells[sheet.column + 1] = "";
    sheet.column += width;
  }

  function join(mark: string): void {
    const { cells } = rowAt(sheet.row);
    const before = cells[sheet.column - 1] === "" ? sheet.column - 2 : sheet.column - 1;
    const cell = cells[before];
    // Limits the length of a cell, whatever the number of combining marks.
    if (cell !== undefined && cell.length < 16) cells[before] = cell + mark;
  }

  function down(): void {
    sheet.row += 1;
    rowAt(sheet.row).goesOn = false;
  }

  function move(right: number, downwards: number): void {
    const bottom = sheet.top + height - 1;
    sheet.row = Math.max(sheet.top, Math.min(sheet.row + downwards, Math.max(bottom, sheet.row)));
    column(Math.min(sheet.column, Math.max(rightmost, sheet.column - 1)) + right);
    rowAt(sheet.row);
  }

  function column(to: number): void {
    sheet.column = Math.max(0, to > sheet.column ? Math.min(to, Math.max(rightmost, sheet.column)) : to);
  }

  function insertBlanks(count: number): void {
    const { cells } = rowAt(sheet.row);
    const width = Math.max(cells.length, rightmost + 1);
    cells.splice(sheet.column, 0, ...Array<string>(count).fill(" "));
    cells.length = Math.min(cells.length, width);
  }

  function eraseRows(from: number, to: number): void {
    for (const row of sheet.rows.slice(from, to)) {
      row.cells.length = 0;
      row.goesOn = false;
    }
  }

  function eraseInRow(how: number): void {
    const row = rowAt(sheet.row);
    const { cells } = row;
    if (how === 2 || (how === 0 && sheet.column === 0)) row.goesOn = false;
    if (how === 2) cells.length = 0;
    else if (how === 1) cells.fill(" ", 0, sheet.column + 1);
    else cells.length = Math.min(cells.length, sheet.column);
  }

  function eraseOnScreen(how: number): void {
    if (how === 0) {
      eraseInRow(0);
      eraseRows(sheet.row + 1, sheet.rows.length);
    } else if (how === 1) {
      eraseInRow(1);
      eraseRows(sheet.top, sheet.row);
    } else if (how === 2) eraseRows(sheet.top, sheet.rows.length);
  }

  function switchSheet(isOther: boolean): void {
    if (isOther === (main !== undefined)) return;
    [sheet, main] = main ? [main, undefined] : [emptySheet(), sheet];
  }

  return {
    print(words) {
      const isSimple = simple.test(words);
      for (const character of words) {
        const width = isSimple ? 1 : characterWidth(character.codePointAt(0) ?? 0);
        if (width === 0) join(character);
        else put(character, width);
      }
    },
    control(final, [first = 0, second = 0], mode) {
      const count = Math.max(1, first);
      if (mode !== "") {
        if (fullScreen.test(mode) && (final === "h" || final === "l")) switchSheet(final === "h");
        return;
      }
      switch (final) {
        case "A":
          return move(0, -count);
        case "B":
        case "e":
          return move(0, count);
        case "C":
        case "a":
          return move(count, 0);
        case "D":
          return move(-count, 0);
        case "E":
        case "F":
          sheet.column = 0;
          return move(0, final === "E" ? count : -count);
        case "G":
        case "`":
          return column(count - 1);
        case "d":
        case "H":
        case "f":
          sheet.row = sheet.top + Math.min(count, height) - 1;
          if (final !== "d") column(Math.max(1, second) - 1);
          rowAt(sheet.row);
          return;
        case "J":
          return eraseOnScreen(first);
        case "K":
          return eraseInRow(first);
        case "P":
          rowAt(sheet.row).cells.splice(sheet.column, count);
          return;
        case "@":
          return insertBlanks(count);
        case "X":
          rowAt(sheet.row).cells.fill(" ", sheet.column, sheet.column + count);
          return;
        case "s":
          saved = { row: sheet.row - sheet.top, column: sheet.column };
          return;
        case "u":
          sheet.row = sheet.top + saved.row;
          sheet.column = saved.column;
          rowAt(sheet.row);
      }
    },
    column,
    move,
    tab: () => column((Math.floor(sheet.column / 8) + 1) * 8),
    down,
    text() {
      let shown = "";
      for (const [index, { cells }] of sheet.rows.entries()) {
        const line = cells.join("");
        const goesOn = sheet.rows[index + 1]?.goesOn === true;
        shown += goesOn ? line : `${line.trimEnd()}${index === sheet.rows.length - 1 ? "" : "\n"}`;
      }
      return shown.replace(/\n{2,}$/u, "\n");
    },
  };
}

/** Terminal modes in which a program uses the whole screen. */
const fullScreen = /^(?:.*;)?(?:47|1047|1049)(?:;|$)/u;

function emptySheet(): Sheet {
  return { rows: [{ cells: [], goesOn: false }], top: 0, row: 0, column: 0 };
}
