import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import type { KeyPress, Panel } from "./parts.ts";
import { createScreenControls } from "./screen-controls.ts";

function rig(state: { text?: string; isBusy?: boolean; panel?: Panel } = {}) {
  const clock = fakeClock();
  const calls: string[] = [];
  let text = state.text ?? "";
  let { isBusy = false } = state;
  let hint: string | undefined;
  const controls = createScreenControls({
    clock,
    panel: () => state.panel,
    editor: {
      press({ chord, text: typed }: KeyPress) {
        if (typed === undefined) {
          if (chord.includes(" ")) calls.push(`editor ${chord}`);
          return chord.includes(" ");
        }
        text += typed;
        return true;
      },
      get isEmpty() {
        return text === "";
      },
      clear() {
        text = "";
        calls.push("clear");
      },
    },
    interrupt() {
      if (!isBusy) return false;
      isBusy = false;
      calls.push("interrupt");
      return true;
    },
    suspend: () => void calls.push("suspend"),
    redraw: () => void calls.push("redraw"),
    open: (panel) => void calls.push(`open ${panel}`),
    leave: (code) => void calls.push(`leave ${code}`),
    hint: (kind) => {
      hint = kind;
      if (kind) calls.push(`hint ${kind}`);
    },
    changed() {},
    other: () => {},
  });
  const press = (...chords: readonly string[]) => {
    for (const chord of chords) controls.press({ chord });
  };
  return { clock, calls, press, hint: () => hint };
}

test("Ctrl-C first clears the prompt, then stops the turn, then exits", () => {
  const { press, calls } = rig({ text: "a draft", isBusy: true });
  press("ctrl+c", "ctrl+c", "ctrl+c");
  assert.deepEqual(calls, ["clear", "interrupt", "hint stoppingOrLeaving", "leave 130"]);
});

test("the second Ctrl-C exits only within a moment, and Ctrl-Q never exits", () => {
  const { press, calls, clock, hint } = rig();
  press("ctrl+c");
  assert.equal(hint(), "leaving");
  clock.advance(2_500);
  assert.equal(hint(), undefined);
  press("ctrl+c");
  press("ctrl+q", "ctrl+q");
  assert.deepEqual(calls, ["hint leaving", "hint leaving"]);
});

test("Ctrl-C closes a panel; at a question it stops the turn", () => {
  const pressed: string[] = [];
  const panel = (isQuestion: boolean): Panel => ({
    isQuestion,
    draw: () => ({ lines: [] }),
    press({ chord }) {
      pressed.push(chord);
      return chord !== "ctrl+c";
    },
  });
  const list = rig({ panel: panel(false), isBusy: true });
  list.press("ctrl+c");
  assert.deepEqual([pressed, list.calls], [["ctrl+c", "escape"], []]);
  const question = rig({ panel: panel(true), isBusy: true });
  question.press("ctrl+c");
  assert.deepEqual(question.calls, ["interrupt", "hint stoppingOrLeaving"]);
});

test("the keys of a sequence act as one key; its first key alone acts after a moment", () => {
  const { press, calls, clock } = rig();
  press("ctrl+x", "ctrl+e");
  assert.deepEqual(calls, ["editor ctrl+x ctrl+e"]);
  press("ctrl+x");
  clock.advance(1_000);
  assert.deepEqual(calls, ["editor ctrl+x ctrl+e", "open sessions"]);
  press("ctrl+x", "ctrl+l");
  assert.deepEqual(calls.slice(2), ["open sessions", "redraw"]);
});

test("Escape stops the turn", () => {
  const { press, calls } = rig({ isBusy: true });
  press("escape", "escape");
  assert.deepEqual(calls, ["interrupt", "hint stopping"]);
});
