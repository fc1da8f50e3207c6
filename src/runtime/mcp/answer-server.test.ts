import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { memoryEntry } from "../../../test/support/memory-mcp.ts";
import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { silentLog } from "../../base/log/log.ts";
import { err, ok } from "../../base/result.ts";
import type { McpRunningCall } from "../../contracts/mcp/fleet.ts";
import type { Verdict } from "../../contracts/safety/approval.ts";
import type { LiveSession } from "../session/session-deps.ts";
import { answerServers } from "./answer-server.ts";

const { signal } = new AbortController();
const form = { message: "Where?", requestedSchema: { type: "object", properties: { city: { type: "string" } } } };
const prompt = { messages: [{ role: "user", content: { type: "text", text: "Hello" } }], maxTokens: 10 };

/**
 * A fake server with running calls of these sessions. Each user answers only when the test says so or the request ends.
 */
function rig(...callers: readonly string[]) {
  const ended = new AbortController();
  const shown: string[] = [];
  const pauses = { open: 0, all: 0 };
  const answers = Promise.withResolvers<"yes">();
  const model = scriptedModel([{ text: "Hi." }]);
  const stopped = (over: AbortSignal) =>
    new Promise<"stopped">((resolve) => over.addEventListener("abort", () => resolve("stopped")));
  const waited = (what: string, over: AbortSignal) => {
    shown.push(what);
    return Promise.race([answers.promise, stopped(over)]);
  };
  const live: Partial<LiveSession> = {
    model: () => model,
    refusal: async () => undefined,
    book: async () => {},
    asker: {
      ask: async () => assert.fail("a form is asked"),
      fillIn: async (_form, over) =>
        (await waited("form", over)) === "yes" ? ok({ city: "Oslo" }) : err({ reason: "aborted" }),
    },
    decide: async (_wish, over): Promise<Verdict> =>
      (await waited("consent", over)) === "yes"
        ? { decision: "allow" }
        : { decision: "deny", reason: "stopped", cause: "interrupted" },
  };
  const call = (session: string): McpRunningCall => ({
    sessionId: asId(session),
    callId: asId("call_1"),
    origin: "model",
    principal: { id: "cli:me" },
    signal: ended.signal,
    progress() {},
    pause() {
      pauses.open += 1;
      pauses.all += 1;
      return { [Symbol.dispose]: () => void (pauses.open -= 1) };
    },
  });
  // The cast is safe: requests of servers use only these members of a session.
  const sessions = new Map(callers.map((id) => [asId<SessionId>(id), live as LiveSession]));
  const requests = answerServers({
    sessions,
    models: async () => undefined,
    roots: () => [],
    logOf: () => () => {},
    clock: fakeClock(),
    log: silentLog,
  })(memoryEntry("travel"), () => callers.map(call));
  return { requests, shown, pauses, ended, answer: () => answers.resolve("yes") };
}

test("a request is refused unless exactly one session waits for the server", async () => {
  for (const callers of [[], ["ses_1", "ses_2"]]) {
    const { requests, shown } = rig(...callers);
    const sampled = await requests.sample(prompt, signal);
    assert.match(sampled.ok ? "" : sampled.error.message, /only while one session waits/u);
    assert.deepEqual(await requests.elicit(form, signal), ok({ action: "decline" }));
    assert.deepEqual(shown, []);
  }
  const { requests, shown, answer } = rig("ses_1", "ses_1");
  answer();
  assert.ok((await requests.sample(prompt, signal)).ok);
  assert.deepEqual(await requests.elicit(form, signal), ok({ action: "accept", content: { city: "Oslo" } }));
  assert.equal(shown.length, 2);
});

test("the timeout of the call pauses while the person answers, and continues afterwards", async () => {
  const { requests, shown, pauses, answer } = rig("ses_1");
  const both = [requests.elicit(form, signal), requests.sample(prompt, signal)];
  while (shown.length < 2) await new Promise(setImmediate);
  assert.equal(pauses.open, 2);
  answer();
  assert.ok((await Promise.all(both)).every((each) => each.ok));
  assert.deepEqual(pauses, { open: 0, all: 2 });
});

test("a request ends with the call that it belongs to", async () => {
  const { requests, shown, pauses, ended } = rig("ses_1");
  const [filled, sampled] = [requests.elicit(form, signal), requests.sample(prompt, signal)];
  while (shown.length < 2) await new Promise(setImmediate);
  ended.abort(new Error("the call is over"));
  assert.deepEqual(await filled, ok({ action: "cancel" }));
  assert.equal((await sampled).ok, false);
  assert.equal(pauses.open, 0);
});
