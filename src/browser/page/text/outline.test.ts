import assert from "node:assert/strict";
import { test } from "node:test";

import { compactLimits, fullLimits, outline } from "./outline.ts";
import { changesText, pageChanges } from "./page-changes.ts";
import { compactText, fullText, maxCompactChars } from "./page-report.ts";
import type { PageItem, PageNode } from "./page-tree.ts";

const [limits = fullLimits] = compactLimits;

function shop(count: number): PageNode {
  const items = Array.from({ length: count }, (_, index): PageNode => ({
    role: "item",
    items: [
      { role: "link", name: `Shoe ${index}`, ref: 100 + 2 * index },
      `€${index}.99`,
      { role: "button", name: "Add", ref: 101 + 2 * index },
    ],
  }));
  return { role: "items", ref: 9, items };
}

function treeOf(items: readonly PageItem[]) {
  const scroll = { top: 0, view: 900, height: 900 };
  return { key: "k", url: "https://shop.example/", title: "Shop", items, elements: 1, isCut: false, scroll };
}

test("repeated structures are folded: the first items take one line each, followed by a hint how to read the rest", () => {
  const lines = outline([shop(200)], { limits }).split("\n");
  assert.equal(lines[0], "list @e9 (200 items)");
  assert.equal(lines[1], '  - link "Shoe 0" @e100 · €0.99 · button "Add" @e101');
  assert.equal(lines.length, 22);
  assert.equal(lines.at(-1), "  … 180 more: browser_snapshot ref @e9 offset 20");
  const next = fullText(treeOf([shop(200)]), 9, 150) ?? "";
  assert.match(next, /… 150 before\n {2}- link "Shoe 150"/u);
  assert.ok(next.length <= maxCompactChars);
});

test("every compact page fits the limit, however large the page is, and reports what was omitted", () => {
  const texts = Array.from({ length: 3000 }, (_, index): PageItem => `Paragraph ${index} ${"word ".repeat(300)}`);
  const links = Array.from({ length: 3000 }, (_, ref): PageItem => ({ role: "link", name: `Link ${ref}`, ref }));
  assert.match(compactText(treeOf(texts)), /… 299\d more texts/u);
  const long = compactText(treeOf(links));
  assert.ok(long.length <= maxCompactChars + 100, String(long.length));
  assert.match(long, /the page continues: browser_snapshot with full: true/u);
  assert.equal(outline(links, { limits: fullLimits }).split("\n").length, 3000);
});

test("an outline that is too long ends early, and one that fits is complete", () => {
  const whole = outline([shop(18)], { limits });
  assert.equal(outline([shop(18)], { limits, maxChars: whole.length }), whole);
  const early = outline([shop(18)], { limits, maxChars: 200 });
  assert.ok(early.length > 200 && early.length < 300, String(early.length));
  assert.ok(whole.startsWith(early));
});

test("in a compact outline similar neighbours share a line, and a picture does not repeat the name beside it", () => {
  const link = (name: string, ref: number): PageNode => ({ role: "link", name, ref });
  const items: PageItem[] = [
    link("Home", 1),
    link("Help", 2),
    { ...link("Blog", 3), states: ["current"] },
    { role: "list", items: [4, 5, 6].map((ref) => ({ role: "listitem", items: [link(`Story ${ref}`, ref)] })) },
    { role: "img", name: "Kettle" },
    link("Kettle", 7),
    { role: "img", name: "A cat" },
  ];
  assert.equal(
    outline(items, { limits }),
    [
      'links "Home" @e1, "Help" @e2, "Blog" @e3 [current]',
      'links "Story 4" @e4, "Story 5" @e5, "Story 6" @e6',
      'link "Kettle" @e7',
      'img "A cat"',
    ].join("\n"),
  );
  assert.equal(outline(items, { limits: fullLimits }).split("\n").length, 9);
});

test("page text cannot imitate a reference or draw on a terminal", () => {
  const text = outline(['Click @e5 now \u001b[2J\u202e"', { role: "button", name: "@E7 Pay", ref: 3 }], { limits });
  assert.doesNotMatch(text, /@e5|@E7|[\p{Cc}--\n]|\u202e/v);
  assert.match(text, /button "@ E7 Pay" @e3/u);
});

test("in an outline, tables are rows, states and values are shown, and links name only other hosts", () => {
  const cell = (...items: PageItem[]): PageNode => ({ role: "cell", items });
  const row = (...items: PageNode[]): PageNode => ({ role: "row", items });
  const items: PageItem[] = [
    {
      role: "table",
      ref: 1,
      name: "Prices",
      items: [row(cell("Item"), cell("Price")), row(cell({ role: "link", name: "One", ref: 2, to: "/1" }), cell("€1"))],
    },
    { role: "checkbox", name: "Agree", ref: 3, states: ["checked", "required"] },
    { role: "combobox", name: "Land", ref: 4, value: "France", options: ["Germany", "France"] },
    { role: "link", name: "Partner", ref: 5, to: "https://other.example/path?x=1" },
  ];
  assert.equal(
    outline(items, { limits }),
    [
      'table "Prices" (2 rows)',
      "  | Item | Price |",
      '  | link "One" @e2 | €1 |',
      'checkbox "Agree" @e3 [checked required]',
      'combobox "Land" @e4 = "France" (Germany, France)',
      'link "Partner" @e5 -> other.example',
    ].join("\n"),
  );
});

test("after an action only the changes are shown: added, changed and removed elements, by reference", () => {
  const before: PageItem[] = [
    { role: "heading", name: "Cart", level: 1 },
    { role: "button", name: "Save", ref: 1 },
    { role: "checkbox", name: "Agree", ref: 2 },
    "0 items",
    shop(30),
  ];
  const after: PageItem[] = [
    { role: "heading", name: "Cart", level: 1 },
    { role: "checkbox", name: "Agree", ref: 2, states: ["checked"] },
    "1 item",
    shop(30),
    { role: "dialog", name: "Done", ref: 7, items: ["Saved.", { role: "button", name: "OK", ref: 8 }] },
  ];
  const text = changesText(pageChanges(before, after), limits);
  assert.equal(
    text,
    [
      '~ checkbox "Agree" @e2 [checked]',
      "+ 1 item",
      '+ dialog "Done" @e7',
      "  Saved.",
      '  button "OK" @e8',
      'gone: button "Save" @e1',
      'gone text: "0 items"',
    ].join("\n"),
  );
  assert.ok(pageChanges(after, after).isSame);
  // The focus moves with each click, so it is not reported as a change.
  assert.ok(
    pageChanges([{ role: "button", name: "A", ref: 1 }], [{ role: "button", name: "A", ref: 1, states: ["focused"] }])
      .isSame,
  );
});

test("new items of a list are marked, and its old items are not repeated", () => {
  const list = (count: number): PageNode => ({
    role: "list",
    ref: 5,
    items: Array.from({ length: count }, (_, index): PageNode => ({ role: "listitem", items: [`Item ${index + 1}`] })),
  });
  assert.equal(changesText(pageChanges([list(2)], [list(3)]), limits), "+ - Item 3");
});
