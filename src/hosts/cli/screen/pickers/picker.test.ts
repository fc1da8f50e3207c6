import assert from "node:assert/strict";
import { test } from "node:test";

import { panelRig } from "../../../../../test/support/panel-rig.ts";
import { createTextView } from "../panels/text-view.ts";
import type { Space } from "../parts.ts";
import type { PickItem } from "./picker-look.ts";
import { createPicker, type PickerParts } from "./picker.ts";

function listOf(count: number): readonly PickItem[] {
  return Array.from({ length: count }, (_, index) => ({
    id: String(index),
    title: `row number ${index}`,
    detail: index % 2 === 0 ? "even" : "odd",
  }));
}

function openRows(parts: Partial<PickerParts<PickItem>>, space?: Space) {
  const rig = panelRig(space);
  const done = rig.panels.open<true>((close, redraw) =>
    createPicker({
      title: "Rows",
      empty: "no rows",
      actions: [],
      load: async () => listOf(50),
      ...rig,
      theme: rig.theme(),
      redraw,
      close: () => close(true),
      ...parts,
    }),
  );
  return { ...rig, done };
}

for (const space of [
  { columns: 40, rows: 8 },
  { columns: 80, rows: 22 },
  { columns: 200, rows: 48 },
]) {
  test(`a list scrolls, filters and previews in ${space.columns}x${space.rows}`, async () => {
    const chosen: string[] = [];
    const rig = openRows(
      {
        preview: async ({ title }) => [{ text: `about ${title}` }, { text: "x".repeat(500) }],
        actions: [{ chords: ["enter"], hint: "Enter pick", run: (item) => void chosen.push(item?.id ?? "") }],
      },
      space,
    );
    assert.match(rig.text(), /loading/u);
    await rig.settle();
    assert.match(rig.text(), /❯ row number 0 +even/u);
    rig.clock.advance(100);
    await rig.settle();
    assert.equal(/about row number 0/u.test(rig.text()), space.rows > 8);
    for (let step = 0; step < 30; step++) rig.press("down");
    assert.match(rig.text(), /❯ row number 30/u);
    rig.type("ber 4");
    assert.match(rig.text(), /❯ row number 4 /u);
    assert.match(rig.text(), /11 of 50|> ber 4/u);
    rig.press("pagedown", "enter");
    await rig.settle();
    assert.equal(chosen.length, 1);
    assert.notEqual(chosen[0], "4");
    rig.press("ctrl+home", "tab");
    rig.lines();
    rig.clock.advance(100);
    await rig.settle();
    assert.match(rig.text(), /about row number 4/u);
    rig.press("escape", "escape");
    await rig.done;
    assert.equal(rig.panels.current, undefined);
  });
}

test("an action may ask for a line of text, and its error is shown", async () => {
  const names: (string | undefined)[] = [];
  const rig = openRows({
    actions: [
      {
        chords: ["ctrl+t"],
        hint: "Ctrl-T name",
        async run(item, picker) {
          names.push(await picker.ask("Name:", item?.title ?? ""));
          throw new Error("the disk is full\u001b[2J");
        },
      },
    ],
  });
  await rig.settle();
  rig.press("ctrl+t");
  assert.match(rig.text(), /Name: row number 0/u);
  rig.press("backspace", "7", "enter");
  await rig.settle();
  assert.deepEqual(names, ["row number 7"]);
  assert.match(rig.text(), /the disk is full\[2J/u);
});

test("a search adds rows that are not in the list", async () => {
  const rig = openRows({ search: async (query) => [{ id: "far", title: "far away", detail: `has ${query}` }] });
  await rig.settle();
  rig.type("zebra");
  assert.match(rig.text(), /nothing matches/u);
  rig.clock.advance(200);
  await rig.settle();
  assert.match(rig.text(), /❯ far away +has zebra/u);
});

test("an empty list and a failed list show a message", async () => {
  const none = openRows({ load: async () => [] });
  await none.settle();
  assert.match(none.text(), /no rows/u);
  const broken = openRows({ load: async () => Promise.reject(new Error("locked")) });
  await broken.settle();
  assert.match(broken.text(), /locked/u);
});

test("hostile text stays within its row", async () => {
  const rig = openRows(
    { load: async () => [{ id: "x", title: "a\n❯ b\u001b[H\u202e", detail: "\r\n\u009b1m" }] },
    { columns: 40, rows: 8 },
  );
  await rig.settle();
  assert.equal(rig.lines().length, 4);
});

test("keys that a list does not use are left to the screen", async () => {
  const rig = openRows({});
  await rig.settle();
  assert.equal(rig.press("f5"), false);
});

test("a long text can be scrolled and searched", async () => {
  const rig = panelRig({ columns: 40, rows: 8 });
  const lines = Array.from({ length: 300 }, (_, index) => ({ text: index === 150 ? "the needle" : `hay ${index}` }));
  const done = rig.panels.open<true>((close, redraw) =>
    createTextView({ ...rig, title: "Output", lines, theme: rig.theme(), redraw, close: () => close(true) }),
  );
  assert.match(rig.text(), /hay 0/u);
  rig.press("G");
  assert.match(rig.text(), /hay 299/u);
  rig.press("/");
  rig.type("NEEDLE");
  rig.press("enter");
  assert.match(rig.text(), /the needle/u);
  rig.press("/", "ctrl+u");
  rig.type("camel");
  rig.press("enter");
  assert.match(rig.text(), /nothing matches "camel"/u);
  rig.press("q");
  await done;
  assert.equal(rig.panels.current, undefined);
});
