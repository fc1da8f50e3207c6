import { nextGrapheme, previousGrapheme } from "../../../../base/text/graphemes.ts";
import type { KeyPress } from "../parts.ts";
import type { Draft } from "./draft.ts";
import { charLeft, insertAt, lineEnd, lineIndent, lineStart, moveTo, removeRange, replaceRange } from "./edit-state.ts";
import { viTarget, type ViTarget } from "./vi-motions.ts";

export interface ViKeys {
  readonly mode: "insert" | "normal" | "visual";
  readonly selection: { readonly from: number; readonly to: number } | undefined;
  /** Undefined: the key is not a vi key and keeps its default meaning. */
  press(key: KeyPress): boolean | undefined;
  /** Called when a new draft starts; returns to insert mode. */
  reset(): void;
}

export interface ViParts {
  readonly draft: Draft;
  /** Moves to the next row, or at the edge to another prompt of the history. */
  moveRow(step: 1 | -1): boolean;
  search(): void;
}

/** The basic keys of vi: modes, counts, operators with motions, put, undo. */
export function createViKeys({ draft, moveRow, search }: ViParts): ViKeys {
  let mode: ViKeys["mode"] = "insert";
  let keys = "";
  let anchor = 0;
  /** Number of undo steps before the current insertion, which is undone as a whole. */
  let stepsBefore = 0;
  let register = { text: "", isLinewise: false };

  const state = () => draft.state;
  const go = (offset: number) => draft.change(moveTo(state(), offset));

  function insert(offset: number): void {
    go(offset);
    mode = "insert";
  }

  /** In normal mode the cursor is on a character. */
  function onCharacter(): void {
    const now = state();
    if (mode === "normal" && now.cursor === lineEnd(now) && now.cursor > lineStart(now)) go(charLeft(now));
  }

  function selection(): { readonly from: number; readonly to: number } {
    const { text, cursor } = state();
    const [from, last] = anchor < cursor ? [anchor, cursor] : [cursor, anchor];
    return { from, to: nextGrapheme(text, last) };
  }

  /** The text of whole lines, including their line break. */
  function linesAround(from: number, to: number): { readonly from: number; readonly to: number } {
    const { text } = state();
    return { from: lineStart({ text, cursor: from }), to: lineEnd({ text, cursor: to }) };
  }

  function operate(operator: string, from: number, to: number, isLinewise: boolean): void {
    const { text } = state();
    register = { text: text.slice(from, to), isLinewise };
    if (operator === "y") return go(Math.min(from, state().cursor));
    if (operator === "c") {
      draft.change(removeRange(state(), from, to));
      mode = "insert";
      return undefined;
    }
    // A deleted line includes its line break.
    const start = isLinewise && to === text.length && from > 0 ? from - 1 : from;
    const end = isLinewise && to < text.length ? to + 1 : to;
    draft.change(removeRange(state(), start, end));
    if (isLinewise) go(lineIndent(state()));
    return undefined;
  }

  function operateTo(operator: string, motion: string, count: number): boolean {
    const now = state();
    if (motion === operator) {
      const end = viTarget("j", Math.max(1, count) - 1 || 1, now);
      const last = count > 1 && end ? end.offset : now.cursor;
      const lines = linesAround(now.cursor, last);
      operate(operator, lines.from, lines.to, true);
      return true;
    }
    // `cw` changes the word and leaves the spaces after it.
    const isWord = operator === "c" && motion === "w" && /\S/u.test(now.text[now.cursor] ?? "");
    const target = viTarget(isWord ? "e" : motion, count, now);
    if (target) operateOn(operator, target);
    return target !== undefined;
  }

  function operateOn(
    operator: string,
    { offset, isInclusive, isLinewise = false, from = state().cursor }: ViTarget,
  ): void {
    const { text } = state();
    const [start, last] = offset < from ? [offset, from] : [from, offset];
    const end = isInclusive && offset >= from ? nextGrapheme(text, last) : last;
    const range = isLinewise ? linesAround(start, last) : { from: start, to: end };
    operate(operator, range.from, range.to, isLinewise);
  }

  function put(isAfter: boolean, count: number): void {
    const { text, cursor } = state();
    const repeated = Array.from({ length: Math.min(Math.max(1, count), 100) }, () => register.text);
    if (register.text === "" && !register.isLinewise) return;
    if (register.isLinewise) {
      const lines = repeated.join("\n");
      const offset = isAfter ? lineEnd(state()) : lineStart(state());
      draft.change(replaceRange(state(), offset, offset, isAfter ? `\n${lines}` : `${lines}\n`));
      return go(isAfter ? offset + 1 : offset);
    }
    const offset = isAfter && cursor < lineEnd(state()) ? nextGrapheme(text, cursor) : cursor;
    draft.change(insertAt(moveTo(state(), offset), repeated.join("")));
    return go(charLeft(state()));
  }

  const commands: Readonly<Record<string, (count: number) => void>> = {
    i: () => insert(state().cursor),
    a: () => insert(state().cursor === lineEnd(state()) ? state().cursor : nextGrapheme(state().text, state().cursor)),
    I: () => insert(lineIndent(state())),
    A: () => insert(lineEnd(state())),
    o() {
      draft.change(insertAt(moveTo(state(), lineEnd(state())), "\n"));
      mode = "insert";
    },
    O() {
      const start = lineStart(state());
      draft.change(insertAt(moveTo(state(), start), "\n"));
      insert(start);
    },
    x: (count) => void operateTo("d", "l", count),
    X: (count) => void operateTo("d", "h", count),
    s: (count) => void operateTo("c", "l", count),
    S: (count) => void operateTo("c", "c", count),
    D: () => void operateTo("d", "$", 0),
    C: () => void operateTo("c", "$", 0),
    Y: (count) => void operateTo("y", "y", count),
    p: (count) => put(true, count),
    P: (count) => put(false, count),
    u: (count) => repeat(count, draft.undo),
    v() {
      mode = "visual";
      anchor = state().cursor;
    },
    "/": search,
  };

  function repeat(count: number, work: () => void): void {
    for (let step = 0; step < Math.max(1, Math.min(count, 100)); step++) work();
  }

  function replaceChar(char: string): void {
    const { text, cursor } = state();
    if (cursor === lineEnd(state())) return;
    draft.change(replaceRange(state(), cursor, nextGrapheme(text, cursor), char));
    go(previousGrapheme(state().text, state().cursor));
  }

  /** Runs the typed keys if they are complete. False: they have no meaning. Undefined: more keys are needed. */
  function run(typed: string): boolean | undefined {
    const whole = wholeKeys.exec(typed)?.groups;
    if (!whole) return unfinished.test(typed) ? undefined : false;
    const { operator, motion = "", command = "", replaced } = whole;
    const count = Number(whole["count"] ?? 0) * Number(whole["times"] ?? 1) || Number(whole["times"] ?? 0);
    if (replaced !== undefined) replaceChar(replaced);
    else if (command !== "") commands[command]?.(count);
    else if (operator !== undefined) return operateTo(operator, motion, count);
    else if (motion === "j" || motion === "k") repeat(count, () => void moveRow(motion === "j" ? 1 : -1));
    else {
      const target = viTarget(motion, count, state());
      if (target) go(target.offset);
    }
    return true;
  }

  function pressInVisual(typed: string): boolean | undefined {
    const operator = visualOperators[typed];
    if (operator !== undefined) {
      const { from, to } = selection();
      mode = "normal";
      operate(operator, from, to, false);
      return true;
    }
    if (typed === "v") {
      mode = "normal";
      return true;
    }
    const [, count = "0", motion = ""] = visualMotion.exec(typed) ?? [];
    if (motion === "") return unfinished.test(typed) ? undefined : false;
    const target = viTarget(motion, Number(count), state());
    if (target) go(target.offset);
    return true;
  }

  return {
    get mode() {
      return mode;
    },
    get selection() {
      return mode === "visual" ? selection() : undefined;
    },
    press({ chord, text }) {
      if (chord === "escape") {
        const isNormal = mode === "normal" && keys === "";
        if (mode === "insert") draft.steps.join(stepsBefore);
        if (mode === "insert" && state().cursor > lineStart(state())) go(charLeft(state()));
        keys = "";
        mode = "normal";
        return isNormal ? undefined : true;
      }
      if (mode === "insert") return undefined;
      if (chord === "ctrl+r") {
        draft.redo();
        return true;
      }
      if (text === undefined || chord === "paste") return undefined;
      keys += text;
      const { count } = draft.steps;
      const done = mode === "visual" ? pressInVisual(keys) : run(keys);
      if (done !== undefined) keys = "";
      onCharacter();
      // The keys may have changed the mode.
      if ((mode as ViKeys["mode"]) === "insert") stepsBefore = count;
      return true;
    },
    reset() {
      stepsBefore = 0;
      mode = "insert";
      keys = "";
    },
  };
}

const motionKeys = "gg|[fFtT][^]|[ia][wW]|[hjklwWbBeE0^$G]";
const wholeKeys = new RegExp(
  `^(?<count>[1-9]\\d{0,4})?(?:(?<operator>[dcy])(?<times>[1-9]\\d{0,4})?(?<motion>${motionKeys}|[dcy])|(?<motion>gg|[fFtT][^]|[hjklwWbBeE0^$G])|r(?<replaced>[^])|(?<command>[iaIAoOxXsSDCYpPuv/]))$`,
  "u",
);
const visualMotion = new RegExp(`^([1-9]\\d{0,4})?(gg|[fFtT][^]|[hjklwWbBeE0^$G])$`, "u");
const unfinished = /^(?:[1-9]\d{0,4})?(?:[dcy](?:[1-9]\d{0,4})?[ia]?)?[gfFtTr]?$/u;
const visualOperators: Readonly<Record<string, string>> = { d: "d", x: "d", y: "y", c: "c", s: "c" };
