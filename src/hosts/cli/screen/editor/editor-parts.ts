import type { Clock } from "../../../../base/clock.ts";
import type { Result } from "../../../../base/result.ts";
import type { ContentPart } from "../../../../contracts/model/message.ts";
import type { Drawn, KeyPress, Space, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import type { Completer } from "./completion-menu.ts";
import type { EditorKeys } from "./editor-actions.ts";

/** A prompt as the person sent it. */
export interface SentDraft {
  /** Pasted text is written out. */
  readonly text: string;
  /** The text as the screen shows it: pasted text is folded. */
  readonly shown: string;
  /** Images in the prompt. */
  readonly content: readonly ContentPart[];
}

export interface EditorOptions {
  /** Returns the current theme; called at each drawing, because the skin can change. */
  theme(): Theme;
  readonly texts: ScreenTexts["editor"];
  readonly clock: Clock;
  readonly keys: EditorKeys;
  /** Earlier prompts, newest first; new prompts are saved there. */
  readonly history: { readonly lines: readonly string[]; add(text: string): void };
  /** Called when the editor has changed without a key press. */
  redraw(): void;
  submit(draft: SentDraft): void;
  /** Called for Enter in an empty editor. */
  submitEmpty?(): void;
  /** True: Esc belongs to the running turn and does not count for Esc Esc. */
  isBusy?(): boolean;
  /** Opens the draft in a program of the person and returns the changed text. */
  editInProgram?(text: string): Promise<Result<string>>;
  /** An image or a text of the clipboard. */
  readClipboard?(kind: "image" | "any"): Promise<Result<ClipboardContent>>;
  /** Converts a pasted path to the image in that file. Undefined: it is not an image. */
  readImage?(path: string): Promise<Result<ClipboardContent> | undefined>;
}

export type ClipboardContent =
  | { readonly kind: "image"; readonly content: ContentPart; readonly label: string }
  | { readonly kind: "text"; readonly text: string };

export interface Editor extends Disposable {
  /** False: the key is not for the editor. */
  press(key: KeyPress): boolean;
  draw(space: Space): Drawn;
  /** The text with pasted parts expanded. */
  readonly text: string;
  readonly isEmpty: boolean;
  /** The vi mode, for the status line. Undefined without vi keys. */
  readonly mode: "insert" | "normal" | "visual" | undefined;
  /** Replaces the draft; it can be undone. */
  set(text: string): void;
  insert(text: string): void;
  /** Empties the draft without adding it to the history. */
  clear(): void;
  /** Moves the draft to the history. */
  discard(): void;
  /** Puts an image into the draft. */
  attach(content: ContentPart, label?: string): void;
  /** Shown in an empty editor. */
  setPlaceholder(text: string | undefined): void;
  useCompleter(completer: Completer): void;
  /** Switches between vi keys and the default ones. */
  useVi(isVi: boolean): void;
  /** Adds prompts of the past that were read after the start. */
  useHistory(history: EditorOptions["history"]): void;
}
