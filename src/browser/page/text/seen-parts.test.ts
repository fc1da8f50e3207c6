import assert from "node:assert/strict";
import { test } from "node:test";

import { actionAnswer } from "./page-report.ts";
import type { PageItem, PageNode } from "./page-tree.ts";
import { createSeenParts } from "./seen-parts.ts";

const menu: PageNode = {
  role: "banner",
  items: ["Home", "Electric kettles", "Reading lamps", "Pocket radios"].map((name, index) => ({
    role: "link",
    name,
    ref: index + 1,
  })),
};
const help: PageNode = {
  role: "contentinfo",
  items: ["About our company", "Terms of sale", "Privacy notice"].map((name, index) => ({
    role: "link",
    name,
    ref: index + 5,
  })),
};

function treeOf(path: string, main: readonly PageItem[], banner = menu) {
  const url = URL.canParse(path) ? path : `https://shop.example${path}`;
  const items = [banner, { role: "main", items: main }, help];
  return { key: url, url, title: "Shop", items, elements: 9, isCut: false, scroll: { top: 0, view: 9, height: 9 } };
}

/** The texts that a model reads when it visits the pages one after another; it goes back to the last one. */
function visit(...trees: readonly ReturnType<typeof treeOf>[]): readonly string[] {
  const parts = createSeenParts();
  let before: ReturnType<typeof treeOf> | undefined;
  return trees.map((after, index) => {
    const isReturn = index === trees.length - 1;
    const condensed = () => parts.condensed(after, isReturn);
    const { text } = actionAnswer({ done: "", notes: [], before, after, condensed });
    parts.note(after);
    before = after;
    return text;
  });
}

test("another page of the site names the parts that the model has seen, with their references, and shows the others", () => {
  const [first, second] = visit(treeOf("/1", ["One"]), treeOf("/2", ["Two"]));
  assert.equal(
    first,
    [
      "Page: Shop <https://shop.example/1>",
      "banner",
      '  links "Home" @e1, "Electric kettles" @e2, "Reading lamps" @e3, "Pocket radios" @e4',
      "main",
      "  One",
      "contentinfo",
      '  links "About our company" @e5, "Terms of sale" @e6, "Privacy notice" @e7',
    ].join("\n"),
  );
  assert.equal(
    second,
    [
      "Page: Shop <https://shop.example/2>",
      "= banner @e1-@e4 (as before)",
      "main",
      "  Two",
      "= contentinfo @e5-@e7 (as before)",
    ].join("\n"),
  );
});

test("a part counts as seen only if it is equal to the page before, or to the last visit of a page that it went back to", () => {
  const signedIn: PageNode = { ...menu, items: [...(menu.items ?? []), { role: "link", name: "Ada", ref: 9 }] };
  const [, , third, fourth] = visit(
    treeOf("/1", ["One"]),
    treeOf("/2", ["Two"], signedIn),
    treeOf("/3", ["Three"]),
    treeOf("/1", ["One"]),
  );
  // The menu of the first page is not the menu before.
  assert.match(third ?? "", /^banner\n {2}links "Home" @e1, .*\nmain\n {2}Three\n= contentinfo/mu);
  assert.equal(
    fourth,
    "Page: Shop <https://shop.example/1>\n= banner … contentinfo @e1-@e7 (as on the last visit): the whole page. " +
      "browser_snapshot shows it again.",
  );
});

test("a message to the user is shown again, even if it is the same", () => {
  const failed = (key: string) => ({ ...treeOf("/login", [{ role: "alert", items: ["Wrong password"] }]), key });
  const [, second] = visit(failed("k1"), failed("k2"), treeOf("/1", []));
  assert.match(second ?? "", /= banner .*\nmain\n {2}alert: Wrong password\n= contentinfo/u);
});

test("a page of another site is shown in full", () => {
  const [, second] = visit(treeOf("/1", ["One"]), treeOf("https://other.example/2", ["Two"]));
  assert.doesNotMatch(second ?? "", /as before/u);
});

test("the changes are never longer than the page may be, even if nothing old is gone", () => {
  const buttons = (count: number) =>
    Array.from({ length: count }, (_, ref): PageItem => ({ role: "button", name: `Button ${ref}`, ref: ref + 10 }));
  const before = treeOf("/1", buttons(10));
  const { text } = actionAnswer({
    done: "Pressed.",
    notes: [],
    before,
    after: treeOf("/1", buttons(3000)),
    condensed: () => treeOf("/1", buttons(3000)).items,
  });
  assert.ok(text.length < 8000, String(text.length));
});

test("the value that an action has set is not repeated, but every other change is shown", () => {
  const page = (value: string, text: string) => treeOf("/1", [{ role: "textbox", name: "City", ref: 8, value }, text]);
  const act = (after: ReturnType<typeof treeOf>) =>
    actionAnswer({ done: 'Typed "Rome" into @e8.', notes: [], before: page("", "-"), after, condensed: () => [] }).text;
  assert.equal(act(page("Rome", "-")), 'Typed "Rome" into @e8.\nNothing else changed.');
  assert.equal(act(page("ROME", "-")), 'Typed "Rome" into @e8.\nmain\n  ~ textbox "City" @e8 = "ROME"');
  assert.match(act(page("Rome", "Sunny")), /~ textbox "City" @e8 = "Rome"\n {2}\+ Sunny/u);
});
