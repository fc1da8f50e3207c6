import assert from "node:assert/strict";
import { test } from "node:test";

import type { FrameWorld } from "./frame-worlds.ts";
import { readKey } from "./keys.ts";
import { isSessionCookie } from "./login.ts";
import { createRefTable, readRef, type SeenElement } from "./ref-table.ts";

const world = (key: string): FrameWorld => ({
  key,
  frameId: "f",
  contextId: 1,
  session: { id: "s", send: async () => ({}) as never, on: () => ({ [Symbol.dispose]: () => undefined }) },
});
const seen = (local: number, name: string, one = world("w1")): SeenElement => ({
  world: one,
  local,
  role: "button",
  name,
  path: "/main",
});
const page = { key: "w1", url: "https://a.example/" };
const nobody = async () => new Set<SeenElement>();

test("an element keeps its number, and one that replaced it inherits the number", async () => {
  const refs = createRefTable();
  assert.deepEqual(await refs.record(page, [seen(1, "Save"), seen(2, "Exit")], nobody), [1, 2]);
  assert.deepEqual(await refs.record(page, [seen(2, "Exit"), seen(1, "Save")], nobody), [2, 1]);
  // A framework replaced the button with an equal one.
  assert.deepEqual(await refs.record(page, [seen(9, "Save"), seen(2, "Exit")], nobody), [1, 2]);
  // Two look the same, so nobody can tell which one it was.
  assert.deepEqual(await refs.record(page, [seen(11, "Save"), seen(12, "Save"), seen(2, "Exit")], nobody), [3, 4, 2]);
});

test("a hidden element keeps its number, and no other element inherits it", async () => {
  const refs = createRefTable();
  const old = seen(1, "Save");
  await refs.record(page, [old], nobody);
  assert.deepEqual(await refs.record(page, [seen(2, "Save")], async (elements) => new Set(elements)), [2]);
  assert.deepEqual(await refs.record(page, [seen(1, "Save"), seen(2, "Save")], nobody), [1, 2]);
});

test("a reference to a page that was left gives an error that says so", async () => {
  const refs = createRefTable();
  await refs.record(page, [seen(1, "Save")], nobody);
  const next = { key: "w2", url: "https://b.example/" };
  assert.deepEqual(await refs.record(next, [seen(1, "Save", world("w2"))], nobody), [2]);
  const old = refs.find(1);
  assert.equal(old.how === "old" && old.page, page.url);
  assert.equal(refs.find(2).how, "found");
  assert.deepEqual(refs.find(77), { how: "unknown", last: 2 });
});

test("on another page of the site, menus, fields and links to the same page keep their numbers; buttons do not", async () => {
  const refs = createRefTable();
  const on = (key: string): readonly SeenElement[] => [
    { ...seen(1, "Home", world(key)), role: "link", to: "/", path: "/main " },
    { ...seen(2, "Next", world(key)), role: "link", to: `/${key}`, path: "/main " },
    { ...seen(3, "Search", world(key)), path: "/banner /search " },
    { ...seen(4, "Amount", world(key)), role: "textbox" },
    seen(5, "Delete", world(key)),
  ];
  const shown = (key: string, path: string) => ({ key, url: `https://a.example${path}`, isShown: true });
  assert.deepEqual(await refs.record(shown("w1", "/1"), on("w1"), nobody), [1, 2, 3, 4, 5]);
  assert.deepEqual(await refs.record(shown("w2", "/2"), on("w2"), nobody), [1, 6, 3, 4, 7]);
  assert.equal(refs.find(5).how, "old");
  // The address of the first page: it is the same page again.
  assert.deepEqual(await refs.record(shown("w3", "/1"), on("w3"), nobody), [1, 8, 3, 4, 5]);
  // A page that the model does not see, and another site, get other numbers.
  assert.deepEqual(await refs.record({ ...shown("w4", "/1"), isShown: false }, on("w4"), nobody), [9, 10, 11, 12, 13]);
  const elsewhere = { key: "w5", url: "https://b.example/1", isShown: true };
  assert.deepEqual(await refs.record(elsewhere, on("w5"), nobody), [14, 15, 16, 17, 18]);
});

test("references are parsed in every form that models write", () => {
  assert.deepEqual(["@e12", "e12", "12", " [ref=e12] ", "@12"].map(readRef), [12, 12, 12, 12, 12]);
  assert.deepEqual(["", "@x1", "button", "e1 e2"].map(readRef), [undefined, undefined, undefined, undefined]);
});

test("key names with modifiers are parsed", () => {
  assert.deepEqual(readKey("ctrl+a"), { key: "a", code: "KeyA", keyCode: 65, modifiers: 2 });
  assert.equal(readKey("Enter")?.text, "\r");
  assert.equal(readKey("Control++")?.key, "+");
  assert.equal(readKey("Shift+Tab")?.modifiers, 8);
  assert.equal(readKey("F5")?.keyCode, 116);
  assert.equal(readKey("Nonsense"), undefined);
});

test("login cookies are recognised", () => {
  const value = "3f9a77c1b2d4e5f60718";
  const names = ["sessionid", "auth_token", "connect.sid", "user", "_ga", "csrftoken", "theme", "lang"];
  const results = names.map((name) => isSessionCookie({ name, value }));
  assert.deepEqual(results, [true, true, true, true, false, false, false, false]);
  assert.ok(isSessionCookie({ name: "x", value, httpOnly: true }));
});
