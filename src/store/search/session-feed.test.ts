import assert from "node:assert/strict";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import { createCorpus } from "../../../test/support/conversation-corpus.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { openSessionStore } from "../session-store.ts";
import { StoreError } from "../store-fault.ts";
import { createTextIndex } from "./index-texts.ts";
import { openToWrite } from "./search-file.ts";
import { createTextSearch } from "./search-texts.ts";
import { openSessionFeed } from "./session-feed.ts";
import { createSplitter } from "./split-words.ts";

const me = { id: "local:me" };
const pageBytes = 4096;

test("reading a store with any damaged page ends, and every loss is reported", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-search-"));
  using _folder = { [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
  const whole = join(folder, "whole.db");
  await makeStore(whole);
  const splitter = createSplitter();
  const { random } = createCorpus(7, ["english"], 10);
  for (let page = 1; page < readFileSync(whole).length / pageBytes; page++) {
    const path = join(folder, `${page}.db`);
    copyFileSync(whole, path);
    garble(path, page, random);
    try {
      using feed = await openSessionFeed(path);
      using file = await openToWrite(join(folder, `${page}-search.db`));
      const index = createTextIndex(file.database, feed, splitter);
      for (let steps = 0; index.place() < feed.newest() && steps < 50; steps++) index.step(100);
      assert.ok(index.place() >= feed.newest(), `page ${page}: it ends`);
      const { find } = createTextSearch(file.database, feed, splitter);
      const { hits, note } = find({ text: "walrus", limit: 50 }, me, clock.now());
      assert.ok(hits.length === sessions || feed.hasDamage() || note !== undefined, `page ${page}: reported`);
    } catch (thrown) {
      assert.ok(thrown instanceof StoreError, `page ${page}: ${String(thrown)}`);
    }
  }
});

const sessions = 12;

async function makeStore(path: string): Promise<void> {
  await using store = await openSessionStore(path, { clock });
  for (let each = 0; each < sessions; each++) {
    const { id } = await store.create({ source: "cli", principal: me });
    const lease = await store.lease(id, "test");
    assert.ok(lease.ok);
    const texts = Array.from({ length: 12 }, (_, n) => `walrus ${n} ${"sleeps a lot ".repeat(15)}`);
    await store.append(
      id,
      texts.map((text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } })),
    );
    await lease.value[Symbol.asyncDispose]();
  }
}

function garble(path: string, page: number, random: () => number): void {
  const bytes = readFileSync(path);
  const below = (count: number) => Math.floor(random() * count);
  // Half of the pages are damaged only where their cells begin, so that they still look like pages.
  const within = page % 2 === 0 ? pageBytes : 200;
  for (let times = 0; times < within / 20; times++) bytes[page * pageBytes + 8 + below(within - 8)] = below(256);
  writeFileSync(path, bytes);
}
