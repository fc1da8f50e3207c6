import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { FormField } from "../host/form.ts";

/**
 * Elements that a plugin adds to the full-screen chat. They are data: Hermes draws them, and their functions run in the
 * plugin's process. A slow function does not block the screen, which keeps showing the last value.
 */
export interface PluginUi {
  /** Short texts in the status line. */
  readonly segments?: readonly PluginSegment[];
  readonly keys?: readonly PluginKey[];
  /** Lists and texts, opened by a key, the command palette or another element. */
  readonly panels?: readonly PluginPanel[];
  /** Forms that a key or a panel opens. */
  readonly dialogs?: readonly PluginDialog[];
}

type Awaitable<T> = T | Promise<T>;

export interface PluginUiContext {
  readonly sessionId: string;
  /** The folder of the session. */
  readonly cwd: string;
}

export interface PluginSegment {
  readonly name: string;
  /** Seconds between two calls of `text`, at least 1. Default: 10. */
  readonly everySeconds?: number;
  /** The priority: segments with lower numbers are the last to be hidden in a narrow window. Default: 100. */
  readonly priority?: number;
  /** Returns the text of the segment. Empty or null: the segment is hidden. */
  text(ctx: PluginUiContext, signal: AbortSignal): Awaitable<string | null>;
}

export interface PluginKey {
  readonly name: string;
  /**
   * A key combination such as `alt+w` or `f6`. Keys that answer, cancel or type, and keys that Hermes uses itself, are
   * rejected.
   */
  readonly chord: string;
  readonly summary: string;
  press(ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginUiAnswer>;
}

export interface PluginPanel {
  readonly name: string;
  readonly title: string;
  content(ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginPanelContent>;
  /** Called when the user presses Enter on a row. */
  choose?(row: string, ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginUiAnswer>;
}

/** Rows to choose from, or a text. */
export interface PluginPanelContent {
  readonly rows?: readonly PluginPanelRow[];
  readonly text?: string;
}

export interface PluginPanelRow {
  readonly id: string;
  readonly title: string;
  readonly detail?: string;
}

export interface PluginDialog {
  readonly name: string;
  readonly title: string;
  readonly text?: string;
  readonly fields: readonly FormField[];
  submit(values: JsonObject, ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginUiAnswer>;
}

/** The action after a key, a choice or a dialog. A plain text becomes a note in the conversation. */
export type PluginUiAnswer = string | UiAnswer | null | undefined | void;

export interface UiAnswer {
  /** A note in the conversation. */
  readonly note?: string;
  /** A text for the input line, which the user edits and sends. */
  readonly insert?: string;
  /** A panel of the same plugin to open. */
  readonly panel?: string;
  /** A dialog of the same plugin to open. */
  readonly dialog?: string;
}

// ── the same elements on the side of the host ────────────────────────────────────────────────────────────────────────

export type UiKind = "segment" | "key" | "panel" | "dialog";

/** An element as data. Its texts are untrusted. */
export interface UiRegistration {
  readonly id: string;
  readonly kind: UiKind;
  readonly name: string;
  /** The summary of a key, the title of a panel or dialog. */
  readonly title: string;
  /** The text of a dialog. */
  readonly text: string;
  /** The key combination of a key; otherwise empty. */
  readonly chord: string;
  readonly everySeconds: number;
  readonly priority: number;
  readonly fields: readonly FormField[];
}

/** An element of the screen with access to its functions; each kind has one or two functions. They never reject. */
export interface UiContribution extends Omit<UiRegistration, "id"> {
  /** A unique name: `PLUGIN:KIND:NAME`. */
  readonly name: string;
  readonly plugin: string;
  /** Returns the text of a segment. Only for segments. */
  segmentText(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<string>>;
  /** Called when the user presses the key. Only for keys. */
  press(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<UiAnswer>>;
  /** Returns the rows or the text of a panel. Only for panels. */
  content(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<PluginPanelContent>>;
  choose(row: string, ctx: PluginUiContext, signal: AbortSignal): Promise<Result<UiAnswer>>;
  /** Called with the values of the form. Only for dialogs. */
  submit(values: JsonObject, ctx: PluginUiContext, signal: AbortSignal): Promise<Result<UiAnswer>>;
}

const reserved: ReadonlySet<string> = new Set([
  ..."bcdhijmpqsz[".split("").map((letter) => `ctrl+${letter}`),
  ..."_^]\\@".split("").map((sign) => `ctrl+${sign}`),
  "ctrl+space",
  "alt+enter",
  "shift+enter",
  "ctrl+enter",
]);

/**
 * Returns whether a plugin may register this key: a function key, or a key with Ctrl or Alt. Keys for typing,
 * answering, cancelling, moving or closing are reserved.
 */
export function isPluginChord(chord: string): boolean {
  if (reserved.has(chord)) return false;
  return /^(?:(?:ctrl\+)?(?:alt\+)?(?:shift\+)?f(?:[2-9]|1[0-2])|(?:ctrl\+|alt\+|ctrl\+alt\+)(?:shift\+)?[a-z0-9])$/u.test(
    chord,
  );
}
