import type { Clock } from "../../../base/clock.ts";
import type { PanelName } from "../../../contracts/host/command.ts";
import type { EditorAction, EditorKeys } from "./editor/editor-actions.ts";
import { createKeymap, type Keymap, type ScreenAction } from "./keymap.ts";
import type { KeyPress, Panel } from "./parts.ts";

export interface ControlParts {
  readonly clock: Clock;
  panel(): Panel | undefined;
  readonly editor: { press(key: KeyPress): boolean; readonly isEmpty: boolean; clear(): void };
  /** Stops the running command or turn. False: nothing runs. */
  interrupt(): boolean;
  suspend(): void;
  redraw(): void;
  open(panel: PanelName): void;
  /** A key that nothing else uses, such as a plugin's key. */
  other(chord: string): void;
  leave(exitCode: number): void;
  /** Shows what the next key would do, until it is pressed. */
  hint(kind: "stopping" | "stoppingOrLeaving" | "leaving" | undefined): void;
  /** Called when keys took effect after a delay. */
  changed(): void;
}

/** Decides which part gets a key: the panel in front, else the editor, else the actions of the screen. */
export interface ScreenControls {
  press(key: KeyPress): void;
  use(keymap: Keymap): void;
  readonly keymap: Keymap;
  /** The keys of the editor; updated when the keymap changes. */
  readonly editorKeys: EditorKeys;
  /** Called when a prompt was sent: the next Ctrl-C counts as the first one. */
  sent(): void;
}

const twiceWithinMs = 2_000;
/** The first key of a sequence acts alone if no other key follows within this time. */
const sequenceMs = 500;

export function createScreenControls(parts: ControlParts): ScreenControls {
  const { clock, editor } = parts;
  let keymap = createKeymap();
  let pending = "";
  let waiting: Disposable | undefined;
  let interruptedAt = -Infinity;
  let hinting: Disposable | undefined;

  const actions: Readonly<Record<ScreenAction, () => void>> = {
    interrupt_or_exit: () => cancel(true),
    interrupt: () => cancel(false),
    stop_turn: () => void (parts.interrupt() && hintFor("stopping")),
    exit: () => parts.leave(0),
    suspend: parts.suspend,
    redraw: parts.redraw,
    palette: () => parts.open("palette"),
    sessions: () => parts.open("sessions"),
    calls: () => parts.open("calls"),
    queue: () => parts.open("queue"),
    models: () => parts.open("models"),
    keys: () => parts.open("keys"),
  };

  /** Ctrl-C: cancels the frontmost item. Pressed twice with only the turn to cancel: exits. */
  function cancel(canLeave: boolean): void {
    const panel = parts.panel();
    if (panel && !panel.isQuestion) return void panel.press({ chord: "escape" });
    if (!panel && !editor.isEmpty) {
      interruptedAt = -Infinity;
      return editor.clear();
    }
    const isTwice = clock.elapsed() - interruptedAt < twiceWithinMs;
    interruptedAt = clock.elapsed();
    if (isTwice && canLeave) return parts.leave(130);
    // Stopping the turn also withdraws its question.
    if (parts.interrupt()) hintFor(canLeave ? "stoppingOrLeaving" : "stopping");
    else if (panel) panel.press({ chord: "escape" });
    else if (canLeave) hintFor("leaving");
  }

  /** Hides the hint when it no longer applies. */
  function hintFor(kind: "stopping" | "stoppingOrLeaving" | "leaving"): void {
    hinting?.[Symbol.dispose]();
    parts.hint(kind);
    hinting = clock.after(twiceWithinMs, () => {
      parts.hint(undefined);
      parts.changed();
    });
  }

  /** Handles a key, or the keys of a sequence. */
  function dispatch(key: KeyPress): void {
    const action = keymap.screenActionOf(key.chord);
    if (action !== "interrupt_or_exit" && action !== "interrupt") parts.hint(undefined);
    if (parts.panel()?.press(key)) return;
    if (!parts.panel() && editor.press(key)) return;
    if (action) actions[action]();
    else if (!parts.panel()) parts.other(key.chord);
  }

  function flush(): void {
    waiting?.[Symbol.dispose]();
    waiting = undefined;
    if (pending === "") return;
    const chord = pending;
    pending = "";
    dispatch({ chord });
  }

  return {
    press(key) {
      // Panels handle their own keys.
      if (key.chord === "paste" || parts.panel()) {
        flush();
        return dispatch(key);
      }
      const chords = pending === "" ? key.chord : `${pending} ${key.chord}`;
      if (keymap.isBeginning(chords)) {
        waiting?.[Symbol.dispose]();
        pending = chords;
        waiting = clock.after(sequenceMs, () => {
          flush();
          parts.changed();
        });
        return undefined;
      }
      const isKnown = (keymap.editorKeys.actionOf(chords) ?? keymap.screenActionOf(chords)) !== undefined;
      if (pending === "" || isKnown) {
        pending = "";
        waiting?.[Symbol.dispose]();
        return dispatch(chords === key.chord ? key : { chord: chords });
      }
      flush();
      return dispatch(key);
    },
    use(changed) {
      keymap = changed;
    },
    get keymap() {
      return keymap;
    },
    editorKeys: {
      actionOf: (chords): EditorAction | undefined => keymap.editorKeys.actionOf(chords),
      isBeginning: () => false,
    },
    sent() {
      interruptedAt = -Infinity;
    },
  };
}
