import type { Clock } from "../../../../base/clock.ts";
import { reasonOf } from "../../../../base/result.ts";
import { fuzzyMatches } from "../../../../base/text/fuzzy-match.ts";
import { createLineInput, type LineInput } from "../panels/line-input.ts";
import { createScrollView } from "../panels/panel-layout.ts";
import type { KeyPress, Panel, Space, Theme } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { drawPicker, type PickerLook, type PickItem, type PreviewLine } from "./picker-look.ts";

export interface PickAction<Item> {
  readonly chords: readonly string[];
  /** `Ctrl-T rename`. */
  readonly hint: string;
  run(item: Item | undefined, picker: PickerControls): Promise<void> | void;
}

/** The picker as seen by its actions. */
export interface PickerControls {
  close(): void;
  reload(): Promise<void>;
  /** Replaces the search field by a prompt and returns the typed line. Undefined: the user pressed Esc. */
  ask(prompt: string, initial: string): Promise<string | undefined>;
  say(sentence: string, isFault?: boolean): void;
}

export interface PickerParts<Item extends PickItem> {
  readonly title: string;
  readonly theme: Theme;
  readonly texts: ScreenTexts;
  readonly clock: Clock;
  /** A rejection is shown as a sentence. */
  load(signal: AbortSignal): Promise<readonly Item[]>;
  /** The list changes by itself, and is read again after each such time. */
  readonly reloadMs?: number;
  /** More items for a query, such as sessions whose text has the words. */
  readonly search?: (query: string, signal: AbortSignal) => Promise<readonly Item[]>;
  readonly preview?: (item: Item, signal: AbortSignal) => Promise<readonly PreviewLine[]>;
  readonly actions: readonly PickAction<Item>[];
  /** The row that is selected at the start. */
  readonly initial?: string;
  /** The text of the search at the start. */
  readonly query?: string;
  /** Shown when there is nothing to pick. */
  readonly empty: string;
  close(): void;
  redraw(): void;
}

const maxMatches = 1_000;
const searchAfterMs = 150;
const previewAfterMs = 60;

/** A list with fuzzy search, a preview, and actions on its rows. */
export function createPicker<Item extends PickItem>(parts: PickerParts<Item>): Panel {
  const { clock, redraw, texts } = parts;
  const closing = new AbortController();
  const query = createLineInput({ initial: parts.query ?? "" });
  const preview = createScrollView();
  const previews = new Map<string, readonly PreviewLine[]>();
  let items: readonly Item[] | undefined;
  let matches: readonly Item[] = [];
  let more: readonly Item[] = [];
  let current = 0;
  let isWide = false;
  let height = 5;
  let message: { readonly text: string; readonly isFault: boolean } | undefined;
  let question:
    | { readonly prompt: string; readonly input: LineInput; done(line: string | undefined): void }
    | undefined;
  let searching: Disposable | undefined;
  let reloading: Disposable | undefined;
  /** The row whose preview is loaded next, unless the user moves on. */
  let previewing: { readonly id: string; readonly timer: Disposable } | undefined;

  const controls: PickerControls = {
    close: parts.close,
    async reload() {
      previews.clear();
      await load();
    },
    async ask(prompt, initial) {
      const line = Promise.withResolvers<string | undefined>();
      question = { prompt, input: createLineInput({ initial }), done: line.resolve };
      redraw();
      return line.promise;
    },
    say(text, isFault = false) {
      message = { text, isFault };
      redraw();
    },
  };

  async function load(): Promise<void> {
    const loaded = await guarded(() => parts.load(closing.signal));
    if (closing.signal.aborted) return;
    if ("error" in loaded) {
      items ??= [];
      controls.say(loaded.error.message, true);
    } else {
      const here = items === undefined ? parts.initial : matches[current]?.id;
      items = loaded;
      match(here);
    }
    redraw();
  }

  /** Filters again. `here`: the row that stays selected. */
  function match(here?: string): void {
    const text = query.text.trim();
    const searched = (item: Item) => `${item.title} ${item.detail ?? ""} ${item.words ?? ""}`;
    const own = text === "" ? (items ?? []) : everyWord(text, items ?? [], searched);
    const listed = new Set(own.map(({ id }) => id));
    matches = text === "" ? own : [...own, ...more.filter(({ id }) => !listed.has(id))];
    const index = here === undefined ? -1 : matches.findIndex(({ id }) => id === here);
    current = index >= 0 ? index : Math.min(current, Math.max(0, matches.length - 1));
  }

  function changeQuery(): void {
    current = 0;
    more = [];
    preview.scrollTo(0);
    match();
    searching?.[Symbol.dispose]();
    const text = query.text.trim();
    const { search } = parts;
    if (!search || text.length < 2) return;
    searching = clock.after(searchAfterMs, () => void searchMore(text, search));
  }

  async function searchMore(text: string, search: NonNullable<typeof parts.search>): Promise<void> {
    const results = await search(text, closing.signal).catch(() => []);
    if (closing.signal.aborted || query.text.trim() !== text) return;
    more = results;
    match(matches[current]?.id);
    redraw();
  }

  function move(step: number): void {
    if (matches.length === 0) return;
    const next = current + step;
    // Moving by one row wraps around; moving by a page stops at the ends.
    const isAround = Math.abs(step) === 1;
    const last = matches.length - 1;
    current = next < 0 ? (isAround ? last : 0) : next > last ? (isAround ? 0 : last) : next;
    preview.scrollTo(0);
  }

  async function act(action: PickAction<Item>): Promise<void> {
    message = undefined;
    const done = await guarded(async () => action.run(matches[current], controls));
    if (done) controls.say(done.error.message, true);
  }

  function pressQuestion(key: KeyPress): void {
    const asking = question;
    if (!asking) return;
    if (key.chord === "escape" || key.chord === "enter") {
      question = undefined;
      asking.done(key.chord === "enter" ? asking.input.text : undefined);
    } else asking.input.press(key);
  }

  const moves: Readonly<Record<string, () => void>> = {
    up: () => move(-1),
    down: () => move(1),
    pageup: () => move(-Math.max(2, height - 1)),
    pagedown: () => move(Math.max(2, height - 1)),
    "ctrl+home": () => move(-Infinity),
    "ctrl+end": () => move(Number.MAX_SAFE_INTEGER),
  };

  function press(key: KeyPress): boolean {
    const { chord } = key;
    const action = parts.actions.find(({ chords }) => chords.includes(chord));
    if (question) pressQuestion(key);
    else if (isWide && (chord === "escape" || chord === "tab")) isWide = false;
    else if (isWide && preview.press(key, true)) redraw();
    else if (chord === "escape" || chord === "ctrl+c") parts.close();
    else if (chord === "tab" && parts.preview) isWide = true;
    else if (action) void act(action);
    else if (Object.hasOwn(moves, chord)) moves[chord]?.();
    else if (!preview.press(key)) {
      const before = query.text;
      if (!query.press(key)) return false;
      message = undefined;
      if (query.text !== before) changeQuery();
    }
    redraw();
    return true;
  }

  /** Loads the preview of the current row when it is first drawn. */
  function previewOf(item: Item | undefined): readonly PreviewLine[] | "loading" | undefined {
    if (!item || !parts.preview) return undefined;
    const ready = previews.get(item.id);
    if (ready || previewing?.id === item.id) return ready ?? "loading";
    previewing?.timer[Symbol.dispose]();
    previewing = { id: item.id, timer: clock.after(previewAfterMs, () => void loadPreview(item)) };
    return "loading";
  }

  async function loadPreview(item: Item): Promise<void> {
    const lines = await guarded(async () => parts.preview?.(item, closing.signal));
    if (closing.signal.aborted) return;
    if (previewing?.id === item.id) previewing = undefined;
    previews.set(item.id, lines === undefined ? [] : "error" in lines ? [{ text: lines.error.message }] : lines);
    redraw();
  }

  async function keepLoaded(reloadMs: number): Promise<void> {
    if (!question) await load();
    if (!closing.signal.aborted) reloading = clock.after(reloadMs, () => void keepLoaded(reloadMs));
  }

  void (parts.reloadMs === undefined ? load() : keepLoaded(parts.reloadMs));
  return {
    press,
    closed() {
      closing.abort();
      searching?.[Symbol.dispose]();
      reloading?.[Symbol.dispose]();
      previewing?.timer[Symbol.dispose]();
      question?.done(undefined);
    },
    draw(space: Space) {
      const look: PickerLook = {
        title: parts.title,
        theme: parts.theme,
        texts: texts.panels.picker,
        matches,
        total: items?.length,
        current,
        query: question?.input ?? query,
        prompt: question?.prompt,
        message,
        hint: parts.actions.map(({ hint }) => hint).filter((hint) => hint !== ""),
        empty: items && items.length === 0 ? parts.empty : undefined,
        hasPreview: parts.preview !== undefined,
        isWide,
        preview: () => previewOf(matches[current]),
        scroll: preview,
      };
      const { drawn, listRows } = drawPicker(look, space);
      height = listRows;
      return drawn;
    },
  };
}

/** The items that match every word of the query, best first. */
function everyWord<Item>(query: string, items: readonly Item[], textOf: (item: Item) => string): readonly Item[] {
  const words = query.split(/\s+/u);
  const [first = "", ...rest] = words;
  const whole = fuzzyMatches(query, items, textOf, maxMatches);
  if (rest.length === 0 || whole.length > 0) return whole;
  return rest.reduce(
    (left, word) => fuzzyMatches(word, left, textOf, maxMatches),
    fuzzyMatches(first, items, textOf, maxMatches),
  );
}

/** Converts a rejection into an error value. */
async function guarded<Value>(
  work: () => Promise<Value>,
): Promise<Value | { readonly error: { readonly message: string } }> {
  try {
    return await work();
  } catch (thrown) {
    return { error: { message: reasonOf(thrown) } };
  }
}
