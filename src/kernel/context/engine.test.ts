import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { textOf } from "../../../test/support/turn-rig.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { asId, type CallId, type EntryId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import type { AuxiliaryModel } from "../../contracts/host/ports.ts";
import type { CarriedContext, FitRequest, HistoryItem } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import { createCompressor, type CompressionSettings, thresholdFor } from "./engine.ts";
import { messageSize } from "./tokens.ts";

const settings: CompressionSettings = {
  auto: true,
  threshold: 0.5,
  targetRatio: 0.2,
  protectLast: 20,
  timeoutMs: 1000,
};
const facts: ModelFacts = { provider: "p", model: "m", contextTokens: 20_000, contextSource: "table", vision: false };
const nothing: CarriedContext = { todos: [], files: [], approvals: [], processes: [] };
const redactor = { redact: (text: string) => text.replaceAll("s3cret", "***") };
const notes = "## Goal\nBuild the thing.\n## Done\n1. Looked at everything, and it was as expected so far.";

function auxiliary(answer: (prompt: string) => Promise<string>): AuxiliaryModel & { readonly prompts: string[] } {
  const prompts: string[] = [];
  return {
    prompts,
    async complete(_task, prompt) {
      prompts.push(prompt);
      try {
        return ok(await answer(prompt));
      } catch (thrown) {
        return err({ message: String(thrown) });
      }
    },
  };
}

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const assistant = (text: string, calls: readonly string[] = []): Message => ({
  role: "assistant",
  content: [{ type: "text", text }],
  calls: calls.map((id) => ({ id: asId<CallId>(id), name: "terminal", args: { command: id } })),
  stop: calls.length > 0 ? "calls" : "end",
});
const result = (id: string, text: string): Message => ({
  role: "tool",
  callId: asId<CallId>(id),
  name: "terminal",
  failed: false,
  content: [{ type: "text", text }],
});
const items = (messages: readonly Message[]): readonly HistoryItem[] =>
  messages.map((message, index) => ({ entry: asId<EntryId>(`e${index + 1}`), message }));

function request(history: readonly HistoryItem[], changes: Partial<FitRequest> = {}): FitRequest {
  const tokens = history.reduce((sum, { message }) => sum + messageSize(message), 100);
  return {
    history,
    size: { tokens, estimated: true },
    fixedTokens: 100,
    model: facts,
    carry: nothing,
    why: "threshold",
    ...changes,
  };
}

const never = new AbortController().signal;
const long = (word: string, count: number) => `${word} `.repeat(count);

/** Builds a long session: a prompt, followed by calls with long results. */
function session(rounds: number, words: number): readonly Message[] {
  return [
    user("first task"),
    ...Array.from({ length: rounds }, (_, index) => [
      assistant(`step ${index}`, [`c${index}`]),
      result(`c${index}`, long(`out${index}`, words)),
    ]).flat(),
    assistant("done with the first"),
    user("second task, word for word"),
    assistant("on it", ["last"]),
    result("last", "the last result"),
  ];
}

test("old tool results are dropped first, without a model request, and a hint says how to read them again", async () => {
  const model = auxiliary(async () => notes);
  const engine = createCompressor({ settings, model, redactor, clock });
  const outcome = await engine.fit(request(items(session(30, 100))), never);
  assert.ok("compaction" in outcome);
  assert.equal(model.prompts.length, 0);
  const texts = outcome.compaction.messages.map(textOf);
  assert.match(texts[2] ?? "", /read_back \{"id":"e3"\}/u);
  assert.equal(texts[0], "first task");
});

test("if dropping results is not enough, a model writes a summary, and the last prompt stays verbatim", async () => {
  const model = auxiliary(async () => notes);
  const engine = createCompressor({ settings, model, redactor, clock });
  const history = items([
    user("s3cret task"),
    ...Array.from({ length: 200 }, (_, index) => assistant(long(`w${index}`, 80))),
  ]);
  const outcome = await engine.fit(request(history), never);
  assert.ok("compaction" in outcome);
  const { messages, covers } = outcome.compaction;
  assert.match(textOf(messages[0]), /Build the thing/u);
  assert.equal(textOf(messages[1]), "s3cret task");
  assert.ok(covers < history.length && covers > 100);
  assert.doesNotMatch(model.prompts[0] ?? "", /s3cret/u);
});

test("open todos, files, approvals and processes appear verbatim in the summary", async () => {
  const engine = createCompressor({ settings, model: auxiliary(async () => notes), redactor, clock });
  const history = items(Array.from({ length: 200 }, (_, index) => assistant(long(`w${index}`, 80))));
  const carry: CarriedContext = {
    todos: [
      { id: "7", content: "mend the gate", status: "in_progress" },
      { id: "8", content: "over", status: "completed" },
    ],
    files: [{ path: "/p/gate.ts", how: "written" }],
    approvals: ["rm -rf build"],
    processes: ["proc_1: npm run dev"],
  };
  const outcome = await engine.fit(request(history, { carry }), never);
  assert.ok("compaction" in outcome);
  const text = textOf(outcome.compaction.messages[0]);
  for (const kept of ["7 [in_progress] mend the gate", "/p/gate.ts (written)", "rm -rf build", "proc_1: npm run dev"]) {
    assert.ok(text.includes(kept), kept);
  }
  assert.doesNotMatch(text, /8 \[completed\]/u);
});

test("a second compaction updates the summary instead of writing a new one", async () => {
  const model = auxiliary(async () => notes);
  const engine = createCompressor({ settings, model, redactor, clock });
  const first = await engine.fit(
    request(items(Array.from({ length: 200 }, () => assistant(long("words", 80))))),
    never,
  );
  assert.ok("compaction" in first);
  const history = items([
    ...first.compaction.messages,
    ...Array.from({ length: 200 }, () => assistant(long("other", 80))),
  ]);
  await engine.fit(request(history), never);
  assert.match(model.prompts[1] ?? "", /Your notes so far/u);
  assert.match(model.prompts[1] ?? "", /What came since/u);
});

test("if no model answers, the summary is created mechanically", async () => {
  const model = auxiliary(async () => {
    throw new Error("no model");
  });
  const engine = createCompressor({ settings, model, redactor, clock });
  const history = items([
    user("do it"),
    ...Array.from({ length: 200 }, (_, index) => assistant(long(`w${index}`, 80))),
  ]);
  const outcome = await engine.fit(request(history), never);
  assert.ok("compaction" in outcome && outcome.compaction.mechanical);
  assert.match(textOf(outcome.compaction.messages[0]), /Made without a model/u);
});

test("a summary that is as long as its source is replaced by a mechanical one", async () => {
  const model = auxiliary(async () => long("blah", 20_000));
  const engine = createCompressor({ settings, model, redactor, clock });
  const history = items([user("task"), ...Array.from({ length: 26 }, (_, index) => assistant(long(`w${index}`, 200)))]);
  const small = { ...facts, contextTokens: 12_000 };
  const outcome = await engine.fit(request(history, { model: small, fixedTokens: 3_000 }), never);
  assert.ok("compaction" in outcome && outcome.compaction.mechanical);
  assert.doesNotMatch(textOf(outcome.compaction.messages[0]), /blah/u);
});

test("a summary request that hangs is aborted, and an abort leaves the history unchanged", async () => {
  const model = auxiliary(() => new Promise<string>(() => {}));
  const history = items([
    user("do it"),
    ...Array.from({ length: 200 }, (_, index) => assistant(long(`w${index}`, 80))),
  ]);
  const quick = createCompressor({ settings: { ...settings, timeoutMs: 20 }, model, redactor, clock });
  assert.ok("compaction" in (await quick.fit(request(history), never)));
  const slow = createCompressor({ settings, model, redactor, clock });
  assert.deepEqual(await slow.fit(request(history), AbortSignal.timeout(20)), { failed: "interrupted" });
});

test("a single result that fills the window is shortened in its middle", async () => {
  const engine = createCompressor({ settings, model: auxiliary(async () => notes), redactor, clock });
  const history = items([user("read it"), assistant("reading", ["c"]), result("c", long("huge", 20_000))]);
  const outcome = await engine.fit(request(history, { why: "overflow" }), never);
  assert.ok("compaction" in outcome);
  const { messages, covers } = outcome.compaction;
  assert.equal(covers, 3);
  assert.deepEqual(
    messages.map(({ role }) => role),
    ["user", "assistant", "tool"],
  );
  assert.match(textOf(messages[2]), /left out; read_back/u);
});

test("an older message that fills the window is cut in the middle, the current prompt is not", async () => {
  const engine = createCompressor({ settings, model: auxiliary(async () => notes), redactor, clock });
  const [old, answer, now] = [long("old", 20_000), long("answer", 20_000), long("now", 500)];
  const history = items([user(old), assistant(answer), user(now)]).map((item, index) => ({
    ...item,
    isPrompt: index !== 1,
  }));
  const outcome = await engine.fit(request(history, { why: "overflow" }), never);
  assert.ok("compaction" in outcome);
  const texts = outcome.compaction.messages.map(textOf);
  assert.match(texts[0] ?? "", /^old [\s\S]*left out; read_back \{"id":"e1"\}[\s\S]*old $/u);
  assert.match(texts[1] ?? "", /^answer [\s\S]*left out; read_back \{"id":"e2"\}[\s\S]*answer $/u);
  assert.equal(texts[2], now);
});

test("with compression off nothing is compacted, even when the provider reports an overflow", async () => {
  const engine = createCompressor({
    settings: { ...settings, auto: false },
    model: auxiliary(async () => notes),
    redactor,
    clock,
  });
  assert.equal(engine.threshold(facts), Infinity);
  const outcome = await engine.fit(request(items(session(30, 100)), { why: "overflow" }), never);
  assert.ok("failed" in outcome && /auto is off/u.test(outcome.failed));
  assert.ok("compaction" in (await engine.fit(request(items(session(30, 100)), { why: "asked" }), never)));
});

test("the compaction threshold is relative to the context window", () => {
  const atWindow = (contextTokens: number, maxOutputTokens = 0) =>
    thresholdFor({ ...facts, contextTokens, maxOutputTokens }, settings);
  assert.equal(atWindow(1_000_000), 500_000);
  assert.equal(atWindow(200_000), 150_000);
  assert.equal(atWindow(60_000), 51_000);
  assert.equal(atWindow(200_000, 32_000), 126_000);
});

test("compaction of any history keeps calls with their results and keeps the last prompt", async () => {
  const word = fc.string({ maxLength: 400 });
  const round = fc.tuple(word, fc.array(word, { maxLength: 3 }));
  await fc.assert(
    fc.asyncProperty(fc.array(round, { minLength: 1, maxLength: 40 }), fc.nat(30), async (rounds, promptAt) => {
      const messages = rounds.flatMap(([text, results], index): Message[] => [
        ...(index === promptAt ? [user("the prompt")] : []),
        assistant(
          text,
          results.map((_, index) => `c${index}_${index}`),
        ),
        ...results.map((out, index) => result(`c${index}_${index}`, out.repeat(20))),
      ]);
      const history = items([user("first"), ...messages]);
      const model = auxiliary(async () => notes);
      const engine = createCompressor({ settings: { ...settings, protectLast: 4 }, model, redactor, clock });
      const outcome = await engine.fit(request(history, { model: { ...facts, contextTokens: 500 } }), never);
      if ("failed" in outcome) return;
      const { covers, messages: compacted } = outcome.compaction;
      const after = [...compacted, ...history.slice(covers).map(({ message }) => message)];
      let open: string[] = [];
      for (const message of after) {
        if (message.role === "tool") assert.equal(open.shift(), message.callId);
        else assert.deepEqual(open, []);
        if (message.role === "assistant") open = message.calls.map(({ id }) => id);
      }
      assert.deepEqual(open, []);
      const expected = history.findLast(({ message }) => message.role === "user")?.message;
      assert.ok(after.some((message) => textOf(message) === textOf(expected)));
    }),
  );
});
