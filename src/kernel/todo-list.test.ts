import assert from "node:assert/strict";
import { test } from "node:test";

import { type TodoItem, todoLimits } from "../contracts/session/todo.ts";
import { createTodoList } from "./session/session-state.ts";

function item(id: string, content = id, status: TodoItem["status"] = "pending"): TodoItem {
  return { id, content, status };
}

test("replacing drops the old list, and merging changes items in place and appends new ones", () => {
  const list = createTodoList([item("a"), item("b")]);
  assert.deepEqual(list.merge([item("c"), item("a", "new", "completed")]), [
    item("a", "new", "completed"),
    item("b"),
    item("c"),
  ]);
  assert.deepEqual(list.replace([item("z")]), [item("z")]);
  assert.deepEqual(list.read(), [item("z")]);
});

test("when several items have the same id, the last one wins", () => {
  assert.deepEqual(createTodoList([item("a", "one"), item("b"), item("a", "two")]).read(), [
    item("b"),
    item("a", "two"),
  ]);
});

test("the list has a maximum length and keeps only the fields of an item", () => {
  const long = createTodoList(Array.from({ length: 300 }, (_, index) => item(`${index}`, "x".repeat(5000))));
  assert.equal(long.read().length, todoLimits.items);
  assert.equal(long.read()[0]?.content.length, todoLimits.contentChars);
  const extra = { ...item("a"), more: "than asked" };
  assert.deepEqual(createTodoList([extra]).read(), [item("a")]);
});

test("a snapshot does not change when the list changes, and the list does not change when its input changes", () => {
  const given = [item("a")];
  const list = createTodoList(given);
  given.push(item("b"));
  const read = list.read();
  list.replace([]);
  assert.deepEqual(read, [item("a")]);
  assert.ok(Object.isFrozen(read));
});
