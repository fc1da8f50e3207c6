import assert from "node:assert/strict";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { systemClock as clock } from "../../src/base/clock.ts";
import { asId, type SessionId } from "../../src/base/ids.ts";
import type { SessionStore } from "../../src/contracts/session/session.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { inChild, runAll } from "./child-process.ts";
import { textsOf } from "./store-scene.ts";

export const storeSource = join(import.meta.dirname, "..", "..", "src");

/**
 * A program that writes two sessions with two callers each and prints each acknowledged append immediately: `SESSION
 * CALLER NUMBER`. Every `tidied` rounds it also marks, imports, erases and frees space.
 */
export const writer = `
  import { writeSync } from "node:fs";
  import { systemClock as clock } from "./base/clock.ts";
  import { openSessionStore } from "./store/session-store.ts";
  const [path, most, tidied = "0"] = process.argv.slice(1);
  const me = { id: "me" };
  const store = await openSessionStore(path, { clock });
  const said = (text) => ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } });
  async function append(id, caller) {
    for (let at = 0; at < Number(most); at++) {
      await store.append(id, [said(caller + " " + at), said("x".repeat((at * 131) % 5000))]);
      writeSync(1, id + " " + caller + " " + at + "\\n");
    }
  }
  async function tidyUp() {
    for (let at = 0; at < Number(tidied); at++) {
      const entries = Array.from({ length: 150 }, (_, to) => ({ ...said("y".repeat(to * 40)), id: "n" + to, at, ...(to > 0 && { parent: "n" + (to - 1) }) }));
      const { id } = await store.take({ source: "tidied", principal: me, createdAt: at }, entries);
      if (!(await store.mark(id, { tags: ["t"], deleted: at % 2 === 0 }, me)).ok) throw new Error("not marked");
      await store.erase([id], me);
      await store.upkeep.giveBack(new AbortController().signal);
    }
  }
  const sessions = await Promise.all([1, 2].map(() => store.create({ source: "test", principal: me })));
  for (const { id } of sessions) if (!(await store.lease(id, "writer")).ok) throw new Error("held");
  await Promise.all([...sessions.flatMap(({ id }) => ["a", "b"].map((caller) => append(id, caller))), tidyUp()]);
  await store[Symbol.asyncDispose]();`;

/**
 * Checks that every acknowledged append is stored in order, that nothing is damaged, and that the stored entries are
 * a prefix of the requested ones.
 */
export async function checkAcknowledged(store: SessionStore, output: string): Promise<number> {
  const acknowledged = new Map<SessionId, Map<string, number>>();
  const lines = output.split("\n").slice(0, -1);
  for (const line of lines) {
    const [id = "", caller = "", entry] = line.split(" ");
    const session = acknowledged.get(asId<SessionId>(id)) ?? new Map<string, number>();
    acknowledged.set(asId<SessionId>(id), session.set(caller, Number(entry)));
  }
  for (const [id, callers] of acknowledged) {
    const texts = textsOf(await store.path(id));
    assert.ok(!texts.includes("damaged"));
    for (const [caller, last] of callers) {
      const there = texts.filter((text) => text.startsWith(`${caller} `));
      assert.ok(there.length > last, `${caller} ${last} was acknowledged and is gone`);
      assert.deepEqual(
        there,
        there.map((_, index) => `${caller} ${index}`),
      );
    }
  }
  return lines.length;
}

/**
 * Runs this many writers at once and kills each at a random moment, some before their first append. Then checks that
 * every acknowledged append is stored, and returns their number.
 */
export async function killWriters(path: string, count: number, longestMs: number): Promise<number> {
  const children = Array.from({ length: count }, (_, index) =>
    inChild(storeSource, writer, [path, "1000000", index % 2 === 1 ? "1000000" : "0"]),
  );
  await runAll(children, async () => {
    await Promise.all(
      children.map(async ({ process: child }) => {
        if (Math.random() < 0.9) await once(child.stdout ?? child, "data");
        await new Promise((resolve) => setTimeout(resolve, Math.random() * longestMs));
        child.kill("SIGKILL");
      }),
    );
  });
  const reported: string[] = [];
  await using store = await openSessionStore(path, { clock, say: (sentence) => reported.push(sentence) });
  let seen = 0;
  for (const { ended } of children) seen += await checkAcknowledged(store, (await ended).output);
  assert.deepEqual(reported, []);
  const kept = readdirSync(dirname(path)).filter((name) => name.includes(".damaged-"));
  assert.deepEqual(kept, [], "none of the writers took what others had left for damage");
  await store.upkeep.finishErasing(new AbortController().signal);
  return seen;
}
