import { setTimeout as pause } from "node:timers/promises";

import library from "@xterm/headless";

import { characterWidth } from "../../src/base/text/text-width.ts";
import { cellProperties } from "../../src/environments/pty/screen.ts";

/** A cell as a picture of the screen needs it. Colours as `#rrggbb`, undefined for the default. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  readonly color?: string;
  readonly background?: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
  readonly isItalic: boolean;
  readonly isUnderlined: boolean;
  readonly isInverse: boolean;
}

export interface EmulatorOptions {
  readonly columns: number;
  readonly rows: number;
  /** The colour that the terminal reports as its background. */
  readonly background?: "light" | "dark";
  /** Receives the replies of the terminal to queries of the program. */
  readonly answer?: (text: string) => void;
}

/** A terminal with scrollback, as a user sees it. */
export interface TerminalEmulator extends Disposable {
  add(bytes: string | Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** The visible rows. */
  screen(): Promise<readonly string[]>;
  /** The scrollback and the window; a line that the terminal wrapped is one line. */
  everything(): Promise<readonly string[]>;
  cursor(): Promise<{ readonly row: number; readonly column: number; readonly isVisible: boolean }>;
  cells(): Promise<readonly (readonly Cell[])[]>;
  title(): Promise<string>;
  /** Modes that the program has turned on, such as `bracketedPasteMode`. */
  modes(): Promise<{ readonly isAlternate: boolean; readonly bracketedPaste: boolean; readonly mouse: boolean }>;
}

/** A program that was killed inside a frame never ends it. */
const maxFrameMs = 2000;

export function createTerminalEmulator(options: EmulatorOptions): TerminalEmulator {
  const { columns, rows, background = "dark", answer = () => {} } = options;
  const terminal = new library.Terminal({
    cols: columns,
    rows,
    scrollback: 50_000,
    allowProposedApi: true,
    logLevel: "off",
  });
  terminal.unicode.register({ version: "hermes", wcwidth: characterWidth, charProperties: cellProperties });
  terminal.unicode.activeVersion = "hermes";
  let title = "";
  let isCursorVisible = true;
  let isDrawing = false;
  terminal.onTitleChange((text) => (title = text));
  terminal.onData(answer);
  terminal.parser.registerOscHandler(11, (data) => {
    if (data === "?") answer(`\x1b]11;rgb:${background === "light" ? "ffff/ffff/ffff" : "1111/1111/1111"}\x1b\\`);
    return true;
  });
  for (const final of ["h", "l"])
    terminal.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
      if (params.includes(25)) isCursorVisible = final === "h";
      if (params.includes(2026)) isDrawing = final === "h";
      return false;
    });
  // Like a terminal with synchronized output, it shows nothing between the start and the end of a frame.
  const settled = async <Value>(read: () => Value): Promise<Value> => {
    for (let waited = 0; ; waited += 5) {
      const value = await new Promise<Value | undefined>((resolve) => {
        terminal.write("", () => resolve(isDrawing && waited < maxFrameMs ? undefined : read()));
      });
      if (value !== undefined) return value;
      await pause(5);
    }
  };
  const rowText = (row: number) => terminal.buffer.active.getLine(row)?.translateToString(true) ?? "";

  return {
    add: (bytes) => terminal.write(bytes),
    resize: (width, height) => terminal.resize(width, height),
    screen: async () =>
      settled(() =>
        Array.from({ length: terminal.rows }, (_, row) => rowText(terminal.buffer.active.baseY + row).trimEnd()),
      ),
    everything: async () =>
      settled(() => {
        const lines: string[] = [];
        for (let row = 0; row < terminal.buffer.active.length; row += 1) {
          const isWrapped = terminal.buffer.active.getLine(row)?.isWrapped ?? false;
          if (isWrapped && lines.length > 0) lines.push((lines.pop() ?? "") + rowText(row));
          else lines.push(rowText(row));
        }
        return lines.map((line) => line.trimEnd());
      }),
    cursor: async () =>
      settled(() => ({
        row: terminal.buffer.active.cursorY,
        column: terminal.buffer.active.cursorX,
        isVisible: isCursorVisible,
      })),
    cells: async () =>
      settled(() =>
        Array.from({ length: terminal.rows }, (_, row) => cellsOf(terminal, terminal.buffer.active.baseY + row)),
      ),
    title: async () => settled(() => title),
    modes: async () =>
      settled(() => ({
        isAlternate: terminal.buffer.active.type === "alternate",
        bracketedPaste: terminal.modes.bracketedPasteMode,
        mouse: terminal.modes.mouseTrackingMode !== "none",
      })),
    [Symbol.dispose]: () => terminal.dispose(),
  };
}

function cellsOf(terminal: library.Terminal, row: number): readonly Cell[] {
  const line = terminal.buffer.active.getLine(row);
  if (!line) return [];
  return Array.from({ length: terminal.cols }, (_, column): Cell | undefined => {
    const cell = line.getCell(column);
    if (!cell || cell.getWidth() === 0) return undefined;
    const color = colorOf(cell.isFgDefault(), cell.isFgRGB(), cell.getFgColor());
    const background = colorOf(cell.isBgDefault(), cell.isBgRGB(), cell.getBgColor());
    return {
      text: cell.getChars() || " ",
      width: cell.getWidth(),
      ...(color !== undefined && { color }),
      ...(background !== undefined && { background }),
      isBold: cell.isBold() !== 0,
      isDim: cell.isDim() !== 0,
      isItalic: cell.isItalic() !== 0,
      isUnderlined: cell.isUnderline() !== 0,
      isInverse: cell.isInverse() !== 0,
    };
  }).filter((cell) => cell !== undefined);
}

/** `#rrggbb` of a true colour or of the 256 colours of xterm. */
function colorOf(isDefault: boolean, isRgb: boolean, value: number): string | undefined {
  if (isDefault) return undefined;
  if (isRgb) return `#${value.toString(16).padStart(6, "0")}`;
  if (value < 16) return sixteen[value];
  const level = (step: number) => (step === 0 ? 0 : 55 + step * 40);
  const rgb =
    value < 232
      ? [Math.floor((value - 16) / 36), Math.floor((value - 16) / 6) % 6, (value - 16) % 6].map(level)
      : Array.from({ length: 3 }, () => 8 + (value - 232) * 10);
  return `#${rgb.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

const sixteen: readonly string[] =
  "#1d1f21 #cc6666 #b5bd68 #f0c674 #81a2be #b294bb #8abeb7 #c5c8c6 #666666 #d54e53 #b9ca4a #e7c547 #7aa6da #c397d8 #70c0b1 #eaeaea".split(
    " ",
  );
