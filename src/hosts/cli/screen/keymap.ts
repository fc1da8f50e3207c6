import { type ActionDefault, type EditorAction, editorActions, type EditorKeys } from "./editor/editor-actions.ts";
import { readChord } from "./read-chord.ts";

/** Actions of the screen besides those of the editor, which gets each key first. */
const screenActions = {
  interrupt_or_exit: {
    chords: ["ctrl+c"],
    summary: "Close the panel, else clear the prompt, else stop the turn; twice within 2 seconds: exit",
  },
  interrupt: { chords: ["ctrl+q"], summary: "The same, but never exit" },
  stop_turn: { chords: ["escape"], summary: "Stop the running turn" },
  exit: { chords: ["ctrl+d"], summary: "Exit, with an empty prompt" },
  suspend: { chords: ["ctrl+z"], summary: "Suspend Hermes; `fg` in the shell resumes it" },
  redraw: { chords: ["ctrl+l"], summary: "Empty the window and draw it again" },
  palette: { chords: ["ctrl+p"], summary: "Find commands, sessions, models and files" },
  sessions: {
    chords: ["ctrl+x"],
    summary: "Switch to another session; a second key within a moment is another action",
  },
  calls: { chords: ["ctrl+o"], summary: "Show tool calls with everything that they printed" },
  queue: { chords: ["alt+q"], summary: "Edit the queue of prompts" },
  models: { chords: ["alt+m"], summary: "Choose a model" },
  keys: { chords: ["f1"], summary: "Show these keys" },
} as const satisfies Record<string, ActionDefault>;

export type ScreenAction = keyof typeof screenActions;
export type ScreenBindings = Readonly<Record<string, readonly string[]>>;

/** One line of the list of keys. */
export interface BoundAction {
  readonly name: string;
  readonly chords: readonly string[];
  readonly summary: string;
  readonly part: "editor" | "screen";
}

export interface Keymap {
  screenActionOf(chords: string): ScreenAction | undefined;
  readonly editorKeys: EditorKeys;
  /** Whether the chord is the start of a longer sequence. */
  isBeginning(chords: string): boolean;
  readonly actions: readonly BoundAction[];
  /** Sentences about settings that cannot be used. */
  readonly problems: readonly string[];
}

/** Editor actions that leave a key to the screen when they have no effect. */
const passing: ReadonlySet<string> = new Set(["cancel", "delete_right"]);

/** The keys of all actions. `bindings`: the setting `keys`, which replaces all keys of the actions that it names. */
export function createKeymap(bindings: ScreenBindings = {}): Keymap {
  const problems: string[] = [];
  const own = new Map(Object.entries(bindings).map(([name, chords]) => [name, readChords(name, chords, problems)]));
  const bind = (part: BoundAction["part"], defaults: Readonly<Record<string, ActionDefault>>) =>
    Object.entries(defaults).map(([name, { chords, summary }]): BoundAction => ({
      name,
      part,
      summary,
      chords: own.get(name) ?? chords,
    }));
  const actions = [...bind("editor", editorActions), ...bind("screen", screenActions)];
  for (const name of own.keys())
    if (!actions.some((action) => action.name === name)) problems.push(`keys.${name}: there is no such action.`);
  const editor = new Map<string, EditorAction>();
  const screen = new Map<string, ScreenAction>();
  // The user's bindings come first, so that they win over defaults.
  for (const { name, chords, part } of actions.toSorted((a, b) => Number(own.has(b.name)) - Number(own.has(a.name))))
    for (const chord of chords) {
      const others = [editor.get(chord), screen.get(chord)].filter((other) => other !== undefined);
      const rival = others.find((other) => isConflict(part, name, other, editor.get(chord) === other));
      if (rival !== undefined) {
        if (own.has(name) || own.has(rival)) problems.push(conflictText(chord, rival, name, own));
        continue;
      }
      if (part === "editor" && isEditorAction(name)) editor.set(chord, name);
      else if (part === "screen" && isScreenAction(name)) screen.set(chord, name);
    }
  const beginnings = new Set([...editor.keys(), ...screen.keys()].flatMap(beginningsOf));
  const isBound =
    ({ name, part }: BoundAction) =>
    (chord: string) =>
      part === "editor" ? editor.get(chord) === name : screen.get(chord) === name;
  return {
    screenActionOf: (chords) => screen.get(chords),
    // The screen joins the chords of a sequence before the editor gets them.
    editorKeys: { actionOf: (chords) => editor.get(chords), isBeginning: () => false },
    isBeginning: (chords) => beginnings.has(chords),
    actions: actions.map((action) => ({ ...action, chords: action.chords.filter(isBound(action)) })),
    problems,
  };
}

function isConflict(part: BoundAction["part"], name: string, other: string, isOtherEditor: boolean): boolean {
  if ((part === "editor") === isOtherEditor) return name !== other;
  return !passing.has(part === "editor" ? name : other);
}

function conflictText(chord: string, winner: string, loser: string, own: ReadonlyMap<string, unknown>): string {
  const what = own.has(loser) ? `keys.${loser}` : loser;
  return `${what}: ${chord} is bound to ${winner}${own.has(loser) ? "" : " now"}.`;
}

function readChords(name: string, chords: readonly string[], problems: string[]): readonly string[] {
  return chords.flatMap((written) => {
    const chord = readChord(written);
    if (chord === undefined)
      problems.push(`keys.${name}: "${written}" is not a key. For example: ctrl+r, alt+enter, f5.`);
    return chord ?? [];
  });
}

/** All prefixes of a key sequence: `ctrl+x ctrl+e` has the prefix `ctrl+x`. */
function beginningsOf(chords: string): readonly string[] {
  const parts = chords.split(" ");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join(" "));
}

function isEditorAction(name: string): name is EditorAction {
  return Object.hasOwn(editorActions, name);
}

function isScreenAction(name: string): name is ScreenAction {
  return Object.hasOwn(screenActions, name);
}
