// covers: src/runtime
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import type { Session } from "../../src/contracts/session/runtime.ts";
import { eventually } from "../support/eventually.ts";
import { lastWords, wireRuntime } from "../support/wire-runtime.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/wire-servers/turn.ts";

const isTitle = (request: RecordedRequest) => lastWords(request).includes("Write a title");
const talk = (title: ScriptedTurn) => (request: RecordedRequest) => (isTitle(request) ? title : { text: "the answer" });
const prompt = (text: string) => [{ type: "text", text }] as const;

async function titleOf(session: Session): Promise<string | undefined> {
  for (let waited = 0; waited < 60_000; waited += 20) {
    const { title } = await session.record();
    if (title !== undefined) return title;
    await pause(20);
  }
  return undefined;
}

test("after the first answer the model writes a title for the session, once, and its cost is recorded", async () => {
  const script = talk({ text: '**Title: "Mending the build."**\n', usage: { input: 40, output: 6 } });
  await using at = await wireRuntime(script);
  await using session = await at.runtime.openSession({ source: "cli" });
  await session.prompt(prompt("mend the build, my key is sk-ant-REDACTED")).done;
  assert.equal(await titleOf(session), "Mending the build");
  await session.prompt(prompt("and the tests")).done;
  await pause(100);
  const requests = at.server.requests.filter(isTitle);
  assert.equal(requests.length, 1);
  assert.ok(!requests.map(lastWords).join("").includes("abcdefghij0123456789"));
  const entries = await at.runtime.sessions.path(session.id);
  const usage = entries.flatMap((entry) => (entry.type === "usage" ? [entry.task] : []));
  assert.deepEqual(usage.toSorted(), ["chat", "chat", "title_generation"]);
  assert.ok(entries.some((entry) => entry.type === "titled" && entry.by === "model"));
});

test("a user's title is kept, even one set while the model was working", async () => {
  const slow = { text: "A title of the model", fault: { delayMs: 300 } };
  await using at = await wireRuntime(talk(slow));
  await using named = await at.runtime.openSession({ source: "cli", title: "mine" });
  await named.prompt(prompt("hello")).done;
  await using late = await at.runtime.openSession({ source: "cli" });
  await late.prompt(prompt("hello")).done;
  await at.runtime.sessions.append(late.id, [{ type: "titled", title: "also mine", by: "user" }]);
  await eventually(() => at.server.requests.some(isTitle), "the title is never requested");
  await pause(600);
  assert.equal((await named.record()).title, "mine");
  assert.equal((await late.record()).title, "also mine");
  assert.equal(at.server.requests.filter(isTitle).length, 1);
});

test("if no model answers with a title, the request becomes the title", async () => {
  for (const answer of [
    { error: { status: 400, message: "no" } },
    { text: `Sure! ${"I would be glad to talk about that at length. ".repeat(5)}` },
  ]) {
    await using at = await wireRuntime(talk(answer));
    await using session = await at.runtime.openSession({ source: "cli" });
    const text = "look at the file src/a.ts and tell me why the third test of it fails on Windows.\nThanks!";
    await session.prompt(prompt(text)).done;
    assert.equal(await titleOf(session), "look at the file src/a.ts and tell me why the third test…");
  }
});

test("no title is requested when titles are off, for one-shot calls, after a failed turn, or with a budget of zero", async () => {
  const off = { auxiliary: { title_generation: { enabled: false } } };
  const rows = [
    [off, "cli", { text: "ok" }],
    [{}, "oneshot", { text: "ok" }],
    [{}, "library", { text: "ok" }],
    [{}, "cli", { error: { status: 400, message: "bad" } }],
    [{ budget: { max_tokens_per_session: 10 } }, "cli", { text: "ok", usage: { input: 50, output: 5 } }],
  ] as const;
  for (const [settings, source, answer] of rows) {
    await using at = await wireRuntime((request) => (isTitle(request) ? { text: "T" } : answer), settings);
    await using session = await at.runtime.openSession({ source });
    await session.prompt(prompt("hello")).done;
    await pause(150);
    assert.equal(at.server.requests.filter(isTitle).length, 0, JSON.stringify([settings, source]));
  }
});

test("closing a session does not wait for its title", async () => {
  await using at = await wireRuntime(talk({ text: "late", fault: { delayMs: 600_000 } }));
  const session = await at.runtime.openSession({ source: "cli" });
  await session.prompt(prompt("hello")).done;
  await eventually(() => at.server.requests.some(isTitle), "the title is never requested");
  await session[Symbol.asyncDispose]();
});
