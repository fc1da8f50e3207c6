import { oneLine } from "../../../../base/text/text.ts";
import type { Asker } from "../../../../contracts/host/ports.ts";
import { isPluginChord, type UiAnswer } from "../../../../contracts/plugin/ui.ts";
import type { OutputOf } from "../../../../operations/catalog.ts";
import { withoutControls } from "../../without-controls.ts";
import type { StatusSegment } from "../parts.ts";
import type { PickItem } from "../pickers/picker-look.ts";
import { openPicker, type PanelHost, valueOrThrow, viewText } from "./panel-host.ts";

type UiPart = OutputOf<"ui.parts">["parts"][number];

export interface PluginUiParts {
  readonly host: PanelHost;
  readonly fillIn: Asker["fillIn"];
  /** Prints a painted line in the conversation. */
  note(line: string): void;
  redraw(): void;
  /** Whether Hermes itself uses this key. */
  isTaken(chord: string): boolean;
  readonly signal: AbortSignal;
}

/** Parts of the screen that plugins add. No function here waits for a plugin. */
export interface ScreenPluginUi extends Disposable {
  /** The latest texts of the segments. A text that could not be refreshed has a mark. */
  segments(): readonly StatusSegment[];
  /** True: the key belongs to a plugin, which gets it asynchronously. */
  press(chord: string): boolean;
  readonly keys: readonly { readonly action: string; readonly chords: readonly string[]; readonly summary: string }[];
  readonly panels: readonly { readonly part: string; readonly title: string; readonly plugin: string }[];
  open(part: string): void;
}

const maxSegments = 8;

export async function openPluginUi(parts: PluginUiParts): Promise<ScreenPluginUi> {
  const { host, note, signal } = parts;
  const texts = host.texts.panels.plugins;
  const listed = await host.run("ui.parts", {});
  const all = listed.ok ? listed.value.parts : [];
  const values = new Map<string, { readonly text: string; readonly isStale: boolean }>();
  const timers = new Map<string, Disposable>();
  const segments = all.filter(({ kind }) => kind === "segment").slice(0, maxSegments);
  const keys = new Map<string, UiPart>();
  let isClosed = false;
  for (const part of all) {
    if (part.kind !== "key" || !isPluginChord(part.chord)) continue;
    const rival = keys.get(part.chord);
    if (!rival && !parts.isTaken(part.chord)) keys.set(part.chord, part);
    else note(warning(texts.keyTaken(part.plugin, part.chord)));
  }

  function warning(sentence: string): string {
    return host.theme().warn(oneLine(withoutControls(sentence), 300));
  }

  /** Requests the text of a segment repeatedly, with a pause. At most one request per segment runs at a time. */
  async function refresh(segment: UiPart): Promise<void> {
    const answer = await host.run("ui.segment", { part: segment.name });
    if (isClosed) return;
    const last = values.get(segment.name)?.text ?? "";
    const text = answer.ok ? oneLine(withoutControls(answer.value.text), 60) : last;
    const before = values.get(segment.name);
    if (before?.text !== text || before.isStale === answer.ok) {
      values.set(segment.name, { text, isStale: !answer.ok });
      parts.redraw();
    }
    const pauseMs = Math.max(1, segment.everySeconds) * 1_000;
    timers.set(
      segment.name,
      host.clock.after(pauseMs, () => void refresh(segment)),
    );
  }

  const nameIn = (plugin: string, kind: string, name: string) => `${plugin}:${kind}:${name}`;

  /** Executes the plugin's answer. */
  async function follow({ note: text, insert, panel, dialog }: UiAnswer, plugin: string): Promise<void> {
    if (isClosed) return;
    if (text !== undefined && text.trim() !== "") note(`${host.theme().dim(`${plugin}:`)} ${withoutControls(text)}`);
    if (insert !== undefined) host.insert(withoutControls(insert));
    if (panel !== undefined) await openPanelOf(nameIn(plugin, "panel", panel));
    if (dialog !== undefined) await openDialog(nameIn(plugin, "dialog", dialog));
  }

  async function openPanelOf(name: string): Promise<void> {
    const part = partNamed(name, "panel");
    const content = valueOrThrow(await host.run("ui.panel", { part: name }));
    if (isClosed) return;
    const title = texts.panelTitle(part.title, part.plugin);
    if (!content.rows) {
      const lines = (content.text ?? "").split("\n").map((text) => ({ text }));
      return viewText(host, title, lines);
    }
    let { rows } = content;
    await openPicker<PickItem>(host, {
      title,
      empty: texts.empty,
      async load() {
        const loaded = rows;
        rows = [];
        if (loaded.length > 0) return loaded;
        return valueOrThrow(await host.run("ui.panel", { part: name })).rows ?? [];
      },
      actions: [
        {
          chords: ["enter"],
          hint: texts.chooseKey,
          async run(item, picker) {
            if (!item) return;
            const answer = valueOrThrow(await host.run("ui.choose", { part: name, row: item.id }));
            picker.close();
            await follow(answer, part.plugin);
          },
        },
        { chords: ["ctrl+r"], hint: texts.refreshKey, run: (_item, picker) => picker.reload() },
      ],
    });
  }

  async function openDialog(name: string): Promise<void> {
    const { plugin, title, text, fields } = partNamed(name, "dialog");
    const question = text === "" ? title : `${title}\n${text}`;
    const filled = await parts.fillIn({ from: texts.from(plugin), text: question, fields }, signal);
    if (!filled.ok || isClosed) return;
    await follow(valueOrThrow(await host.run("ui.submit", { part: name, values: filled.value })), plugin);
  }

  function partNamed(name: string, kind: UiPart["kind"]): UiPart {
    const part = all.find((each) => each.name === name && each.kind === kind);
    if (!part) throw new Error(texts.noPart(name));
    return part;
  }

  function beside(plugin: string, work: () => Promise<void>): void {
    work().catch((thrown: unknown) => {
      if (!isClosed) note(warning(texts.failed(plugin, thrown instanceof Error ? thrown.message : String(thrown))));
    });
  }

  for (const segment of segments) void refresh(segment);
  return {
    segments: () =>
      segments.flatMap(({ name, priority }) => {
        const value = values.get(name);
        if (!value || value.text === "") return [];
        return [{ text: value.isStale ? `${value.text} ${staleMark}` : value.text, priority }];
      }),
    press(chord) {
      const key = keys.get(chord);
      if (!key) return false;
      beside(key.plugin, async () => follow(valueOrThrow(await host.run("ui.press", { part: key.name })), key.plugin));
      return true;
    },
    keys: Array.from(keys.values(), ({ name, chord, title }) => ({ action: name, chords: [chord], summary: title })),
    panels: all
      .filter(({ kind }) => kind === "panel")
      .map(({ name, title, plugin }) => ({ part: name, title, plugin })),
    open: (name) => beside(partNamed(name, "panel").plugin, () => openPanelOf(name)),
    [Symbol.dispose]() {
      isClosed = true;
      for (const timer of timers.values()) timer[Symbol.dispose]();
    },
  };
}

/** Shown after a text that could not be refreshed. */
const staleMark = "(old)";
