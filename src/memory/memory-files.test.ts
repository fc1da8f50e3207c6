import assert from "node:assert/strict";
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import * as fc from "fast-check";

import { assertFails } from "../../test/support/failure.ts";
import { systemClock } from "../base/clock.ts";
import type { MemoryChange } from "../contracts/knowledge/memory.ts";
import { changeNotes, type NoteLimits } from "./change-notes.ts";
import { createMemoryFiles, type MemoryFiles } from "./memory-files.ts";
import { cleanNote, formatMemory, memoryChars, parseMemory } from "./memory-text.ts";
import { createPendingChanges } from "./pending-changes.ts";

const { signal } = new AbortController();
const me = { by: "model", session: "20261115_101010_abcdef" } as const;
const add = (content: string): MemoryChange => ({ action: "add", content });

test("an entry can be selected by its full text, by a unique part, or ignoring letter case", () => {
  const notes = ["uses Poetry", "uses Poetry for builds", "Prefers tabs"];
  const changed = (oldText: string) => changeNotes(notes, [{ action: "replace", oldText, content: "new" }], roomy);
  assert.deepEqual(changed("uses Poetry"), { ok: true, value: { entries: ["new", notes[1], notes[2]], evicted: [] } });
  assert.deepEqual(changed("for builds"), { ok: true, value: { entries: [notes[0], "new", notes[2]], evicted: [] } });
  assert.deepEqual(changed("prefers  TABS"), {
    ok: true,
    value: { entries: [notes[0], notes[1], "new"], evicted: [] },
  });
  const several = changed("Poet");
  assert.ok(!several.ok && /fits 2 entries: "uses Poetry", "uses Poetry for builds"/u.test(several.error));
  const none = changed("Prefers taps");
  assert.ok(!none.ok && /did you mean "Prefers tabs"/u.test(none.error), JSON.stringify(none));
});

test("a memory file that lost its text is reported and not overwritten, and it can be restored from its history or discarded", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-memory-"));
  try {
    const files = createMemoryFiles({ folder, limits: { memory: roomy, user: roomy }, clock: systemClock });
    for (const note of ["likes tabs", "uses Poetry", "builds with make"])
      assert.ok((await files.change("memory", [add(note)], me, signal)).ok);
    await files.change("memory", [{ action: "remove", oldText: "likes tabs" }], me, signal);
    const file = join(folder, "MEMORY.md");
    const good = readFileSync(file, "utf8");
    for (const damaged of ["", "\0".repeat(40), good.slice(0, good.length - 6), undefined]) {
      if (damaged === undefined) rmSync(file);
      else writeFileSync(file, damaged);
      assert.match((await files.read("memory")).fault ?? "", /lost its text; the history still has 2 notes/u);
      assertFails(await files.change("memory", [add("new")], me, signal), /hermes memory restore/u);
      assert.deepEqual(await files.restore("undo", { by: "user" }, signal), { ok: true, value: ["memory"] });
      assert.equal(readFileSync(file, "utf8"), good);
    }
    // Removing the last note by hand does not count as damage.
    writeFileSync(file, "uses Poetry");
    assert.equal((await files.read("memory")).fault, undefined);
    writeFileSync(file, "");
    assert.deepEqual(await files.restore("accept", { by: "user" }, signal), { ok: true, value: ["memory"] });
    assert.equal((await files.read("memory")).fault, undefined);
    appendFileSync(join(folder, "history.jsonl"), '{"id":"m_9","rem');
    assert.equal(await files.damagedHistory(), 1);
    assert.ok((await files.change("memory", [add("new")], me, signal)).ok);
    assert.deepEqual([await files.damagedHistory(), (await files.history()).at(-1)?.added[0]?.text], [1, "new"]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("an unreadable memory file is reported and left unchanged, without blocking, and a forged record is skipped", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-memory-"));
  try {
    const limits = { memory: roomy, user: roomy };
    const files = createMemoryFiles({ folder, limits, clock: systemClock });
    mkdirSync(join(folder, "MEMORY.md"));
    const page = await files.read("memory");
    assert.match(page.fault ?? "", /MEMORY\.md is a folder/u);
    const result = await files.change("memory", [add("x")], me, signal);
    assert.ok(!result.ok && /MEMORY\.md is a folder/u.test(result.error.message), JSON.stringify(result));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(folder, "USER.md"), resolve));
    assert.ok((await files.read("user")).fault !== undefined);
    await new Promise((resolve) => server.close(resolve));
    const forged = ['{"id":"m_1","removed":[]}', '{"id":"m_2","removed":[],"added":[7]}', "null", '{"id":'];
    writeFileSync(join(folder, "history.jsonl"), forged.join("\n"));
    assert.deepEqual(await files.history(), []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("several changes are applied all together or not at all, and only the final text must fit the limit", () => {
  const limits: NoteLimits = { chars: 20, onFull: "refuse" };
  const notes = ["0123456789", "abcdefg"];
  assertFails(
    changeNotes(notes, [add("too much"), { action: "remove", oldText: "nothing" }], limits),
    /no entry contains "nothing"/u,
  );
  const swapped = changeNotes(notes, [add("ABCDEFGHI"), { action: "remove", oldText: "0123" }], limits);
  assert.deepEqual(swapped.ok && swapped.value.entries, ["abcdefg", "ABCDEFGHI"]);
  const full = changeNotes(notes, [add("more")], limits);
  assert.ok(!full.ok && /7 characters over the limit of 20/u.test(full.error), JSON.stringify(full));
});

test("the oldest entry is removed to make room for a new one, but never an entry that was just written", () => {
  const limits: NoteLimits = { chars: 20, onFull: "evict" };
  const result = changeNotes(["oldest", "older", "old"], [add("brand new")], limits);
  assert.deepEqual(result, { ok: true, value: { entries: ["old", "brand new"], evicted: ["oldest", "older"] } });
  assertFails(
    changeNotes(["old"], [add("x".repeat(21))], limits),
    /over the limit of 20, even without all older entries/u,
  );
});

test("a hand-written file over the limit can be shortened step by step, and no other entry is removed", () => {
  const notes = ["a".repeat(20), "b".repeat(20), "c".repeat(20)];
  for (const onFull of ["evict", "refuse"] as const) {
    const result = changeNotes(notes, [{ action: "remove", oldText: "ccc" }], { chars: 20, onFull });
    assert.deepEqual(result, { ok: true, value: { entries: notes.slice(0, 2), evicted: [] } }, onFull);
  }
});

test("every added text is one entry when it is read again", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme" })), (contents) => {
      const notes = [...new Set(contents.flatMap((content) => cleanNote(content) ?? []))];
      const parsed = parseMemory(formatMemory(notes));
      assert.deepEqual(parsed, { entries: notes, isForeign: false });
    }),
  );
  assert.equal(cleanNote("one\n§\ntwo"), undefined);
  assert.equal(cleanNote("  \n "), undefined);
  assert.equal(cleanNote("a\ud800b"), "a\ufffdb");
  assert.equal(memoryChars(["😀", "b"]), 5);
});

test("a change is written to the file and to the history, and undo restores the previous state", async () => {
  await withFiles(async (files, folder) => {
    assert.deepEqual((await files.read("memory")).entries, []);
    assert.deepEqual(readdirSync(folder), [], "reading makes nothing");
    await changed(files, add("first"), add("second"));
    await changed(files, { action: "replace", oldText: "first", content: "1st" });
    await changed(files, { action: "remove", oldText: "second" });
    assert.equal(readFileSync(join(folder, "MEMORY.md"), "utf8"), "1st\n");
    assert.equal(statSync(join(folder, "MEMORY.md")).mode & 0o777, 0o600);
    const history = await files.history();
    assert.deepEqual(
      history.map(({ by, session, added, removed }) => [by, session, added.length, removed.length]),
      [
        ["model", me.session, 2, 0],
        ["model", me.session, 1, 1],
        ["model", me.session, 0, 1],
      ],
    );
    const undone = await files.undo(2, { by: "user" }, signal);
    assert.equal(undone.ok && undone.value.length, 2);
    assert.deepEqual((await files.read("memory")).entries, ["first", "second"]);
    // A change that is already undone is not undone again.
    assert.ok((await files.undo(5, { by: "user" }, signal)).ok);
    assert.deepEqual((await files.read("memory")).entries, []);
    const nothing = await files.undo(1, { by: "user" }, signal);
    assert.ok(!nothing.ok && /no change to undo/u.test(nothing.error.message));
  });
});

test("while the user edits the file, entries that others add are kept and entries that others remove stay removed", async () => {
  await withFiles(async (files) => {
    const { signal } = new AbortController();
    const by = { by: "user" } as const;
    const model = { by: "model" } as const;
    await files.change("memory", [add("one"), add("two"), add("three")], model, signal);
    const seen = (await files.read("memory")).entries;
    await files.change("memory", [add("four"), { action: "remove", oldText: "two" }], model, signal);
    const result = await files.rewrite("memory", { seen, text: "one, edited\n§\ntwo\n§\nfive\n" }, by, signal);
    assert.deepEqual(result.ok && result.value.page.entries, ["one, edited", "five", "four"]);
    const now = (await files.read("memory")).entries;
    await files.rewrite("memory", { seen: now, text: now.toReversed().join("\n§\n") }, by, signal);
    assert.deepEqual((await files.read("memory")).entries, now.toReversed());
  });
});

test("undo skips a change that was recorded but never applied", async () => {
  await withFiles(async (files, folder) => {
    await changed(files, add("made"));
    const lost = { id: "m_1", at: 1, target: "memory", by: "model", removed: [], added: [{ at: 1, text: "lost" }] };
    appendFileSync(join(folder, "history.jsonl"), `${JSON.stringify(lost)}\n`);
    const undone = await files.undo(1, { by: "user" }, signal);
    assert.deepEqual(undone.ok && undone.value.map(({ added }) => added[0]?.text), ["made"]);
    assert.deepEqual((await files.read("memory")).entries, []);
    assertFails(await files.undo(1, { by: "user" }, signal), /there is no change to undo/u);
  });
});

test("undo also restores entries that were removed to make room", async () => {
  await withFiles(
    async (files) => {
      await changed(files, add("an old fact"));
      const result = await files.change("memory", [add("a new fact of 20 ch.")], me, signal);
      assert.deepEqual(result.ok && result.value.evicted, ["an old fact"]);
      assert.deepEqual((await files.history()).at(-1)?.evicted, ["an old fact"]);
      await files.undo(1, { by: "user" }, signal);
      assert.deepEqual((await files.read("memory")).entries, ["an old fact"]);
    },
    { chars: 22, onFull: "evict" },
  );
});

test("a file in the user's own format is backed up before Hermes rewrites it", async () => {
  await withFiles(async (files, folder) => {
    const own = "\uFEFFmine\r\n§\r\nmine\r\n\r\n§\r\n\r\nyours  ";
    writeFileSync(join(folder, "MEMORY.md"), own);
    assert.deepEqual((await files.read("memory")).entries, ["mine", "yours"]);
    await changed(files, add("more"));
    assert.deepEqual((await files.read("memory")).entries, ["mine", "yours", "more"]);
    const kept = readdirSync(folder).find((name) => name.startsWith("MEMORY.md.bak."));
    assert.equal(kept && readFileSync(join(folder, kept), "utf8"), own);
  });
});

test("a partial line in the history, left by a crash, affects only that line", async () => {
  await withFiles(async (files, folder) => {
    await changed(files, add("one"));
    writeFileSync(
      join(folder, "history.jsonl"),
      `${readFileSync(join(folder, "history.jsonl"), "utf8")}{"id":"m_1","rem`,
    );
    await changed(files, add("two"));
    assert.deepEqual(
      (await files.history()).map(({ added }) => added[0]?.text),
      ["one", "two"],
    );
  });
});

test("thirty concurrent writers lose no entry", async () => {
  await withFiles(async (files, folder) => {
    const limits = { memory: roomy, user: roomy };
    const another = createMemoryFiles({ folder, limits, clock: systemClock });
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        (index % 2 ? files : another).change("memory", [add(`fact ${index}`)], me, signal),
      ),
    );
    assert.ok(all.every(({ ok }) => ok));
    assert.equal((await files.read("memory")).entries.length, 30);
    assert.equal((await files.history()).length, 30);
  });
});

test("when two processes approve a change at the same time, only one of them applies it", async () => {
  await withFiles(async (_files, folder) => {
    const pending = createPendingChanges(folder, systemClock);
    const waits = await pending.add({ target: "user", by: "model", changes: [add("likes tea")] }, signal);
    assert.ok(waits.ok);
    const { id } = waits.value;
    const used = await Promise.all([pending.take(id, signal), pending.take(id, signal)]);
    assert.equal(used.filter(({ ok }) => ok).length, 1);
    assert.deepEqual(await pending.list(), []);
  });
});

const roomy: NoteLimits = { chars: 100_000, onFull: "evict" };

async function changed(files: MemoryFiles, ...changes: readonly MemoryChange[]): Promise<void> {
  const result = await files.change("memory", changes, me, signal);
  assert.ok(result.ok, JSON.stringify(result));
}

async function withFiles(
  run: (files: MemoryFiles, folder: string) => Promise<void>,
  limits: NoteLimits = roomy,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "hermes-memory-"));
  try {
    await run(createMemoryFiles({ folder, limits: { memory: limits, user: limits }, clock: systemClock }), folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
