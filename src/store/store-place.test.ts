import assert from "node:assert/strict";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { messageEntry, textsOf } from "../../test/support/store-scene.ts";
import { tempHome } from "../../test/support/temp-home.ts";
import { systemClock as clock } from "../base/clock.ts";
import { openSessionStore } from "./session-store.ts";
import { verifyStore } from "./verify-store.ts";

const me = { id: "me" };

async function openChat(path: string) {
  const notices: string[] = [];
  const store = await openSessionStore(path, { clock, say: (sentence) => notices.push(sentence) });
  const { id } = await store.create({ source: "cli", principal: me });
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await store.append(id, [messageEntry("before")]);
  return { store, id, notices, lease: lease.value };
}

async function readTexts(path: string, id: Awaited<ReturnType<typeof openChat>>["id"]) {
  assert.deepEqual((await verifyStore(path, clock, new AbortController().signal)).problems, []);
  await using store = await openSessionStore(path, { clock });
  return textsOf(await store.entries(id));
}

const removals: Readonly<Record<string, (home: string) => void>> = {
  "the file": (home) => rmSync(join(home, "sessions.db")),
  "the file and its helpers": (home) => {
    for (const name of readdirSync(home)) if (name.startsWith("sessions.db")) rmSync(join(home, name));
  },
  "the whole home": (home) => rmSync(home, { recursive: true }),
  "the file, by renaming it": (home) => renameSync(join(home, "sessions.db"), join(home, "old.db")),
};

for (const [what, remove] of Object.entries(removals)) {
  test(`an open store that is deleted is restored and reported: ${what}`, async () => {
    await using folder = await tempHome();
    const home = join(folder.path, "home");
    const path = join(home, "sessions.db");
    const chat = await openChat(path);
    remove(home);
    await Promise.all([chat.store.append(chat.id, [messageEntry("during")]), chat.store.list({ limit: 9 }, me)]);
    assert.deepEqual(chat.notices.length, 1);
    assert.match(chat.notices[0] ?? "", /deleted or moved while it was open. It was restored/u);
    await chat.store.append(chat.id, [messageEntry("after")]);
    assert.equal((await chat.store.list({ limit: 9 }, me)).length, 1);
    assert.equal(chat.notices.length, 1);
    await chat.lease[Symbol.asyncDispose]();
    await chat.store[Symbol.asyncDispose]();
    assert.deepEqual(await readTexts(path, chat.id), ["before", "during", "after"]);
    assert.deepEqual(
      readdirSync(home).filter((name) => name.includes("recovered")),
      [],
    );
  });
}

test("when another file replaces an open store, the store is saved beside it and the user gets a notice", async () => {
  await using folder = await tempHome();
  const path = join(folder.path, "sessions.db");
  const chat = await openChat(path);
  renameSync(path, `${path}.old`);
  for (const suffix of ["-wal", "-shm"]) renameSync(path + suffix, `${path}.old${suffix}`);
  {
    await using other = await openSessionStore(path, { clock });
    await other.create({ source: "cli", principal: me, title: "other" });
  }
  const saved = `${path}.recovered-1`;
  const isReported = (thrown: Error) =>
    thrown.message.includes("another file took its place") && thrown.message.includes(saved);
  await assert.rejects(chat.store.append(chat.id, [messageEntry("during")]), isReported);
  await assert.rejects(chat.store.append(chat.id, [messageEntry("later")]), isReported);
  await chat.lease[Symbol.asyncDispose]();
  await chat.store[Symbol.asyncDispose]();
  assert.deepEqual(await readTexts(saved, chat.id), ["before", "during"]);
  await using other = await openSessionStore(path, { clock });
  assert.deepEqual(
    (await other.list({ limit: 9 }, me)).map(({ title }) => title),
    ["other"],
  );
});
