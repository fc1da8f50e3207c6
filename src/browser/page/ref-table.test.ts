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
