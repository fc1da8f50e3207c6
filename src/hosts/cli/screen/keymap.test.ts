import assert from "node:assert/strict";
import { test } from "node:test";

import { createKeymap } from "./keymap.ts";
import { readChord } from "./read-chord.ts";

test("the default keys have no conflict, and every action has a summary", () => {
  const { actions, problems } = createKeymap();
  assert.deepEqual(problems, []);
  for (const { name, chords, summary } of actions) {
    assert.ok(summary.length > 0, name);
    assert.ok(chords.length > 0, `${name} lost its keys to another action`);
    for (const chord of chords) assert.equal(readChord(chord), chord);
  }
});

test("a setting replaces the keys of an action; another action's default for the same key is removed", () => {
  const keymap = createKeymap({ palette: ["Ctrl-R"], history_search: ["f3"] });
  assert.equal(keymap.screenActionOf("ctrl+r"), "palette");
  assert.equal(keymap.screenActionOf("ctrl+p"), undefined);
  assert.equal(keymap.editorKeys.actionOf("f3"), "history_search");
  assert.deepEqual(keymap.problems, []);
  const stolen = createKeymap({ palette: ["ctrl+r"] });
  assert.equal(stolen.editorKeys.actionOf("ctrl+r"), undefined);
  assert.deepEqual(stolen.problems, ["history_search: ctrl+r is bound to palette now."]);
});

test("unknown actions, invalid keys and duplicate bindings are reported", () => {
  const { problems } = createKeymap({ fly: ["f9"], undo: ["hyper+q+q"], yank: ["f8"], redraw: ["f8"], stash: [] });
  assert.deepEqual(problems, [
    'keys.undo: "hyper+q+q" is not a key. For example: ctrl+r, alt+enter, f5.',
    "keys.fly: there is no such action.",
    "keys.redraw: f8 is bound to yank.",
  ]);
});

test("the prefixes of a key sequence are recognised", () => {
  const keymap = createKeymap();
  assert.equal(keymap.isBeginning("ctrl+x"), true);
  assert.equal(keymap.isBeginning("ctrl+x ctrl+e"), false);
  assert.equal(keymap.editorKeys.actionOf("ctrl+x ctrl+e"), "edit_in_program");
});

test("keys are read in the notations that people use", () => {
  const cases = {
    "C-x C-e": "ctrl+x ctrl+e",
    "M-Return": "alt+enter",
    "shift+a": "A",
    "Ctrl+Shift+UP": "ctrl+shift+up",
  };
  for (const [written, chord] of Object.entries(cases)) assert.equal(readChord(written), chord);
  assert.equal(readChord("ctrl+"), undefined);
  assert.equal(readChord("banana"), undefined);
});
