import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { testSize } from "../../../test/support/test-size.ts";
import { textOf, user } from "../../../test/support/turn-rig.ts";
import { systemClock as clock } from "../../base/clock.ts";
import { asId, type CallId, type EntryId, type TurnId } from "../../base/ids.ts";
import { err, ok } from "../../base/result.ts";
import type { CarriedContext } from "../../contracts/model/context.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { ModelFacts } from "../../contracts/model/model.ts";
import type { Entry, EntryBody } from "../../contracts/session/session.ts";
import { text } from "../../contracts/tool/tool-result.ts";
import { createHistory } from "../loop/record/history.ts";
import { createTranscript } from "../loop/record/transcript.ts";
import { createCompressor } from "./engine.ts";
import { messageSize } from "./tokens.ts";

const facts: ModelFacts = { provider: "p", model: "m", contextTokens: 8_000, contextSource: "table", vision: false };
const nothing: CarriedContext = { todos: [], files: [], approvals: [], processes: [] };
const settings = { auto: true, threshold: 0.5, targetRatio: 0.2, protectLast: 20, timeoutMs: 1_000 };
const limit = 0.85 * facts.contextTokens;

type Step =
  | { readonly do: "prompt" | "steer" | "say"; readonly words: string }
  | { readonly do: "call"; readonly outs: readonly string[] };

const words = fc.string({ minLength: 1, maxLength: 40 });
const long = fc.tuple(words, fc.integer({ min: 1, max: 100 })).map(([one, times]) => `${one} `.repeat(times));
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: words.map((said): Step => ({ do: "prompt", words: said })) },
  { weight: 1, arbitrary: words.map((said): Step => ({ do: "steer", words: said })) },
  { weight: 2, arbitrary: long.map((said): Step => ({ do: "say", words: said })) },
  { weight: 4, arbitrary: fc.array(long, { minLength: 1, maxLength: 3 }).map((outs): Step => ({ do: "call", outs })) },
);

/** Creates a stored session whose history grows as in the agent loop. */
function session() {
  const entries: Entry[] = [];
  const history = createHistory([]);
  return {
    entries,
    history,
    add(...bodies: readonly EntryBody[]) {
      for (const body of bodies) {
        const entry: Entry = { ...body, id: asId<EntryId>(`e${entries.length + 2}`), at: 0 };
        entries.push(entry);
        history.add(entry);
      }
    },
  };
}

for (const isModelThere of [true, false]) {
  test(`a session of any length keeps its task and a way to read older entries, ${isModelThere ? "with" : "without"} a model for summaries`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 100, maxLength: 400, size: "max" }), async (steps) => {
        const { entries, history, add } = session();
        const engine = createCompressor({
          settings,
          model: {
            complete: async () =>
              isModelThere ? ok(`## Goal\n${"Notes of the work. ".repeat(20)}`) : err({ message: "none" }),
          },
          redactor: { redact: (shown) => shown },
          clock,
        });
        let turn = asId<TurnId>("t0");
        let prompt = "begin";
        let calls = 0;
        add({ type: "message", message: user(prompt), turnId: turn });
        for (const [index, each] of steps.entries()) {
          if (each.do === "prompt") {
            turn = asId<TurnId>(`t${index + 1}`);
            prompt = each.words;
          }
          if (each.do === "prompt" || each.do === "steer")
            add({ type: "message", message: user(each.words), turnId: turn });
          else if (each.do === "say") add({ type: "message", message: assistant(each.words, []), turnId: turn });
          else if (each.do === "call") {
            const ids = each.outs.map(() => asId<CallId>(`c${++calls}`));
            add({ type: "message", message: assistant("", ids), turnId: turn });
            add(
              ...each.outs.map((out, index): EntryBody => ({
                type: "settled",
                callId: ids[index] ?? asId<CallId>(""),
                tool: "terminal",
                result: text(out),
                durationMs: 0,
              })),
            );
          }
          const tokens = sizeOf(history.messages);
          if (tokens < limit) continue;
          const before = entries.length;
          const request = {
            history: history.items,
            size: { tokens, estimated: true },
            fixedTokens: 0,
            model: facts,
            carry: nothing,
            why: "threshold" as const,
          };
          const outcome = await engine.fit(request, new AbortController().signal);
          assert.ok("compaction" in outcome, "failed" in outcome ? outcome.failed : "");
          const through = history.endOf(outcome.compaction.covers);
          assert.ok(through !== undefined);
          const { messages } = outcome.compaction;
          add({ type: "compacted", through, messages, tokensBefore: tokens, tokensAfter: 0 });
          assert.ok(sizeOf(history.messages) < tokens * 0.9, `${tokens} → ${sizeOf(history.messages)}`);
          assert.ok(history.messages.some((message) => message.role === "user" && textOf(message) === prompt));
          assertPaired(history.messages);
          await assertReadable(history.messages, entries.slice(0, before));
          assert.deepEqual(createHistory(entries).messages, history.messages);
        }
      }),
      { numRuns: testSize({ quick: 4, full: 8 }) },
    );
  });
}

function assistant(words_: string, ids: readonly CallId[]): AssistantMessage {
  return {
    role: "assistant",
    content: words_ === "" ? [] : [{ type: "text", text: words_ }],
    calls: ids.map((id) => ({ id, name: "terminal", args: { command: `run ${id}` } })),
    stop: ids.length > 0 ? "calls" : "end",
  };
}

function sizeOf(messages: readonly Message[]): number {
  return messages.reduce((sum, message) => sum + messageSize(message), 0);
}

function assertPaired(messages: readonly Message[]): void {
  let open: string[] = [];
  for (const message of messages) {
    if (message.role === "tool") assert.equal(open.shift(), message.callId);
    else assert.deepEqual(open, []);
    if (message.role === "assistant") open = message.calls.map(({ id }) => id);
  }
  assert.deepEqual(open, []);
}

/** Every entry id that replaces a result must lead to the original result. */
async function assertReadable(messages: readonly Message[], entries: readonly Entry[]): Promise<void> {
  const transcript = createTranscript(async (id) => entries.find((entry) => entry.id === id));
  for (const message of messages) {
    const id = /read_back \{"id":"(e\d+)"\}/u.exec(textOf(message))?.[1];
    if (message.role !== "tool" || id === undefined) continue;
    const original = entries.find((entry) => entry.type === "settled" && entry.callId === message.callId);
    const read = await transcript.read(id);
    assert.ok(original?.type === "settled" && original.result.ok && read.ok);
    assert.equal(
      read.value.text,
      original.result.value.content.map((part) => (part.type === "text" ? part.text : "")).join("\n"),
    );
  }
}
