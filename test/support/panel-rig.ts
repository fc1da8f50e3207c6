import assert from "node:assert/strict";

import { plainText } from "../../src/base/text/ansi.ts";
import { textWidth } from "../../src/base/text/text-width.ts";
import { createPaint } from "../../src/hosts/cli/paint.ts";
import { createPanelStack } from "../../src/hosts/cli/screen/panels/panel-stack.ts";
import type { KeyPress, Space } from "../../src/hosts/cli/screen/parts.ts";
import { english } from "../../src/hosts/cli/screen/texts/english.ts";
import { createPlainTheme } from "../../src/hosts/cli/screen/transcript/plain-theme.ts";
import { fakeClock } from "./fake-clock.ts";

/** Panels without a terminal: a test presses keys and reads lines. */
export function panelRig(space: Space = { columns: 80, rows: 24 }) {
  const clock = fakeClock();
  const early: KeyPress[] = [];
  const theme = () => createPlainTheme(createPaint(false));
  const panels = createPanelStack({ theme, texts: english, clock, redraw() {}, early: (key) => void early.push(key) });
  let size = space;
  const rig = {
    clock,
    early,
    panels,
    theme,
    texts: english,
    resize: (next: Space) => void (size = next),
    /** The current panel, checked: it fits, and contains no control characters except colours. */
    lines(): readonly string[] {
      const drawn = panels.current?.draw(size) ?? { lines: [] };
      assert.ok(drawn.lines.length <= size.rows, `${drawn.lines.length} lines in ${size.rows} rows`);
      for (const line of drawn.lines) {
        // oxlint-disable-next-line no-control-regex -- colours are allowed
        const shown = line.replaceAll(/\u001b\[[0-9;]*m/gu, "");
        assert.doesNotMatch(shown, /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
        assert.ok(textWidth(shown) <= size.columns, `too wide: ${shown}`);
      }
      if (drawn.cursor) assert.ok(drawn.cursor.row < drawn.lines.length && drawn.cursor.column < size.columns);
      return drawn.lines.map(plainText);
    },
    text: () => rig.lines().join("\n"),
    cursor: () => panels.current?.draw(size).cursor,
    /** Until a question takes keys. */
    ready() {
      rig.lines();
      clock.advance(1_000);
    },
    /** Presses keys by chord; a single character types itself. Returns false if the panel did not use the last key. */
    press(...chords: readonly string[]): boolean {
      let isTaken = false;
      for (const chord of chords) {
        const text = chord === "space" ? " " : Array.from(chord).length === 1 ? chord : undefined;
        isTaken = panels.current?.press({ chord, ...(text !== undefined && { text }) }) ?? false;
      }
      return isTaken;
    },
    type(text: string): void {
      for (const character of text)
        panels.current?.press({ chord: character === " " ? "space" : character, text: character });
    },
    paste: (text: string) => panels.current?.press({ chord: "paste", text }),
    /** Lets promises settle. */
    async settle() {
      for (let round = 0; round < 20; round++) await Promise.resolve();
    },
  };
  return rig;
}
