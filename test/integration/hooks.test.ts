// covers: src/kernel, src/runtime, src/providers
import assert from "node:assert/strict";
import { test } from "node:test";

import { say } from "../support/obedient-model.ts";
import { lastWords, wireRuntime } from "../support/wire-runtime.ts";

const echo = (text: string) => ({
  text: "Let me see.",
  calls: [{ name: "terminal", args: { command: `echo ${text}` } }],
});

test("streamStart, streamDelta and streamEnd report an answer; interimMessage reports text next to calls", async () => {
  await using at = await wireRuntime([echo("x"), { text: ["Do", "ne."] }], { isolation: { mode: "off" } });
  const events: string[] = [];
  using _hooks = at.runtime.hooks.add("test", {
    streamStart: ({ model }) => void events.push(`start ${model}`),
    streamDelta: ({ delta }) => void events.push(delta),
    streamEnd: ({ model }) => void events.push(`end ${model}`),
    interimMessage: ({ text }) => void events.push(`interim ${text}`),
  });
  await using session = await at.runtime.openSession({});
  assert.equal((await say(session, "go")).text, "Done.");
  assert.deepEqual(
    events.join("|").replaceAll(/(?<=start m1\|).*?(?=\|end)/gu, (deltas) => deltas.replaceAll("|", "")),
    "start m1|Let me see.|end m1|interim Let me see.|start m1|Done.|end m1",
  );
});

test("transformTerminalOutput replaces the command output that the model reads", async () => {
  await using at = await wireRuntime([echo("secret plan"), { text: "Done." }], { isolation: { mode: "off" } });
  using _hooks = at.runtime.hooks.add("test", {
    transformTerminalOutput: ({ command, output, exitCode, backend }) =>
      `${command}|${output.trim()}|${exitCode}|${backend}`.replaceAll("secret", "public"),
  });
  await using session = await at.runtime.openSession({});
  await say(session, "go");
  assert.match(lastWords(at.server.requests.at(-1) ?? assert.fail()), /echo public plan\|public plan\|0\|local/u);
});

test("classifyModelError classifies an error before the client reacts", async () => {
  const strange = { error: { status: 400, message: "please come back later" } };
  await using at = await wireRuntime([strange, { text: "Here." }]);
  await using session = await at.runtime.openSession({});
  assert.equal((await say(session, "go")).reason, "failed");
  await using other = await wireRuntime([strange, { text: "Here." }], { agent: { api_max_retries: 1 } });
  const seen: unknown[] = [];
  using _hooks = other.runtime.hooks.add("test", {
    classifyModelError({ error, status, body }) {
      seen.push([status, body.includes("come back later")]);
      return { ...error, kind: "overloaded", retryAfterMs: 1 };
    },
  });
  await using retried = await other.runtime.openSession({});
  const { text, why } = await say(retried, "go");
  assert.deepEqual([text, why], ["Here.", undefined]);
  assert.deepEqual(seen, [[400, true]]);
});

test("sessionReset fires for a session that replaces another; sessionEnd fires once for each session", async () => {
  const events: string[] = [];
  let ids: readonly string[] = [];
  {
    await using at = await wireRuntime([{ text: "Hi." }]);
    at.runtime.hooks.add("test", {
      sessionStart: ({ sessionId }) => void events.push(`start ${sessionId}`),
      sessionReset: ({ sessionId, source }) => void events.push(`reset ${sessionId} ${source}`),
      sessionEnd: ({ sessionId }) => void events.push(`end ${sessionId}`),
    });
    const first = await at.runtime.openSession({});
    await say(first, "go");
    const child = await at.runtime.openSession({ parent: first.id });
    const next = await at.runtime.openSession({ replaces: first.id });
    await Promise.all([first[Symbol.asyncDispose](), first[Symbol.asyncDispose]()]);
    await first[Symbol.asyncDispose]();
    ids = [first.id, child.id, next.id];
  }
  const [first, child, next] = ids;
  assert.deepEqual(
    events.toSorted(),
    [...ids.map((id) => `end ${id}`), `reset ${next} library`, ...ids.map((id) => `start ${id}`)].toSorted(),
  );
  assert.ok(events.indexOf(`end ${child}`) < events.indexOf(`end ${first}`));
});
