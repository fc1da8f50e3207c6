import type { JsonObject } from "../../base/json.ts";
import type { Result } from "../../base/result.ts";
import type { FormField } from "../host/form.ts";

/**
 * Parts of the full screen that a plugin adds. They are data: Hermes draws them, and their functions stay in the
 * plugin's process. A slow function causes no delay; the screen keeps the last value.
 */
export interface PluginUi {
  /** Short texts in the status line. */
  readonly segments?: readonly PluginSegment[];
  readonly keys?: readonly PluginKey[];
  /** Lists and texts that a key, the palette or another part opens. */
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
  /** Parts with lower numbers are dropped last in a narrow window. Default: 100. */
  readonly priority?: number;
  /** Empty or null: nothing is shown. */
  text(ctx: PluginUiContext, signal: AbortSignal): Awaitable<string | null>;
}

export interface PluginKey {
  readonly name: string;
  /** Such as `alt+w` or `f6`. Keys that answer, cancel or type, and keys of Hermes itself, are refused. */
  readonly chord: string;
  readonly summary: string;
  press(ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginUiAnswer>;
}

export interface PluginPanel {
  readonly name: string;
  readonly title: string;
  content(ctx: PluginUiContext, signal: AbortSignal): Awaitable<PluginPanelContent>;
  /** Called for Enter on a row. */
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

/** What happens next. A plain text becomes a note in the conversation. */
export type PluginUiAnswer = string | UiAnswer | null | undefined | void;

export interface UiAnswer {
  /** A note in the conversation. */
  readonly note?: string;
  /** Text for the input line; the person edits and sends it. */
  readonly insert?: string;
  /** A panel of the same plugin to open. */
  readonly panel?: string;
  /** A dialog of the same plugin to open. */
  readonly dialog?: string;
}

// ── the same parts on the host's side ───────────────────────────────────────────────────────────────────────────────

export type UiKind = "segment" | "key" | "panel" | "dialog";

/** A part as data. Its texts are untrusted. */
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

/** A part of the screen with access to its functions; each kind has one or two. They never reject. */
export interface UiContribution extends Omit<UiRegistration, "id"> {
  /** A unique name: `PLUGIN:KIND:NAME`. */
  readonly name: string;
  readonly plugin: string;
  /** Set for a segment. */
  segmentText(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<string>>;
  /** Set for a key. */
  press(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<UiAnswer>>;
  /** Set for a panel. */
  content(ctx: PluginUiContext, signal: AbortSignal): Promise<Result<PluginPanelContent>>;
  choose(row: string, ctx: PluginUiContext, signal: AbortSignal): Promise<Result<UiAnswer>>;
  /** Set for a dialog. */
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
 * Whether a plugin may ask for this key: a function key, or one with Ctrl or Alt. Keys for typing, answering,
 * cancelling, moving or closing are reserved.
 */
export function isPluginChord(chord: string): boolean {
  if (reserved.has(chord)) return false;
  return /^(?:(?:ctrl\+)?(?:alt\+)?(?:shift\+)?f(?:[2-9]|1[0-2])|(?:ctrl\+|alt\+|ctrl\+alt\+)(?:shift\+)?[a-z0-9])$/u.test(
    chord,
  );
}
