import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { asId, type CallId } from "../../base/ids.ts";
import type { AssistantMessage, Message } from "../../contracts/model/message.ts";
import type { AttemptEvent, ModelRequest } from "../../contracts/model/model.ts";
import { offlineProvider } from "./offline-provider.ts";

const names = [
  "patch",
  "process",
  "read_file",
  "search_files",
  "terminal",
  "todo",
  "tool_call",
  "tool_search",
  "write_file",
];

test("the answer streams in deltas and says that it is the built-in model", async () => {
  const { message, events } = await ask([user("who are you?")]);
  const deltas = events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
  assert.ok(deltas.length > 3);
  assert.equal(deltas.join(""), textOf(message));
  assert.match(textOf(message), /fixed rules, no AI/u);
  assert.equal(message.stop, "end");
});

test("a message that matches no rule gets an answer that says so, and no call", async () => {
  const { message } = await ask([user("make my life better")]);
  assert.match(textOf(message), /fixed rules, no AI\. I do not understand "make my life better"\..*Say "help"/su);
  assert.deepEqual(message.calls, []);
});

test("a command of the shell is recognised, and not only not understood", async () => {
  const { message } = await ask([user("./hermes setup")]);
  assert.match(textOf(message), /a command for your shell/u);
});

test("requests inside references, goals and side questions are recognised", async () => {
  const content = ["look at @a.txt", "Attached by the user: @a.txt (1 line, 2 B)\nhi"];
  const referred = await ask([{ role: "user", content: content.map((text) => ({ type: "text", text })) }]);
  assert.deepEqual(callsOf(referred.message), [["read_file", { path: "a.txt" }]]);
  const goal = await ask([user("run ls\n\n[Work towards this goal until it is reached. Show evidence.]")]);
  assert.deepEqual(callsOf(goal.message), [["terminal", { command: "ls" }]]);
  const aside = await ask([user("[A side question of the person. Nobody remembers it.]\nsay hi")]);
  assert.equal(textOf(aside.message), "hi");
});

test("a request becomes a call, and its result becomes a report", async () => {
  const requested = await ask([user("run `false`")]);
  assert.deepEqual(callsOf(requested.message), [["terminal", { command: "false" }]]);
  const outcome = result(requested.message, { exit_code: 1, output: "", error: null });
  const { message } = await ask([...requested.messages, outcome]);
  assert.equal(textOf(message), "`false` failed with exit code 1; no output.");
});

test("several files are read in parallel but changed one after another", async () => {
  const reads = await ask([user("read a.txt, b.txt and c.txt")]);
  assert.equal(reads.message.calls.length, 3);
  const writes = await ask([user("write x to a.txt and write y to b.txt")]);
  assert.deepEqual(callsOf(writes.message), [["write_file", { path: "a.txt", content: "x\n" }]]);
});

test('after a failure the remaining steps are listed but not executed, and "go on" executes them', async () => {
  const requested = await ask([user("read a.txt and then run ls")]);
  const failed = await ask([...requested.messages, result(requested.message, { error: "a.txt does not exist" }, true)]);
  assert.match(textOf(failed.message), /^Failed \(`a\.txt`\): a\.txt does not exist\n\nNot done: `ls`\./u);
  const again = await ask([...failed.messages, user("go on")]);
  assert.deepEqual(callsOf(again.message), [["terminal", { command: "ls" }]]);
});

test("the report of a denial omits the advice for models", async () => {
  const requested = await ask([user("delete the folder src")]);
  const error = "Denied: nobody is here to ask. Do not try it again, do not rephrase it.";
  const { message } = await ask([...requested.messages, result(requested.message, { error, cause: "nobody" }, true)]);
  assert.equal(textOf(message), "Not allowed (`rm -r -- src`): Denied: nobody is here to ask.");
});

test("a message during the work stops, replaces or extends it", async () => {
  const requested = await ask([user("run sleep 1 and then run ls")]);
  const running = [...requested.messages, result(requested.message, { exit_code: 0, output: "" })];
  const stopped = await ask([...running, user("stop")]);
  assert.deepEqual(stopped.message.calls, []);
  assert.match(textOf(stopped.message), /Stopped\./u);
  const instead = await ask([...running, user("no, read a.txt instead")]);
  assert.deepEqual(callsOf(instead.message), [["read_file", { path: "a.txt" }]]);
  for (const more of ["also run pwd", "sing"]) {
    const { message } = await ask([...running, user(more)]);
    assert.deepEqual(callsOf(message), [["terminal", { command: "ls" }]]);
  }
});

test("after a cancelled call the next request starts from the beginning, even if it is the same request", async () => {
  const requested = await ask([user("run sleep 9")]);
  const cancelled = result(requested.message, { error: "terminal was cancelled while it ran" }, true);
  for (const command of ["ls", "sleep 9"]) {
    const { message } = await ask([...requested.messages, cancelled, user(`run ${command}`)]);
    assert.deepEqual(callsOf(message), [["terminal", { command }]]);
  }
});

test('"it" refers to the file of the last request, and "again" to the request itself', async () => {
  const before: Message[] = [user("read notes.txt"), answer("notes.txt (1 line)")];
  assert.deepEqual(callsOf((await ask([...before, user("delete it")])).message), [
    ["terminal", { command: "rm -- notes.txt" }],
  ]);
  assert.deepEqual(callsOf((await ask([...before, user("again")])).message), [["read_file", { path: "notes.txt" }]]);
});

test("a deferred tool is searched for and called through tool_call, or reported as missing", async () => {
  const requested = await ask([user("remember that I like tea")]);
  assert.deepEqual(callsOf(requested.message), [["tool_search", { query: "memory" }]]);
  const none = await ask([...requested.messages, result(requested.message, { matches: [] })]);
  assert.equal(textOf(none.message), "This session does not have the tool memory.");
  const matches = { matches: [{ name: "memory", description: "" }] };
  const answer = await ask([...requested.messages, result(requested.message, matches)]);
  const args = { action: "add", target: "memory", content: "I like tea" };
  assert.deepEqual(callsOf(answer.message), [["tool_call", { name: "memory", arguments: args }]]);
  const saved = await ask([...answer.messages, result(answer.message, { success: true })]);
  assert.equal(textOf(saved.message), "Saved to memory: I like tea");
});

test("if tool calls are not allowed, the answer lists finished and unfinished steps", async () => {
  const requested = await ask([user("run ls and then run pwd")]);
  const messages = [
    ...requested.messages,
    result(requested.message, { exit_code: 0, output: "a\n" }),
    user("You can no longer call tools in this turn. Say what is done."),
  ];
  const { message } = await ask(messages, names, { toolChoice: "none" });
  assert.deepEqual(message.calls, []);
  assert.match(textOf(message), /`ls` ran without error.*Not done: `pwd`[^\n]*$/su);
});

test("messages of a background process are passed on to the user, even during other work", async () => {
  const news = "Background process proc_1 has ended: exit code 0.\nCommand: npm test\nIt wrote nothing.";
  assert.equal(textOf((await ask([user(news)])).message), news);
  const requested = await ask([user("run ls")]);
  const ended = [...requested.messages, result(requested.message, { exit_code: 0, output: "" }), user(news)];
  assert.equal(textOf((await ask(ended)).message), `\`ls\` ran without error; no output.\n\n${news}`);
});

test("an answer costs nothing and has an estimated number of tokens", async () => {
  const { events } = await ask([user("say hi")]);
  const last = events.at(-1);
  assert.ok(last?.type === "finish" && last.usage?.costUsd === 0 && last.usage.estimated && last.usage.input > 0);
});

test("a request without tools and system prompt fails, so that the caller falls back", async () => {
  const request: ModelRequest = { model: "rules", system: [], messages: [user("Sum this up")], tools: [] };
  const events = await gathered(request, new AbortController().signal);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["error"],
  );
});

test("an aborted answer ends with an error", async () => {
  const events = await gathered(requestOf([user("help")]), AbortSignal.abort());
  assert.equal(events.at(-1)?.type, "error");
});

test("any history produces the same answer every time", async () => {
  const part = fc.constantFrom(
    "run ls",
    "read a.txt and b.txt",
    "stop",
    "go on",
    "again",
    "plan: a, b",
    "mark 1 as done",
    "what?",
    "",
    "[X",
    "show it",
  );
  const message = fc.oneof(
    part.map(user),
    part.map(answer),
    fc
      .record({
        name: fc.constantFrom(...names),
        args: fc.oneof(fc.string(), fc.json()),
        id: fc.constantFrom("c1", "c2"),
      })
      .map(({ name, args, id }): Message => ({
        role: "assistant",
        content: [],
        calls: [{ id: asId<CallId>(id), name, args }],
        stop: "calls",
      })),
    fc
      .record({ id: fc.constantFrom("c1", "c2"), text: fc.oneof(fc.string(), fc.json()), failed: fc.boolean() })
      .map(({ id, text, failed }): Message => ({
        role: "tool",
        callId: asId<CallId>(id),
        name: "terminal",
        failed,
        content: [{ type: "text", text }],
      })),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(message, { maxLength: 15 }), async (messages) => {
      const request = requestOf(messages);
      const first = await gathered(request, new AbortController().signal);
      assert.equal(first.at(-1)?.type, "finish");
      assert.deepEqual(await gathered(request, new AbortController().signal), first);
    }),
    { numRuns: 200 },
  );
});

interface Answered {
  readonly message: AssistantMessage;
  readonly events: readonly AttemptEvent[];
  /** The request and the answer. */
  readonly messages: readonly Message[];
}

async function ask(messages: readonly Message[], tools = names, more: Partial<ModelRequest> = {}): Promise<Answered> {
  const events = await gathered({ ...requestOf(messages, tools), ...more }, new AbortController().signal);
  const last = events.at(-1);
  if (last?.type !== "finish") throw new Error(JSON.stringify(last));
  return { message: last.message, events, messages: [...messages, last.message] };
}

async function gathered(request: ModelRequest, signal: AbortSignal): Promise<readonly AttemptEvent[]> {
  const events: AttemptEvent[] = [];
  for await (const event of offlineProvider().stream(request, signal)) events.push(event);
  return events;
}

function requestOf(messages: readonly Message[], tools = names): ModelRequest {
  const definitions = tools.map((name) => ({ name, description: "", inputSchema: {} }));
  return { model: "rules", system: [{ text: "You are Hermes." }], messages, tools: definitions };
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function answer(text: string): Message {
  return { role: "assistant", content: [{ type: "text", text }], calls: [], stop: "end" };
}

function result({ calls }: AssistantMessage, data: object, failed = false): Message {
  const [call] = calls;
  if (!call) throw new Error("no call");
  return {
    role: "tool",
    callId: call.id,
    name: call.name,
    failed,
    content: [{ type: "text", text: JSON.stringify(data) }],
  };
}

function callsOf({ calls }: AssistantMessage): readonly (readonly [string, unknown])[] {
  return calls.map(({ name, args }) => [name, typeof args === "string" ? JSON.parse(args) : args]);
}

function textOf({ content }: AssistantMessage): string {
  return content.map((part) => (part.type === "text" ? part.text : "")).join("");
}
