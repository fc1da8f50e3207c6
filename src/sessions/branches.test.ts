import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { asId, type CallId, type EntryId, type TurnId } from "../base/ids.ts";
import type { SessionTree } from "../contracts/session/session-tree.ts";
import type { Entry, EntryBody } from "../contracts/session/session.ts";
import { exchangesUpTo, treeOf } from "./branches.ts";

/** Writes entries in the same way as a store: below the newest one, or below the target of a move. */
function script() {
  const entries: Entry[] = [];
  let turns = 0;
  function add(body: EntryBody): EntryId {
    const id = asId<EntryId>(`e${entries.length + 1}`);
    const parent = body.type === "head_moved" ? body.to : entries.at(-1)?.id;
    entries.push({ ...body, id, ...(parent !== undefined && { parent }), at: entries.length });
    return id;
  }
  return {
    entries,
    add,
    tree: () => treeOf(entries),
    ask(text: string): EntryId {
      const turnId = asId<TurnId>(`t${++turns}`);
      add({ type: "message", message: { role: "user", content: [{ type: "text", text }] }, turnId });
      return add({
        type: "message",
        message: { role: "assistant", content: [{ type: "text", text: `re ${text}` }], calls: [], stop: "end" },
        turnId,
      });
    },
    to(to: EntryId | undefined, branch?: string): EntryId {
      return add({ type: "head_moved", why: "test", ...(to && { to }), ...(branch !== undefined && { branch }) });
    },
  };
}

/** Formats a branch as `name: 1 2 3*`, with a star at the current exchange. */
function ways(tree: SessionTree): readonly string[] {
  return tree.branches.map(
    ({ name, last, isCurrent }) => `${name}: ${exchangesUpTo(tree, last).join(" ")}${isCurrent ? "*" : ""}`,
  );
}

test("a session without branches is one path, and a session without entries is empty", () => {
  const { ask, tree } = script();
  assert.deepEqual(ways(tree()), ["main: *"]);
  ask("one");
  ask("two");
  assert.deepEqual(ways(tree()), ["main: 1 2*"]);
  const { asked: request, answered, after } = tree().exchanges[1] ?? {};
  assert.deepEqual([request, answered, after], ["two", "re two", 1]);
});

test("a named branch forks at its start, and the session can switch between branches", () => {
  const { ask, to, tree } = script();
  const one = ask("one");
  const two = ask("two");
  to(one, "B");
  ask("other");
  const back = to(two);
  ask("three");
  assert.deepEqual(ways(tree()), ["main: 1 2 4*", "B: 1 3"]);
  assert.equal(tree().branches[1]?.from, 1);
  assert.notEqual(back, two);
  to(tree().branches[1]?.tip);
  ask("more");
  assert.deepEqual(ways(tree()), ["main: 1 2 4", "B: 1 3 5*"]);
});

test("undone exchanges become a branch while the named branch continues, and several undo steps form one branch", () => {
  const { ask, to, tree } = script();
  const one = ask("one");
  const two = ask("two");
  ask("three");
  to(two);
  assert.deepEqual(ways(tree()), ["main: 1 2*", "undone-1: 1 2 3"]);
  to(one);
  assert.deepEqual(ways(tree()), ["main: 1*", "undone-1: 1 2 3"]);
  ask("instead");
  assert.deepEqual(ways(tree()), ["main: 1 4*", "undone-1: 1 2 3"]);
  to(tree().branches.find(({ name }) => name === "undone-1")?.tip);
  ask("after all");
  assert.deepEqual(ways(tree()), ["main: 1 4", "undone-1: 1 2 3 5*"]);
});

test("exchanges undone twice, on two branches, appear once", () => {
  const { ask, to, tree } = script();
  const one = ask("one");
  ask("two");
  to(one);
  const tip = to(tree().branches.find(({ name }) => name === "undone-1")?.tip);
  to(tip, "X");
  to(one);
  to(tree().branches.find(({ name }) => name === "main")?.tip);
  assert.deepEqual(ways(tree()), ["main: 1*", "undone-1: 1 2", "X: 1"]);
});

test("a duplicate branch name gets a number, and every exchange can be undone", () => {
  const { ask, to, tree } = script();
  const one = ask("one");
  to(one, "B");
  ask("two");
  to(one, "B");
  to(undefined);
  ask("anew");
  assert.deepEqual(ways(tree()), ["main: 1", "B: 1 2", "B #2: 3*"]);
});

test("if a session goes back in the middle of a turn, the rest of the turn becomes a separate exchange on the new branch", () => {
  const { ask, add, to, tree } = script();
  ask("one");
  const turnId = asId<TurnId>("t9");
  const say = (text: string) =>
    add({ type: "message", message: { role: "user", content: [{ type: "text", text }] }, turnId });
  say("try");
  const place = add({ type: "checkpointed", checkpoint: "ck1" });
  add({
    type: "message",
    message: { role: "assistant", content: [{ type: "text", text: "A" }], calls: [], stop: "end" },
    turnId,
  });
  to(place, "B");
  say("A failed");
  assert.deepEqual(ways(tree()), ["main: 1 2", "B: 1 2 3*"]);
  assert.equal(tree().exchanges[2]?.asked, "A failed");
});

test("a branch keeps its checkpoint until a call is made on it", () => {
  const { ask, add, to, tree } = script();
  ask("one");
  const mark = add({ type: "checkpointed", checkpoint: "ck1" });
  to(mark, "B");
  ask("two");
  add({ type: "dispatched", callId: asId<CallId>("c") });
  assert.deepEqual(
    tree().branches.map(({ checkpoint }) => checkpoint),
    ["ck1", undefined],
  );
});

test("after any moves every exchange is on a branch, one branch is current, and numbers have not changed", () => {
  const step = fc.oneof(
    fc.constant({ kind: "ask" as const }),
    fc.record({ kind: fc.constant("move" as const), to: fc.nat(60), name: fc.option(fc.constantFrom("A", "B")) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const { ask, to, entries, tree } = script();
      let knownNames: SessionTree["exchanges"] = [];
      for (const each of steps) {
        if (each.kind === "ask") ask("x");
        else to(entries[each.to % Math.max(1, entries.length)]?.id, each.name ?? undefined);
        const { exchanges } = tree();
        assert.deepEqual(
          exchanges.slice(0, knownNames.length).map(({ entry, after }) => [entry, after]),
          knownNames.map(({ entry, after }) => [entry, after]),
        );
        knownNames = exchanges;
      }
      const newTree = tree();
      assert.equal(newTree.branches.filter(({ isCurrent }) => isCurrent).length, 1);
      assert.equal(new Set(newTree.branches.map(({ name }) => name)).size, newTree.branches.length);
      const reached = new Set(newTree.branches.flatMap(({ last }) => exchangesUpTo(newTree, last)));
      assert.equal(reached.size, newTree.exchanges.length);
    }),
  );
});
