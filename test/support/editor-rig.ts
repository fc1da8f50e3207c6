import { plainText } from "../../src/base/text/ansi.ts";
import { createPaint } from "../../src/hosts/cli/paint.ts";
import { defaultEditorKeys } from "../../src/hosts/cli/screen/editor/editor-actions.ts";
import type { EditorOptions, SentDraft } from "../../src/hosts/cli/screen/editor/editor-parts.ts";
import { createEditor } from "../../src/hosts/cli/screen/editor/editor.ts";
import { english } from "../../src/hosts/cli/screen/texts/english.ts";
import { createPlainTheme } from "../../src/hosts/cli/screen/transcript/plain-theme.ts";
import { fakeClock } from "./fake-clock.ts";

const plainTheme = createPlainTheme(createPaint(false));

/** A screen editor in which a test types. */
export function editorRig(options: Partial<EditorOptions> = {}) {
  const sent: SentDraft[] = [];
  const saved: string[] = [];
  const clock = fakeClock();
  const redraws = { count: 0 };
  const editor = createEditor({
    theme: () => plainTheme,
    texts: english.editor,
    clock,
    keys: defaultEditorKeys(),
    history: { lines: [], add: (text) => void saved.push(text) },
    redraw: () => void redraws.count++,
    submit: (draft) => void sent.push(draft),
    ...options,
  });
  return {
    editor,
    sent,
    saved,
    clock,
    redraws,
    /** Types a text, character by character. */
    type(text: string) {
      for (const char of text) editor.press({ chord: char, text: char });
    },
    /** Presses several chords, separated by spaces. */
    press(chords: string) {
      return chords.split(" ").map((chord) => editor.press({ chord }));
    },
    paste: (text: string) => editor.press({ chord: "paste", text }),
    /** The rows as a user sees them, with `▏` at the cursor. */
    screen(columns = 40, rows = 10) {
      const { lines, cursor } = editor.draw({ columns, rows });
      return lines
        .map((line, row) => {
          const text = plainText(line);
          return row === cursor?.row ? withMark(text, cursor.column) : text.trimEnd();
        })
        .join("\n");
    },
  };
}

function withMark(text: string, column: number): string {
  const chars = Array.from(text.padEnd(column));
  return `${chars.slice(0, column).join("")}▏${chars.slice(column).join("")}`.trimEnd();
}
