import { characterWidth } from "../../base/text/text-width.ts";
import type { PtySize, Screen } from "../../contracts/environment/environment.ts";

/** A headless terminal: it reads the output of a program and renders the screen that a user would see. */
export interface ScreenEmulator {
  /** Copies the chunk. False: wait for `onReady` before adding more. */
  add(chunk: Uint8Array): boolean;
  /** Resolves when everything that was added before is processed. */
  read(): Promise<Screen>;
  resize(size: PtySize): void;
  close(): void;
}

export interface ScreenListeners {
  /** The terminal's replies to queries of the program, such as the cursor position. */
  readonly answer: (bytes: Uint8Array) => void;
  readonly onReady: () => void;
}

export async function createScreen(size: PtySize, { answer, onReady }: ScreenListeners): Promise<ScreenEmulator> {
  const { default: library } = await import("@xterm/headless");
  const terminal = new library.Terminal({
    cols: size.columns,
    rows: size.rows,
    scrollback: 0,
    allowProposedApi: true,
    logLevel: "off",
  });
  terminal.unicode.register({ version: "hermes", wcwidth: characterWidth, charProperties: cellProperties });
  terminal.unicode.activeVersion = "hermes";
  let title = "";
  let pending = 0;
  terminal.onTitleChange((text) => (title = text.slice(0, maxTitleChars)));
  terminal.onData((text) => answer(Buffer.from(text)));
  terminal.onBinary((text) => answer(Buffer.from(text, "latin1")));

  return {
    add(chunk) {
      const bytes = Uint8Array.from(chunk);
      pending += bytes.length;
      terminal.write(bytes, () => {
        const wasFull = pending > maxPendingBytes;
        pending -= bytes.length;
        if (wasFull && pending <= maxPendingBytes) onReady();
      });
      return pending <= maxPendingBytes;
    },
    read: () =>
      new Promise((resolve) => {
        terminal.write("", () => {
          const { active } = terminal.buffer;
          const lines = Array.from(
            { length: terminal.rows },
            (_, row) =>
              active
                .getLine(active.baseY + row)
                ?.translateToString(true)
                .trimEnd() ?? "",
          );
          resolve({
            columns: terminal.cols,
            rows: terminal.rows,
            lines,
            cursor: { column: active.cursorX, row: active.cursorY },
            title,
          });
        });
      }),
    resize: ({ columns, rows }) => terminal.resize(columns, rows),
    close: () => terminal.dispose(),
  };
}

const maxPendingBytes = 128 * 1024;
const maxTitleChars = 1_000;

/** The emulator's packed cell attributes: the width, and whether the character continues the previous one. */
export function cellProperties(codePoint: number, preceding: number): number {
  const own = characterWidth(codePoint);
  const before = (preceding >> 1) & 3;
  const joins = own === 0 && before !== 0;
  return ((joins ? before : own) << 1) | (joins ? 1 : 0);
}
