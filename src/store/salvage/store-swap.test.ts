import assert from "node:assert/strict";
import { copyFileSync, existsSync, linkSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { messageEntry } from "../../../test/support/store-scene.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { openSessionStore } from "../session-store.ts";
import { startRepair, newStorePath } from "./store-swap.ts";

const me = { id: "me" };

async function storeWith(path: string, text: string, whileOpen?: () => void): Promise<void> {
  await using store = await openSessionStore(path, { clock });
  const { id } = await store.create({ source: "cli", principal: me });
  const lease = await store.lease(id, "test");
  assert.ok(lease.ok);
  await using _lease = lease.value;
  await store.append(id, [messageEntry(text)]);
  whileOpen?.();
}

/** The steps of a swap at which a repair is killed. */
const moments: Readonly<Record<string, (path: string, keptAs: string) => void>> = {
  "nothing was moved": () => {},
  "the old file was kept": (path, keptAs) => linkSync(path, keptAs),
  "the write-ahead log was moved": (path, keptAs) => {
    linkSync(path, keptAs);
    renameSync(`${path}-wal`, `${keptAs}-wal`);
  },
};

for (const [what, until] of Object.entries(moments)) {
  test(`a repair killed when ${what} is finished by the next process that opens the store`, async () => {
    await using home = await tempHome();
    const path = join(home.path, "sessions.db");
    const other = join(home.path, "other.db");
    await storeWith(other, "old", () => {
      for (const suffix of ["", "-wal"]) copyFileSync(other + suffix, path + suffix);
    });
    const old = ["", "-wal"].map((suffix) => readFileSync(path + suffix));
    const fresh = newStorePath(path, "1");
    await storeWith(fresh, "new");
    const keptAs = `${path}.damaged-1`;
    writeFileSync(`${path}.repair`, JSON.stringify({ fresh, keptAs }));
    writeFileSync(`${path}.repair.lock`, "");
    until(path, keptAs);
    await using store = await openSessionStore(path, { clock });
    const [record] = await store.list({ limit: 9 }, me);
    assert.equal(record?.preview, "new");
    assert.deepEqual(
      ["", "-wal"].map((suffix) => readFileSync(keptAs + suffix)),
      old,
    );
    assert.deepEqual(
      readdirSync(home.path).filter((name) => /repair|new-/u.test(name)),
      [],
    );
  });
}

test("a repair that is killed before its new file is complete changes nothing", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await storeWith(path, "old");
  writeFileSync(newStorePath(path, "1"), "half a file");
  writeFileSync(`${path}.repair.lock`, "");
  await using store = await openSessionStore(path, { clock });
  assert.equal((await store.list({ limit: 9 }, me))[0]?.preview, "old");
  assert.ok(!existsSync(newStorePath(path, "1")));
});

test("no process opens a store during a repair, and only one process repairs it", async () => {
  await using home = await tempHome();
  const path = join(home.path, "sessions.db");
  await storeWith(path, "old");
  const never = new AbortController().signal;
  const repair = await startRepair(path, clock, never);
  assert.ok(repair.ok);
  await assert.rejects(openSessionStore(path, { clock }), /is being repaired; wait/u);
  const second = await startRepair(path, clock, never);
  assert.match(second.ok ? "" : second.error.message, /being repaired already/u);
  repair.value[Symbol.dispose]();
  await using store = await openSessionStore(path, { clock });
  assert.equal((await store.list({ limit: 9 }, me)).length, 1);
});
