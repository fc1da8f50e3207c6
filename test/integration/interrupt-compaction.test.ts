// covers: src/kernel, src/hosts
import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";

import { chatTerminal } from "../support/chat-terminal.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";
import { lastWords, wireRuntime } from "../support/wire-runtime.ts";
import type { RecordedRequest, ScriptedTurn } from "../support/wire-servers/turn.ts";

const isSummary = (request: RecordedRequest) => !("tools" in request.json) && lastWords(request).length > 2_000;
const say = (text: string) => [{ type: "text", text }] as const;

test("stopping a turn during a compaction ends it without a summary, and nothing is lost", async () => {
  const script = (request: RecordedRequest): ScriptedTurn =>
    isSummary(request) ? { text: "never", fault: { delayMs: 30_000 } } : { text: "word ".repeat(800), usage: "none" };
  await using at = await wireRuntime(script, { compression: { threshold_tokens: 12_000, protect_last_n: 4 } });
  await using session = await at.runtime.openSession({ source: "test" });
  let turns = 0;
  while (!at.server.requests.some(isSummary) && turns < 40) {
    turns += 1;
    const turn = session.prompt(say(`${turns} ${"question ".repeat(300)}`));
    while (session.turn && !at.server.requests.some(isSummary)) await pause(2);
    if (!session.turn) continue;
    const before = JSON.stringify(session.history());
    turn.abort("interrupted");
    const outcome = await turn.done;
    assert.equal(outcome.reason, "aborted");
    assert.equal(JSON.stringify(session.history()), before);
    const entries = await at.runtime.sessions.path(session.id);
    assert.ok(entries.every(({ type }) => type !== "compacted"));
    return;
  }
  assert.fail("nothing was summed up");
});

test("Ctrl-C stops /compress, and the session continues", async () => {
  await using home = await tempHome();
  const model = scriptedModel((request) => {
    const isSummed = request.tools.length === 0;
    return isSummed ? { text: "half a summary", hangs: true } : { text: "answer ".repeat(2_000) };
  });
  await using chat = chatTerminal([], { home: home.path, model });
  await chat.until("❯");
  for (let index = 0; index < 12; index++) {
    chat.type(`question ${index}\r`);
    await chat.until(/answer[\s\S]*of 100k/u);
  }
  chat.type("/compress\r");
  await chat.until("compacting the context");
  chat.type("\x03");
  await chat.until("interrupted");
  chat.type("still there?\r");
  await chat.until(/answer[\s\S]*of 100k/u);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
});
