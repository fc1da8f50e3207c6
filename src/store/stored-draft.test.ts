import assert from "node:assert/strict";
import { appendFileSync, existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../test/support/fake-clock.ts";
import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock } from "../base/clock.ts";
import { asId, type TurnId } from "../base/ids.ts";
import type { EntryBody } from "../contracts/session/session.ts";
import { openSessionStore } from "./session-store.ts";
import { openStoredDraft } from "./stored-draft.ts";

const turnId = asId<TurnId>("turn_1");

async function scene(folder: string) {
  const path = join(folder, "ses.draft");
  const clock = fakeClock();
  const stored: EntryBody[] = [];
  let isFull = false;
  const open = () =>
    openStoredDraft(path, {
      countMessages: () => stored.length,
      async append(entries) {
        if (isFull) throw new Error("disk full");
        stored.push(...entries);
      },
      clock,
    });
  return { path, clock, stored, open, fillDisk: (full: boolean) => void (isFull = full) };
}

const cutOff = (text: string): EntryBody => ({
  type: "message",
  message: { role: "assistant", content: [{ type: "text", text }], calls: [], stop: "length" },
  turnId,
});

test("the text of a killed process becomes an interrupted answer, once", async () => {
  await using home = await tempHome();
  const { path, clock, stored, open } = await scene(home.path);
  const draft = await open();
  draft.begin(turnId);
  draft.add("One \ud83d");
  clock.advance(250);
  draft.add("\ude00\ntwo");
  clock.advance(250);
  // A write that the kill cut off.
  appendFileSync(path, '"thr');
  assert.equal((await open()).isRestored, true);
  assert.equal((await open()).isRestored, false);
  assert.deepEqual(stored, [cutOff("One 😀\ntwo")]);
  assert.equal(existsSync(path), false);
});

test("a short answer writes no file, and a long one is written in parts", async () => {
  await using home = await tempHome();
  const { path, clock, open } = await scene(home.path);
  const draft = await open();
  draft.begin(turnId);
  draft.add("short");
  draft.clear();
  clock.advance(10_000);
  assert.equal(existsSync(path), false);
  draft.begin(turnId);
  draft.add("x".repeat(64_000));
  assert.equal(existsSync(path), true, "a large part does not wait for the timer");
  draft.clear();
  assert.equal(existsSync(path), false);
});

test("a draft whose answer is stored, or that a retry replaced, is not restored", async () => {
  await using home = await tempHome();
  const { clock, stored, open } = await scene(home.path);
  const draft = await open();
  draft.begin(turnId);
  draft.add("first attempt");
  clock.advance(250);
  draft.begin(turnId);
  draft.add("second attempt");
  clock.advance(250);
  stored.push(messageEntry("second attempt"));
  assert.equal((await open()).isRestored, false);
  assert.deepEqual(stored, [messageEntry("second attempt")]);
});

test("a draft stays until it can be stored", async () => {
  await using home = await tempHome();
  const { clock, stored, open, fillDisk } = await scene(home.path);
  const draft = await open();
  draft.begin(turnId);
  draft.add("rare words");
  clock.advance(250);
  fillDisk(true);
  assert.equal((await open()).isRestored, false);
  fillDisk(false);
  assert.equal((await open()).isRestored, true);
  assert.deepEqual(stored, [cutOff("rare words")]);
});

test("the store keeps drafts of its sessions and erases them with the session", async () => {
  await using home = await tempHome();
  const principal = { id: "me" };
  await using store = await openSessionStore(join(home.path, "sessions.db"), { clock: systemClock });
  const { id } = await store.create({ source: "cli", principal });
  const draftOf = async () => {
    const lease = await store.lease(id, "chat");
    assert.ok(lease.ok);
    return lease.value;
  };
  {
    await using lease = await draftOf();
    await store.append(id, [messageEntry("tell me")]);
    lease.draft.begin(turnId);
    lease.draft.add("a secret ".repeat(8_000));
  }
  const drafts = () => readdirSync(join(home.path, "session-locks")).filter((name) => name.endsWith(".draft"));
  await store.upkeep.removeLeftLeases();
  assert.equal(drafts().length, 1);
  {
    await using lease = await draftOf();
    assert.equal(lease.draft.isRestored, true);
    assert.deepEqual(textsOf(await store.path(id)), ["tell me", "a secret ".repeat(8_000)]);
    lease.draft.begin(turnId);
    lease.draft.add("more ".repeat(16_000));
  }
  assert.equal(drafts().length, 1);
  await store.erase([id], principal);
  assert.deepEqual(drafts(), []);
});
