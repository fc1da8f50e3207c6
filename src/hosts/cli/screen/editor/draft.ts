import { nextGrapheme, previousGrapheme } from "../../../../base/text/graphemes.ts";
import type { ContentPart } from "../../../../contracts/model/message.ts";
import { createDraftLayout, type DraftLayout, offsetAt, cursorPlace } from "./draft-layout.ts";
import {
  charLeft,
  charRight,
  type EditState,
  insertAt,
  lineEnd,
  lineStart,
  type Motion,
  moveTo,
  removeRange,
  replaceRange,
  spacedWordLeft,
  stateOf,
  textEnd,
  textStart,
  wordLeft,
  wordRight,
} from "./edit-state.ts";
import type { EditorAction } from "./editor-actions.ts";
import { createFoldedParts, type FoldedPart } from "./folded-parts.ts";
import { createKillRing } from "./kill-ring.ts";
import { createUndoSteps, type UndoSteps } from "./undo-steps.ts";

/** The prompt that a person is writing: its text, cursor, pasted parts, undo steps and deleted texts. */
export interface Draft {
  readonly state: EditState;
  /**
   * Changes the text or the cursor. A change of the text can be undone. `typed`: the change belongs to the same undo
   * step as the characters typed before.
   */
  change(next: EditState, kind?: "typed"): void;
  /** False: the draft has no such action, or it is not possible here. */
  run(action: EditorAction): boolean;
  type(text: string): void;
  /** Inserts pasted text. A long text, or one with several lines, is folded. */
  paste(text: string): void;
  insertPart(part: FoldedPart): void;
  /** Replaces everything, as one step. A long text is folded. */
  set(text: string): void;
  /** Empties the draft and the undo history. */
  reset(state?: EditState): void;
  readonly steps: Pick<UndoSteps, "count" | "join">;
  undo(): void;
  redo(): void;
  /** Deletes up to the target of a motion, and keeps the text for `yank`. */
  killTo(motion: Motion): void;
  /** Moves the cursor to the row above or below. False: there is none. */
  moveRow(step: 1 | -1): boolean;
  /** Positions where folded text is expanded. */
  expand(text?: string): string;
  labelled(text?: string): string;
  contents(): readonly ContentPart[];
  /** Lays out the draft, or `text` if it is given. */
  layout(columns: number, text?: string): DraftLayout;
  /** Called after each key: any other key ends a run of deletions. */
  settle(action: EditorAction | undefined): void;
}

export interface DraftOptions {
  readonly pasteLabel: (lines: number, chars: number) => string;
}

/** A longer text is shown folded. */
const maxShownChars = 2_000;
/** A longer text cannot be expanded, because drawing it would delay every key. */
const maxUnfoldedChars = 200_000;
const maxRecalledLines = 40;

export function createDraft({ pasteLabel }: DraftOptions): Draft {
  const steps = createUndoSteps();
  const ring = createKillRing();
  const parts = createFoldedParts();
  const layoutOf = createDraftLayout((char) => parts.partOf(char)?.label);
  let columns = 80;
  /** The column that the cursor keeps when it moves through shorter rows. */
  let keptColumn: number | undefined;
  /** The range that `yank` inserted last. */
  let yanked: { readonly from: number; readonly to: number } | undefined;

  const change = (next: EditState, kind?: "typed") => steps.change(next, kind);
  const go = (motion: Motion) => change(moveTo(steps.now, motion(steps.now)));
  const folded = (text: string) =>
    parts.fold({ label: pasteLabel(text.trimEnd().split("\n").length, text.length), text });

  function killTo(motion: Motion): void {
    const { now } = steps;
    const target = motion(now);
    const [from, to] = target < now.cursor ? [target, now.cursor] : [now.cursor, target];
    ring.kill(now.text.slice(from, to), target < now.cursor ? "before" : "after");
    change(removeRange(now, from, to));
  }

  function yank(text: string, from: number, to: number): void {
    change(replaceRange(steps.now, from, to, text));
    yanked = { from, to: steps.now.cursor };
  }

  function moveRow(step: 1 | -1): boolean {
    const layout = layoutOf(steps.now.text, columns);
    const place = cursorPlace(layout, steps.now.cursor);
    const row = place.row + step;
    if (row < 0 || row >= layout.rows.length) return false;
    const column = keptColumn ?? place.column;
    change(moveTo(steps.now, offsetAt(layout, row, column)));
    keptColumn = column;
    return true;
  }

  function transpose(): void {
    const { text, cursor } = steps.now;
    const end = cursor === lineEnd(steps.now) ? cursor : nextGrapheme(text, cursor);
    const middle = previousGrapheme(text, end);
    const start = previousGrapheme(text, middle);
    if (start < lineStart(steps.now) || start === middle) return;
    change(replaceRange(steps.now, start, end, text.slice(middle, end) + text.slice(start, middle)));
  }

  /** The folded text at or before the cursor, written out. */
  function unfold(): boolean {
    const { text, cursor } = steps.now;
    const distance = ({ from, to }: { readonly from: number; readonly to: number }) =>
      from >= cursor ? from - cursor : cursor - to;
    const nearest = parts
      .places(text)
      .filter(({ part }) => !part.content && part.text.length <= maxUnfoldedChars)
      .toSorted((one, other) => distance(one) - distance(other))[0];
    if (!nearest) return false;
    change(replaceRange(steps.now, nearest.from, nearest.to, parts.clean(nearest.part.text)));
    return true;
  }

  const actions: Partial<Record<EditorAction, () => boolean | void>> = {
    newline: () => change(insertAt(steps.now, "\n")),
    char_left: () => go(charLeft),
    char_right: () => go(charRight),
    word_left: () => go(wordLeft),
    word_right: () => go(wordRight),
    line_start: () => go(lineStart),
    line_end: () => go(lineEnd),
    text_start: () => go(textStart),
    text_end: () => go(textEnd),
    delete_left: () => change(removeRange(steps.now, charLeft(steps.now), steps.now.cursor)),
    delete_right: () => change(removeRange(steps.now, steps.now.cursor, charRight(steps.now))),
    delete_word_left: () => killTo(wordLeft),
    delete_spaced_word_left: () => killTo(spacedWordLeft),
    delete_word_right: () => killTo(wordRight),
    // At the end of a line these delete the line break.
    delete_to_line_end: () => killTo((state) => (lineEnd(state) === state.cursor ? charRight(state) : lineEnd(state))),
    delete_to_line_start: () =>
      killTo((state) => (lineStart(state) === state.cursor ? charLeft(state) : lineStart(state))),
    yank: () => yank(ring.newest, steps.now.cursor, steps.now.cursor),
    yank_older: () => (yanked ? yank(ring.older(), yanked.from, yanked.to) : false),
    undo: () => void steps.undo(),
    redo: () => void steps.redo(),
    transpose,
    unfold,
  };

  return {
    get state() {
      return steps.now;
    },
    change,
    run(action) {
      const work = actions[action];
      return work ? work() !== false : false;
    },
    type(text) {
      change(insertAt(steps.now, parts.clean(text)), "typed");
    },
    paste(text) {
      const clean = parts.clean(pastable(text));
      const isLong = clean.trimEnd().includes("\n") || clean.length > maxShownChars;
      change(insertAt(steps.now, isLong ? folded(clean) : clean));
    },
    insertPart(part) {
      change(insertAt(steps.now, parts.fold(part)));
    },
    set(text) {
      const clean = parts.clean(pastable(text));
      const isLong = clean.length > maxShownChars * 2 || clean.split("\n").length > maxRecalledLines;
      change(stateOf(isLong ? folded(clean) : clean));
    },
    reset(state) {
      steps.reset(state);
      yanked = undefined;
    },
    steps,
    undo: () => void steps.undo(),
    redo: () => void steps.redo(),
    killTo,
    moveRow,
    expand: (text = steps.now.text) => parts.expand(text),
    labelled: (text = steps.now.text) => parts.labelled(text),
    contents: () => parts.contents(steps.now.text),
    layout(width, text = steps.now.text) {
      columns = width;
      return layoutOf(text, width);
    },
    settle(action) {
      if (!action?.startsWith("delete_")) ring.settle();
      if (action !== "yank" && action !== "yank_older") yanked = undefined;
      if (action !== "row_up" && action !== "row_down") keptColumn = undefined;
    },
  };
}

/** Line ends become `\n`, and control characters except tabs are removed. */
function pastable(text: string): string {
  return text.replaceAll(/\r\n?/gu, "\n").replaceAll(controlCharacters, "");
}

// oxlint-disable-next-line no-control-regex -- control characters are what it removes
const controlCharacters = /[\0-\x08\x0b-\x1f\x7f-\x9f]/gu;
