import { fit } from "../../table.ts";
import { defaultEditorKeys } from "../editor/editor-actions.ts";
import { createEditor } from "../editor/editor.ts";
import type { Panel } from "../parts.ts";
import type { PanelHost } from "./panel-host.ts";
import { titleLine } from "./panel-layout.ts";

/** A large editor for a long prompt: Enter starts a line, Ctrl-D sends. A draft that is not sent returns to the input line. */
export async function openPromptComposer(host: PanelHost, initial: string): Promise<void> {
  const { panels, texts, clock } = host;
  const keys = defaultEditorKeys();
  const outcome = await panels.open<{ readonly text: string; readonly isSent: boolean }>((close, redraw): Panel => {
    const editor = createEditor({
      theme: host.theme,
      texts: texts.editor,
      clock,
      redraw,
      history: { lines: [], add() {} },
      keys: {
        isBeginning: keys.isBeginning,
        actionOf: (chords) => (chords === "enter" ? "newline" : keys.actionOf(chords)),
      },
      submit() {},
    });
    editor.set(initial);
    return {
      press(key) {
        if (key.chord === "ctrl+d") close({ text: editor.text, isSent: true });
        else if (key.chord === "escape") close({ text: editor.text, isSent: false });
        else editor.press(key);
        redraw();
        return true;
      },
      closed: () => editor[Symbol.dispose](),
      draw({ columns, rows }) {
        const theme = host.theme();
        const { lines, cursor } = editor.draw({ columns, rows: Math.max(1, rows - 2) });
        const hint = theme.dim(fit(` ${texts.panels.compose.hint}`, columns));
        return {
          lines: [titleLine(theme, texts.panels.compose.title, "", columns), ...lines, hint],
          ...(cursor && { cursor: { ...cursor, row: cursor.row + 1 } }),
        };
      },
    };
  });
  if (!outcome || outcome.text.trim() === "") return;
  if (outcome.isSent) host.submit(outcome.text);
  else host.insert(outcome.text);
}
