import type { Clock } from "../../../../base/clock.ts";
import type { SessionId } from "../../../../base/ids.ts";
import type { Result } from "../../../../base/result.ts";
import type { Command, CommandEffect } from "../../../../contracts/host/command.ts";
import type { RunOperation } from "../../../../operations/run-operation.ts";
import type { PanelStack, Theme } from "../parts.ts";
import type { PickItem, PreviewLine } from "../pickers/picker-look.ts";
import { createPicker, type PickerParts } from "../pickers/picker.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createTextView } from "./text-view.ts";

/** The screen as seen by its panels. */
export interface PanelHost {
  readonly panels: PanelStack;
  theme(): Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  /** Runs an operation with the session of the screen. */
  readonly run: RunOperation;
  sessionId(): SessionId;
  apply(effect: CommandEffect): Promise<void>;
  /** Runs a line as if the person had typed it. */
  submit(line: string): void;
  /** Inserts text into the input line. */
  insert(text: string): void;
  commands(): readonly Command[];
  keys(): readonly ShownKey[];
  /** Panels of plugins. */
  readonly pluginPanels?: () => readonly { readonly part: string; readonly title: string; readonly plugin: string }[];
  readonly openPluginPanel?: (part: string) => void;
}

/** A key binding, for the list of all keys. */
export interface ShownKey {
  readonly action: string;
  readonly chords: readonly string[];
  readonly summary: string;
}

/** Opens a list until the person leaves it. */
export async function openPicker<Item extends PickItem>(
  host: PanelHost,
  parts: Omit<PickerParts<Item>, "theme" | "texts" | "clock" | "close" | "redraw">,
): Promise<void> {
  const { panels, texts, clock } = host;
  await panels.open<true>((close, redraw) =>
    createPicker({ ...parts, texts, clock, theme: host.theme(), redraw, close: () => close(true) }),
  );
}

/** Shows a long text until the person leaves it. */
export async function viewText(host: PanelHost, title: string, lines: readonly PreviewLine[]): Promise<void> {
  const { panels, texts } = host;
  await panels.open<true>((close, redraw) =>
    createTextView({ title, lines, texts, theme: host.theme(), redraw, close: () => close(true) }),
  );
}

/** Returns the value of an outcome. Throws the message of a fault, which the picker shows. */
export function valueOrThrow<Value>(outcome: Result<Value, { readonly message: string }>): Value {
  if (outcome.ok) return outcome.value;
  throw new Error(outcome.error.message);
}
