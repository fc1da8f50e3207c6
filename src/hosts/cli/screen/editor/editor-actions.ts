/** An action with its default keys. Two chords with a space between them are pressed in order. */
export interface ActionDefault {
  readonly chords: readonly string[];
  readonly summary: string;
}

/** Every action of the editor. */
export const editorActions = {
  send: { chords: ["enter"], summary: "Send the prompt, or accept the selected completion" },
  newline: { chords: ["alt+enter", "ctrl+j", "ctrl+enter", "shift+enter"], summary: "Start a new line" },
  complete: { chords: ["tab"], summary: "Accept the completion or the suggestion, or open the menu" },
  complete_previous: { chords: ["shift+tab"], summary: "Previous completion" },
  char_left: { chords: ["left", "ctrl+b"], summary: "One character to the left" },
  char_right: { chords: ["right", "ctrl+f"], summary: "One character to the right; at the end, accept the suggestion" },
  word_left: { chords: ["ctrl+left", "alt+left", "alt+b"], summary: "One word to the left" },
  word_right: { chords: ["ctrl+right", "alt+right", "alt+f"], summary: "One word to the right" },
  line_start: { chords: ["home", "ctrl+a"], summary: "Start of the line" },
  line_end: { chords: ["end", "ctrl+e"], summary: "End of the line" },
  text_start: { chords: ["ctrl+home", "alt+<"], summary: "Start of the prompt" },
  text_end: { chords: ["ctrl+end", "alt+>"], summary: "End of the prompt" },
  row_up: { chords: ["up"], summary: "One row up; in the first row, the previous prompt of the history" },
  row_down: { chords: ["down", "ctrl+n"], summary: "One row down; in the last row, the next prompt of the history" },
  history_search: { chords: ["ctrl+r"], summary: "Search the history" },
  delete_left: {
    chords: ["backspace", "ctrl+h", "shift+backspace"],
    summary: "Delete the character before the cursor",
  },
  delete_right: { chords: ["delete", "ctrl+d"], summary: "Delete the character after the cursor" },
  delete_word_left: { chords: ["alt+backspace", "ctrl+backspace"], summary: "Delete the word before the cursor" },
  delete_spaced_word_left: { chords: ["ctrl+w"], summary: "Delete back to the previous space" },
  delete_word_right: { chords: ["alt+d", "ctrl+delete"], summary: "Delete the word after the cursor" },
  delete_to_line_end: { chords: ["ctrl+k"], summary: "Delete to the end of the line" },
  delete_to_line_start: { chords: ["ctrl+u"], summary: "Delete to the start of the line" },
  yank: { chords: ["ctrl+y"], summary: "Insert the text that was deleted last" },
  yank_older: { chords: ["alt+y"], summary: "After an insertion: replace it by the text that was deleted before" },
  undo: { chords: ["ctrl+_", "ctrl+-", "ctrl+/", "ctrl+x ctrl+u"], summary: "Undo" },
  redo: { chords: ["alt+_", "alt+-", "alt+/", "ctrl+x ctrl+r"], summary: "Redo" },
  transpose: { chords: ["ctrl+t"], summary: "Swap the two characters before the cursor" },
  stash: { chords: ["ctrl+s"], summary: "Put the draft aside; in an empty prompt, restore the last one" },
  edit_in_program: { chords: ["ctrl+g", "alt+g", "ctrl+x ctrl+e"], summary: "Edit the prompt in $VISUAL or $EDITOR" },
  paste: { chords: ["ctrl+v"], summary: "Paste an image or a text of the clipboard" },
  paste_image: { chords: ["alt+v"], summary: "Paste an image of the clipboard" },
  unfold: { chords: ["alt+u", "ctrl+x ctrl+p"], summary: "Expand the folded text nearest to the cursor" },
  cancel: { chords: ["escape"], summary: "Close the menu or the search; twice: move the draft to the history" },
} as const satisfies Record<string, ActionDefault>;

export type EditorAction = keyof typeof editorActions;

/** The actions of the configured keys. A sequence has its chords separated by spaces. */
export interface EditorKeys {
  actionOf(chords: string): EditorAction | undefined;
  /** True: more chords may follow. */
  isBeginning(chords: string): boolean;
}

export function defaultEditorKeys(): EditorKeys {
  const byChords = new Map<string, EditorAction>();
  // The cast is safe: the keys of the record are the actions.
  for (const [name, { chords }] of Object.entries(editorActions) as [EditorAction, ActionDefault][])
    for (const chord of chords) byChords.set(chord, name);
  const all = [...byChords.keys()];
  return {
    actionOf: (chords) => byChords.get(chords),
    isBeginning: (chords) => all.some((each) => each.startsWith(`${chords} `)),
  };
}
