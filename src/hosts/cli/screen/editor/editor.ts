import { graphemeBoundary } from "../../../../base/text/graphemes.ts";
import type { ContentPart } from "../../../../contracts/model/message.ts";
import type { KeyPress } from "../parts.ts";
import type { ScreenTexts } from "../texts/english.ts";
import { createCompletionMenu } from "./completion-menu.ts";
import { createDraft } from "./draft.ts";
import { drawEditor, gutterColumns } from "./draw-editor.ts";
import { droppedPath } from "./dropped-path.ts";
import { replaceRange } from "./edit-state.ts";
import type { EditorAction } from "./editor-actions.ts";
import type { Editor, EditorOptions } from "./editor-parts.ts";
import { createHistorySearch, type HistorySearch } from "./history-search.ts";
import { createTypedHistory } from "./typed-history.ts";
import { createViKeys } from "./vi-keys.ts";

const twiceWithinMs = 800;

export function createEditor(options: EditorOptions): Editor {
  const { texts, clock, keys, redraw } = options;
  const draft = createDraft({ pasteLabel: texts.pasted });
  const menu = createCompletionMenu(clock, redraw);
  let history = createTypedHistory(options.history.lines, options.history.add);
  let search: HistorySearch | undefined;
  const vi = createViKeys({ draft, moveRow, search: startSearch });
  const stash: string[] = [];
  let notice: string | undefined;
  let placeholder: string | undefined;
  let pending = "";
  let isVi = false;
  let escapedAt = -Infinity;
  let top = 0;
  let images = 0;
  let isProgramOpen = false;

  const before = () => draft.state.text.slice(0, draft.state.cursor);
  const isAtEnd = () => draft.state.cursor === draft.state.text.length;

  function ghost(): string | undefined {
    const { text } = draft.state;
    if (!isAtEnd() || menu.current || search) return undefined;
    const line = history.continuing(text);
    return line?.slice(text.length).split("\n", 1)[0];
  }

  function takeGhost(): boolean {
    const rest = ghost();
    if (rest === undefined || rest === "") return false;
    draft.change({ text: draft.state.text + rest, cursor: draft.state.text.length + rest.length });
    return true;
  }

  function takeCompletion(): boolean {
    const item = menu.current?.items[menu.index];
    if (!menu.current || !item) return false;
    draft.change(replaceRange(draft.state, menu.current.from, draft.state.cursor, item.insert));
    return true;
  }

  /** True: Tab was pressed before slow sources had answered. */
  function afterMenu(): void {
    if (takeCompletion() || takeGhost()) menu.update(before());
    redraw();
  }

  function submit(): void {
    const { text } = draft.state;
    const sent = { text: draft.expand(), shown: draft.labelled(), content: draft.contents() };
    if (text.trim() === "") return options.submitEmpty?.();
    menu.close();
    history.add(sent.text);
    draft.reset();
    vi.reset();
    top = 0;
    options.submit(sent);
  }

  function send(): void {
    const item = menu.current?.items[menu.index];
    if (item && (menu.isChosen || menu.current?.takesFirst)) {
      const isSame = before().slice(menu.current?.from) === item.insert.trimEnd();
      takeCompletion();
      if (item.isWhole || isSame) return submit();
      return menu.update(before());
    }
    if (continuesLine()) return undefined;
    return submit();
  }

  /** A backslash at the end, or an open code fence, makes Enter a new line. */
  function continuesLine(): boolean {
    const { text, cursor } = draft.state;
    if (/(?:^|[^\\])(?:\\\\)*\\$/u.test(before()) && (isAtEnd() || text[cursor] === "\n")) {
      draft.change(replaceRange(draft.state, cursor - 1, cursor, "\n"));
      return true;
    }
    const fences = text.split("\n").filter((line) => line.trimStart().startsWith("```")).length;
    if (fences % 2 === 0 || !isAtEnd()) return false;
    return draft.run("newline");
  }

  function browse(direction: "older" | "newer"): boolean {
    const text = history.step(direction, draft.state.text);
    if (text === undefined) return direction === "newer" && history.isBrowsing;
    // The kept draft still has its folded parts, whereas earlier prompts are plain text.
    if (history.isBrowsing) draft.set(text);
    else draft.change({ text, cursor: text.length });
    return true;
  }

  function moveRow(step: 1 | -1): boolean {
    if (menu.current && menu.current.items.length > 0 && !history.isBrowsing) {
      menu.move(step);
      return true;
    }
    return draft.moveRow(step) || browse(step < 0 ? "older" : "newer");
  }

  function startSearch(): void {
    search = createHistorySearch(history);
  }

  function discard(): void {
    history.add(draft.expand());
    draft.change({ text: "", cursor: 0 });
    menu.close();
  }

  function stashDraft(): void {
    if (draft.state.text !== "") {
      stash.push(draft.state.text);
      draft.change({ text: "", cursor: 0 });
      notice = texts.stashed(stash.length);
      return;
    }
    const text = stash.pop();
    if (text === undefined) notice = texts.nothingStashed;
    else draft.change({ text, cursor: text.length });
  }

  /** Esc: closes the open menu; pressed twice, moves the draft to the history. */
  function cancel(): boolean {
    if (menu.current) {
      menu.close();
      return true;
    }
    const now = clock.elapsed();
    const isTwice = now - escapedAt < twiceWithinMs;
    escapedAt = options.isBusy?.() ? -Infinity : now;
    if (draft.state.text === "") return false;
    if (isTwice) {
      discard();
      notice = texts.discarded;
      escapedAt = -Infinity;
      return true;
    }
    if (!options.isBusy?.()) notice = texts.discardHint;
    return !options.isBusy?.();
  }

  async function edit(): Promise<void> {
    if (!options.editInProgram || isProgramOpen) return;
    isProgramOpen = true;
    const text = draft.expand();
    const edited = await options.editInProgram(text).finally(() => void (isProgramOpen = false));
    if (!edited.ok) notice = edited.error.message;
    else if (edited.value !== text) draft.set(edited.value);
    redraw();
  }

  async function paste(kind: "image" | "any"): Promise<void> {
    const read = await options.readClipboard?.(kind);
    if (!read) return;
    if (!read.ok) notice = read.error.message;
    else if (read.value.kind === "text") pasteText(read.value.text);
    else attach(read.value.content, read.value.label);
    redraw();
  }

  function attach(content: ContentPart, label = ""): void {
    images++;
    const name = texts.image(images, label);
    draft.insertPart({ label: name, text: `[image ${images}]`, content });
  }

  /** Terminals paste the path of a file that is dropped onto them. */
  function pasteText(text: string): void {
    const path = droppedPath(text);
    if (path === undefined) return draft.paste(text);
    return void pasteFile(path, text);
  }

  async function pasteFile(path: string, text: string): Promise<void> {
    const image = await options.readImage?.(path);
    if (image?.ok && image.value.kind === "image") attach(image.value.content, image.value.label);
    else draft.paste(text);
    if (image && !image.ok) notice = image.error.message;
    redraw();
  }

  /** Actions that the editor handles itself; the draft handles the others. */
  const actions: Partial<Record<EditorAction, () => boolean | void>> = {
    send,
    complete() {
      if (menu.isAsking) menu.settle(afterMenu);
      else if (takeCompletion()) menu.update(before());
      else if (!takeGhost()) menu.update(before());
    },
    complete_previous: () => (menu.current ? menu.move(-1) : false),
    char_right: () => (isAtEnd() && takeGhost() ? undefined : draft.run("char_right")),
    line_end: () => (isAtEnd() && takeGhost() ? undefined : draft.run("line_end")),
    row_up: () => moveRow(-1),
    row_down: () => moveRow(1),
    history_search: startSearch,
    delete_right: () => (draft.state.text === "" ? false : draft.run("delete_right")),
    stash: stashDraft,
    edit_in_program: () => void edit(),
    paste: () => void paste("any"),
    paste_image: () => void paste("image"),
    cancel,
  };

  function run(action: EditorAction): boolean {
    const own = actions[action];
    return own ? own() !== false : draft.run(action);
  }

  /** The action of this key, after the keys of a sequence. `waits`: more keys must follow. */
  function actionOf(chord: string): { readonly action?: EditorAction; readonly waits?: true } {
    const chords = pending === "" ? chord : `${pending} ${chord}`;
    pending = "";
    const action = keys.actionOf(chords) ?? (chords === chord ? undefined : keys.actionOf(chord));
    if (keys.isBeginning(chords)) {
      pending = chords;
      return { waits: true };
    }
    return action ? { action } : {};
  }

  function pressInSearch(key: KeyPress, action: EditorAction | undefined): boolean | undefined {
    const outcome = search?.press(key, action) ?? "cancel";
    if (outcome === "more") return true;
    const match = search?.match;
    search = undefined;
    if (outcome !== "cancel" && match !== undefined) draft.set(match);
    return outcome === "take-and-run" ? undefined : true;
  }

  function press(key: KeyPress): boolean {
    if (key.chord === "focus" || key.chord === "blur") return false;
    notice = undefined;
    const { action, waits } = key.chord === "paste" ? {} : actionOf(key.chord);
    if (waits) return true;
    if (action !== "cancel") escapedAt = -Infinity;
    if (search) {
      const isDone = pressInSearch(key, action);
      if (isDone !== undefined) return isDone;
    }
    const { text } = draft.state;
    const isUsed = (isVi ? vi.press(key) : undefined) ?? (action ? run(action) : typed(key));
    draft.settle(action);
    if (draft.state.text !== text && action !== "row_up" && action !== "row_down") history.endBrowsing();
    const opens = draft.state.text !== text || (menu.current && movesCursor.has(action ?? "send"));
    if (opens && action !== "complete" && action !== "send" && !history.isBrowsing) menu.update(before());
    else if (history.isBrowsing) menu.close();
    return isUsed;
  }

  function typed({ chord, text = "" }: KeyPress): boolean {
    if (text === "") return false;
    if (chord === "paste") pasteText(text);
    else draft.type(text);
    return true;
  }

  return {
    press,
    draw(space) {
      const theme = options.theme();
      const match = search?.match?.slice(0, maxMatchChars);
      const layout = draft.layout(Math.max(2, space.columns - gutterColumns - 1), match);
      const rest = ghost();
      const shown = notice ?? (search ? searchText(search, texts) : isVi ? texts.modes[vi.mode] : undefined);
      const { top: first, ...drawn } = drawEditor(
        {
          layout,
          cursor: match === undefined ? draft.state.cursor : matchAt(match, search?.words ?? ""),
          menu,
          ...(isVi && vi.selection && { selection: vi.selection }),
          isShell: draft.state.text.startsWith("!"),
          ...(rest !== undefined && { ghost: rest }),
          ...(placeholder !== undefined && { placeholder }),
          ...(shown !== undefined && { notice: shown }),
        },
        space,
        theme,
        top,
      );
      top = first;
      return drawn;
    },
    get text() {
      return draft.expand();
    },
    get isEmpty() {
      return draft.state.text === "";
    },
    get mode() {
      return isVi ? vi.mode : undefined;
    },
    set(text) {
      history.endBrowsing();
      draft.set(text);
      menu.close();
    },
    insert: (text) => draft.paste(text),
    clear() {
      draft.change({ text: "", cursor: 0 });
      history.endBrowsing();
      menu.close();
    },
    discard,
    attach,
    setPlaceholder(text) {
      placeholder = text;
    },
    useCompleter(completer) {
      menu.use(completer);
      if (draft.state.text !== "") menu.update(before());
    },
    useVi(isUsed) {
      isVi = isUsed;
    },
    useHistory({ lines, add }) {
      history = createTypedHistory([...history.lines, ...lines], add);
    },
    [Symbol.dispose]: () => menu[Symbol.dispose](),
  };
}

const movesCursor: ReadonlySet<string> = new Set(["char_left", "char_right", "word_left", "word_right", "line_start"]);

const maxMatchChars = 4_000;

/** The position of the words in a matching prompt. */
function matchAt(text: string, words: string): number {
  const offset = text.toLowerCase().indexOf(words.toLowerCase());
  return graphemeBoundary(text, Math.max(0, offset));
}

function searchText({ words, match, isLast }: HistorySearch, texts: ScreenTexts["editor"]): string {
  return texts.search(words, match === undefined && words !== "", isLast);
}
