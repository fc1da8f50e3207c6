import { type PanelHost, openPicker } from "../panels/panel-host.ts";
import type { PickItem } from "./picker-look.ts";

/** Lists every key binding. */
export async function pickKey(host: PanelHost): Promise<void> {
  const { keys } = host.texts.panels;
  await openPicker<PickItem>(host, {
    title: keys.title,
    empty: keys.empty,
    load: async () =>
      host.keys().map(({ action, chords, summary }) => ({
        id: action,
        title: summary,
        detail: chords.map(chordText).join(", "),
        words: `${action} ${chords.join(" ")}`,
      })),
    actions: [{ chords: ["enter"], hint: "", run: (_item, picker) => picker.close() }],
  });
}

/** `ctrl+shift+a` as `Ctrl-Shift-A`. */
function chordText(chord: string): string {
  return chord
    .split(" ")
    .map((keys) =>
      keys
        .split("+")
        .map((part) => (part === "" ? "+" : part.slice(0, 1).toUpperCase() + part.slice(1)))
        .join("-"),
    )
    .join(" ");
}
