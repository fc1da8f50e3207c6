// covers: src/providers, src/runtime
import assert from "node:assert/strict";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";

import type { AgentEvent } from "../../src/contracts/session/event.ts";
import type { Session, Turn } from "../../src/contracts/session/runtime.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { replaySession } from "../../src/runtime/replay-session.ts";
import { chatTerminal } from "../support/chat-terminal.ts";
import { eventually } from "../support/eventually.ts";
import { hermes } from "../support/fake-terminal.ts";
import { type MixtureRig, mixtureRig, requestTexts } from "../support/mixture-rig.ts";

const prompt = (session: Session, text: string) => session.prompt([{ type: "text", text }]);

async function eventsOf(turn: Turn): Promise<readonly AgentEvent[]> {
  return Array.fromAsync(turn.events());
}

async function played(rig: MixtureRig, session: Session) {
  const turns: Turn[] = [];
  const reading: Promise<readonly AgentEvent[]>[] = [];
  const deviations: string[] = [];
  const end = await replaySession(rig.config, {
    recording: session.id,
    cwd: rig.cwd,
    principal: localPrincipal(),
    from: 1,
    liveTools: false,
    signal: new AbortController().signal,
    say() {},
    began(turn) {
      turns.push(turn);
      reading.push(eventsOf(turn));
    },
    deviates: ({ text }) => void deviations.push(text),
  });
  const outcomes = await Promise.all(turns.map(async ({ done }) => (await done).text));
  return { end, outcomes, events: await Promise.all(reading), deviations };
}

const consulted = (events: readonly AgentEvent[]) => events.filter((event) => event.type === "model.consulted");

test("two reference models get the prompt without tools, and the aggregator calls a tool and answers in two iterations", async () => {
  await using rig = await mixtureRig({
    main: [
      { text: "let me look", calls: [{ name: "read_file", args: { path: "note.txt" } }], usage: { input: 3_000 } },
      { text: "it says blue", usage: { input: 3_100 } },
      { text: "again", usage: { input: 3_200 } },
    ],
  });
  await writeFile(join(rig.cwd, "note.txt"), "the colour is blue\n");
  await using session = await rig.runtime.openSession({ source: "test" });
  const turn = prompt(session, "which colour?");
  const events = await eventsOf(turn);
  const { reason, text, usage, modelCalls } = await turn.done;
  assert.deepEqual([reason, text, modelCalls], ["answered", "it says blue", 2]);
  assert.deepEqual([rig.one.requests.length, rig.two.requests.length, rig.main.requests.length], [2, 2, 2]);

  // Reference models get only text, without the prompt and the results.
  for (const { json } of [...rig.one.requests, ...rig.two.requests]) {
    assert.equal(json["tools"], undefined);
    assert.deepEqual([json["temperature"], json["max_tokens"] ?? json["max_completion_tokens"]], [0.6, 4_096]);
    assert.doesNotMatch(JSON.stringify(json["messages"]), /colour is blue|read_file/u);
  }
  const roles = requestTexts(rig.one.requests[1]).map((each) => /"role":"(\w+)"/u.exec(each)?.[1]);
  assert.deepEqual(roles.slice(-3), ["user", "assistant", "user"]);

  // The aggregator gets its tools, and the references' answers at the end; these are in no later request and not in the
  // history.
  const [first, next] = rig.main.requests.map(requestTexts);
  assert.ok(first && next && rig.main.requests[0]?.json["temperature"] === 0.4);
  assert.ok(Array.isArray(rig.main.requests[0]?.json["tools"]));
  assert.match(first.at(-1) ?? "", /Private context.*one says.*two says/u);
  assert.deepEqual(next.slice(0, first.length - 1), first.slice(0, -1), "the beginning stays byte by byte");
  assert.equal(next.filter((each) => each.includes("Private context")).length, 1);
  assert.doesNotMatch(JSON.stringify(session.history()), /Private context|one says/u);

  assert.deepEqual(
    consulted(events)
      .map(({ provider, model, text }) => `${provider}/${model}: ${text}`)
      .toSorted(),
    ["custom:one/r1: one says", "custom:one/r1: one says", "custom:two/r2: two says", "custom:two/r2: two says"],
  );
  // 6,100 of the aggregator and four times 10 of the references.
  assert.deepEqual([usage.input, (await session.usage()).session.input], [6_140, 6_140]);
  const { tokens } = session.context();
  assert.ok(tokens < 3_060, `the private part is not in the context: ${tokens}`);
  assert.deepEqual([session.model().provider, session.model().model], ["moa", "mix"]);
  await prompt(session, "and now?").done;
  assert.deepEqual(requestTexts(rig.main.requests[2]).slice(0, first.length - 1), first.slice(0, -1));
});

test("the last cache mark is placed before the answers of the reference models", async () => {
  await using rig = await mixtureRig({}, {}, "anthropic-messages");
  await using session = await rig.runtime.openSession({ source: "test" });
  await prompt(session, "hello").done;
  const sent = rig.main.requests[0]?.json as unknown as {
    readonly messages: readonly {
      readonly content: readonly { readonly text: string; readonly cache_control?: object }[];
    }[];
  };
  const blocks = sent.messages.flatMap(({ content }) => content);
  const marked = blocks.findLastIndex(({ cache_control: mark }) => mark !== undefined);
  assert.equal(marked, blocks.length - 2);
  assert.match(blocks.at(-1)?.text ?? "", /Private context/u);
});

test("a reference model that fails or stays silent is reported, and the answer still arrives", async () => {
  await using rig = await mixtureRig(
    {
      one: () => ({ error: { status: 500, message: "broken inside", type: "server_error" } }),
      two: () => ({ text: "never", fault: { hangAfter: 0 } }),
    },
    { moa: { reference_timeout: 4 } },
  );
  await using session = await rig.runtime.openSession({ source: "test" });
  const turn = prompt(session, "hello");
  const events = await eventsOf(turn);
  assert.equal((await turn.done).text, "final");
  const errors = consulted(events).map(({ model, error }) => `${model}: ${error?.kind}`);
  assert.deepEqual(errors.toSorted(), ["r1: server", "r2: stalled"]);
  const alone = events.find((event) => event.type === "model.failed");
  assert.ok(alone?.type === "model.failed" && /custom:main\/a1 answers alone/u.test(alone.how));
  assert.doesNotMatch(JSON.stringify(rig.main.requests[0]?.json), /Private context/u);
  await eventually(async () => (await rig.two.openConnections()) === 0, "the silent model is still being asked");
});

test("a reference model that refuses the key does not affect the other", async () => {
  await using rig = await mixtureRig({ one: () => ({ error: { status: 401, message: "wrong key" } }) });
  await using session = await rig.runtime.openSession({ source: "test" });
  await prompt(session, "hello").done;
  assert.match(requestTexts(rig.main.requests[0]).at(-1) ?? "", /custom:one\/r1[^<]*did not answer: .*two says/u);
});

test("with a budget of zero no request is sent, and if the references exhaust it the aggregator is not called", async () => {
  await using none = await mixtureRig({}, { budget: { max_tokens_per_session: 0 } });
  await using session = await none.runtime.openSession({ source: "test" });
  assert.equal((await prompt(session, "hello").done).reason, "budget");
  assert.deepEqual(
    [none.one, none.two, none.main].map(({ requests }) => requests.length),
    [0, 0, 0],
  );

  const much = () => ({ text: "long", usage: { input: 60_000, output: 0 } });
  await using little = await mixtureRig({ one: much, two: much }, { budget: { max_tokens_per_turn: 100_000 } });
  await using second = await little.runtime.openSession({ source: "test" });
  const outcome = await prompt(second, "hello").done;
  assert.deepEqual([outcome.reason, outcome.usage.input + outcome.usage.output], ["budget", 120_000]);
  assert.match(outcome.why ?? "", /budget\.max_tokens_per_turn/u);
  assert.equal(little.main.requests.length, 0);
  const { tokens } = await little.runtime.sessions.spent({ sessionId: second.id });
  assert.equal(tokens, 120_000, "what was answered is booked");
});

test("a stopped turn closes the requests of all reference models", async () => {
  await using rig = await mixtureRig({
    one: () => ({ text: "slow", fault: { hangAfter: 0 } }),
    two: () => ({ text: "slow", fault: { delayMs: 600_000 } }),
  });
  await using session = await rig.runtime.openSession({ source: "test" });
  const turn = prompt(session, "hello");
  while (rig.one.requests.length + rig.two.requests.length < 2) await sleep(5);
  turn.abort("enough");
  assert.equal((await turn.done).reason, "aborted");
  while ((await rig.one.openConnections()) + (await rig.two.openConnections()) > 0) await sleep(5);
  assert.equal(rig.main.requests.length, 0);
});

test("without reference models the aggregator answers alone", async () => {
  const alone = { aggregator: { provider: "custom:main", model: "a1" }, enabled: false };
  await using rig = await mixtureRig({}, { moa: { presets: { mix: alone } } });
  await using session = await rig.runtime.openSession({ source: "test" });
  assert.equal((await prompt(session, "hello").done).text, "final");
  assert.deepEqual([rig.one.requests.length, rig.main.requests.length], [0, 1]);
});

test("a recorded session is replayed without requests, even with a mixture turn in the middle", async () => {
  await using rig = await mixtureRig(
    { main: (_, index) => (index === 1 ? { calls: [{ name: "todo", args: {} }] } : { text: `answer ${index}` }) },
    { model: "custom:main:plain", sessions: { record: true } },
  );
  const session = await rig.runtime.openSession({ source: "test" });
  await prompt(session, "first").done;
  assert.ok((await session.useModel("moa/mix", true)).ok);
  assert.equal((await prompt(session, "second").done).text, "answer 2");
  assert.equal(`${session.model().provider}/${session.model().model}`, "custom:main/plain");
  await prompt(session, "third").done;
  await session[Symbol.asyncDispose]();
  assert.deepEqual([rig.one.requests.length, rig.main.requests.length], [2, 4]);
  const { end, outcomes, events, deviations } = await played(rig, session);
  assert.ok(end.ok, JSON.stringify(end));
  assert.deepEqual(deviations, []);
  assert.deepEqual(outcomes, ["answer 0", "answer 2", "answer 3"]);
  assert.deepEqual(
    events.map((each) => consulted(each).length),
    [0, 4, 0],
  );
  assert.deepEqual([rig.one.requests.length, rig.main.requests.length], [2, 4]);
});

test("a summary request during a recorded mixture is not part of the replay", async () => {
  await using rig = await mixtureRig(
    { main: () => ({ text: "a long answer ".repeat(50) }) },
    { model: "custom:main:plain", sessions: { record: true } },
  );
  const session = await rig.runtime.openSession({ source: "test" });
  await session.useModel("moa/mix");
  for (const text of ["a ".repeat(500), "b ".repeat(500), "c ".repeat(500), "d"]) await prompt(session, text).done;
  const before = rig.main.requests.length;
  await session.compress("everything");
  assert.ok(rig.main.requests.length > before);
  await prompt(session, "and now?").done;
  await session[Symbol.asyncDispose]();
  const { deviations, outcomes } = await played(rig, session);
  assert.deepEqual([deviations, outcomes.length], [[], 5]);
});

test("after a mixture turn that failed or was stopped, the previous model is used again", async () => {
  await using rig = await mixtureRig(
    {
      main: (_, index) =>
        index === 0 ? { error: { status: 400, message: "no" } } : { text: "ok", fault: { hangAfter: 0 } },
    },
    { model: "custom:main:plain" },
  );
  await using session = await rig.runtime.openSession({ source: "test" });
  await session.useModel("moa/mix", true);
  assert.equal((await prompt(session, "fails").done).reason, "failed");
  assert.equal(session.model().model, "plain");
  await session.useModel("moa/mix", true);
  const turn = prompt(session, "hangs");
  while (rig.main.requests.length < 2) await sleep(5);
  turn.abort("enough");
  await turn.done;
  assert.equal(session.model().model, "plain");
});

test("auxiliary tasks use only the aggregator", async () => {
  await using rig = await mixtureRig({ main: () => ({ text: "a long answer ".repeat(50) }) });
  await using session = await rig.runtime.openSession({ source: "test" });
  for (const text of ["a ".repeat(500), "b ".repeat(500), "c ".repeat(500), "d"]) await prompt(session, text).done;
  const requestCount = rig.one.requests.length;
  const before = rig.main.requests.length;
  await session.compress("everything");
  assert.ok(rig.main.requests.length > before, "the summary was asked for");
  assert.equal(rig.one.requests.length, requestCount);
});

test("traces keep the messages, readable only by the owner, without keys, and are deleted with their session", async () => {
  const key =
    "sk-ant-api03-0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789abcdefghijklmno-AAAA";
  await using rig = await mixtureRig(
    { one: () => ({ text: `use ${key}` }), two: () => ({ error: { status: 500, message: "broken" } }) },
    { moa: { save_traces: true, privacy_filter: "full" } },
  );
  const session = await rig.runtime.openSession({ source: "test" });
  const turn = prompt(session, `my key is ${key}`);
  const events = await eventsOf(turn);
  await session[Symbol.asyncDispose]();
  assert.ok(
    consulted(events).every(({ text }) => text === undefined),
    "nothing is shown",
  );
  assert.ok(!rig.one.requests[0]?.body.includes(key), "references do not get the key");
  assert.ok(!requestTexts(rig.main.requests[0]).at(-1)?.includes(key), "nor is the aggregator by them");
  await rig.runtime[Symbol.asyncDispose]();
  const file = join(rig.home, "moa-traces", `${session.id}.jsonl`);
  const text = await readFile(file, "utf8");
  assert.doesNotMatch(text, /0123456789abcdef/u);
  const [line] = text
    .trim()
    .split("\n")
    .map((each) => JSON.parse(each) as { preset: string; references: object[] });
  assert.deepEqual([line?.preset, line?.references.length], ["mix", 2]);
  assert.match(text, /"usage":\{"input":10.*"text":"use sk-.*"error":\{"kind":"server"/u);
  if (process.platform !== "win32") assert.equal((await stat(file)).mode & 0o777, 0o600);
  const removed = await hermes(["sessions", "delete", session.id, "--now", "--yes"], { home: rig.home });
  assert.equal(removed.code, 0, removed.err);
  await assert.rejects(stat(file));
});

test("one-shot prompts, model test and the model list accept mixture presets", async () => {
  await using rig = await mixtureRig({ two: () => ({ error: { status: 500, message: "broken" } }) });
  const result = await hermes(["-m", "moa/mix", "-z", "hello"], { home: rig.home, cwd: rig.cwd });
  assert.deepEqual([result.code, result.out.trim()], [0, "final"], result.err);
  const tested = await hermes(["model", "test", "moa/mix", "--json"], { home: rig.home });
  const { ok, steps } = tested.json as { ok: boolean; steps: string[] };
  assert.equal(ok, true);
  assert.match(steps.join(), /custom:two\/r2 did not answer/u);
  const listed = await hermes(["model", "list", "moa", "--json"], { home: rig.home });
  const { models, active } = listed.json as { models: { name: string }[]; active: { provider: string } };
  assert.deepEqual(models.map(({ name }) => name).toSorted(), ["moa/default", "moa/mix"]);
  assert.equal(active.provider, "moa");
  const unknown = await hermes(["-m", "moa/mx", "-z", "hello"], { home: rig.home, cwd: rig.cwd });
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /moa has no preset mx; available: default, mix\./u);
});

test("in the chat /moa sends one prompt to a mixture and switches back, lists its models, or switches permanently", async () => {
  await using rig = await mixtureRig(
    { two: () => ({ error: { status: 500, message: "broken" } }), main: (_, index) => ({ text: `answer ${index}` }) },
    { model: "custom:main:plain", moa: { default_preset: "mix" } },
  );
  await using chat = chatTerminal([], { home: rig.home });
  chat.type("/moa which way?\r");
  await chat.until("answer 0");
  await chat.until(/custom:main\/plain · .*%/u);
  assert.match(chat.said(), /Using moa\/mix for this prompt, then custom:main\/plain again/u);
  assert.match(chat.said(), /◇ custom:one\/r1 \(.*\): one says/u);
  assert.match(chat.said(), /◇ custom:two\/r2 did not answer \(.*broken/u);
  chat.type("go on\r");
  await chat.until("answer 1");
  assert.equal(rig.one.requests.length, 1);
  chat.type("/moa mix\r");
  await chat.until("Now using moa/mix");
  chat.type("once more\r");
  await chat.until("answer 2");
  await chat.until(/moa\/mix · .*%/u);
  assert.equal(rig.one.requests.length, 2);
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
});

test("a model that rejects temperature gets the request again without it, and later requests omit it", async () => {
  const message = "Unsupported value: 'temperature' does not support 0.4 with this model.";
  await using rig = await mixtureRig({
    main: (_, index) =>
      index === 0 ? { error: { status: 400, message, type: "invalid_request_error" } } : { text: "final" },
  });
  await using session = await rig.runtime.openSession({ source: "test" });
  assert.equal((await prompt(session, "hello").done).text, "final");
  await prompt(session, "again").done;
  assert.deepEqual(
    rig.main.requests.map(({ json }) => json["temperature"]),
    [0.4, undefined, undefined],
  );
  assert.equal(rig.one.requests.length, 2, "nobody else is asked again");
});
