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

test("the answer comes in deltas and says what it is", async () => {
  const { message, events } = await ask([user("who are you?")]);
  const deltas = events.flatMap((event) => (event.type === "text" ? [event.delta] : []));
  assert.ok(deltas.length > 3);
  assert.equal(deltas.join(""), textOf(message));
  assert.match(textOf(message), /rule-based, no AI/u);
  assert.equal(message.stop, "end");
});

test("what is not understood is said so, with the examples that come nearest", async () => {
  const { message } = await ask([user("make my life better")]);
  assert.match(textOf(message), /rule-based, no AI\. I do not understand "make my life better"\..*Say "help"/su);
  assert.deepEqual(message.calls, []);
});

test("a request becomes a call, its result a report", async () => {
  const asked = await ask([user("run `false`")]);
  assert.deepEqual(callsOf(asked.message), [["terminal", { command: "false" }]]);
  const { message } = await ask([...asked.messages, result(asked.message, { exit_code: 1, output: "", error: null })]);
  assert.equal(textOf(message), "`false` failed with exit code 1; there is no output.");
});

test("reading several files is asked for at once, changing one after another", async () => {
  const reads = await ask([user("read a.txt, b.txt and c.txt")]);
  assert.equal(reads.message.calls.length, 3);
  const writes = await ask([user("write x to a.txt and write y to b.txt")]);
  assert.deepEqual(callsOf(writes.message), [["write_file", { path: "a.txt", content: "x\n" }]]);
});

test("after a failure the rest is left undone and named; go on does it", async () => {
  const asked = await ask([user("read a.txt and then run ls")]);
  const failed = await ask([...asked.messages, result(asked.message, { error: "a.txt does not exist" }, true)]);
  assert.match(textOf(failed.message), /^That did not work \(`a\.txt`\): a\.txt does not exist\n\nNot done: run ls\./u);
  const again = await ask([...failed.messages, user("go on")]);
  assert.deepEqual(callsOf(again.message), [["terminal", { command: "ls" }]]);
});

test("a denial is told as one, without the advice for models", async () => {
  const asked = await ask([user("delete the folder src")]);
  const error = "Denied: nobody is here to ask. Do not try it again, do not rephrase it.";
  const { message } = await ask([...asked.messages, result(asked.message, { error, cause: "nobody" }, true)]);
  assert.equal(textOf(message), "I was not allowed to do that (`rm -r -- src`): Denied: nobody is here to ask.");
});

test("what is said in the middle of the work is heard", async () => {
  const asked = await ask([user("run sleep 1 and then run ls")]);
  const running = [...asked.messages, result(asked.message, { exit_code: 0, output: "" })];
  const stopped = await ask([...running, user("stop")]);
  assert.deepEqual(stopped.message.calls, []);
  assert.match(textOf(stopped.message), /Stopped: nothing more is done\./u);
  const instead = await ask([...running, user("no, read a.txt instead")]);
  assert.deepEqual(callsOf(instead.message), [["read_file", { path: "a.txt" }]]);
  const more = await ask([...running, user("also run pwd")]);
  assert.deepEqual(callsOf(more.message), [["terminal", { command: "ls" }]]);
  const strange = await ask([...running, user("sing")]);
  assert.deepEqual(callsOf(strange.message), [["terminal", { command: "ls" }]]);
});

test("what was stopped is over: the next request is done, also the same one", async () => {
  const asked = await ask([user("run sleep 9")]);
  const stopped = [...asked.messages, result(asked.message, { error: "terminal was cancelled while it ran" }, true)];
  for (const command of ["ls", "sleep 9"]) {
    const { message } = await ask([...stopped, user(`run ${command}`)]);
    assert.deepEqual(callsOf(message), [["terminal", { command }]]);
  }
});

test("it means the file of the last request", async () => {
  const before: Message[] = [user("read notes.txt"), answer("notes.txt (1 line)"), user("delete it")];
  assert.deepEqual(callsOf((await ask(before)).message), [["terminal", { command: "rm -- notes.txt" }]]);
});

test("again does the last request once more", async () => {
  const { message } = await ask([user("run date"), answer("done"), user("do that again")]);
  assert.deepEqual(callsOf(message), [["terminal", { command: "date" }]]);
});

test("a name that a shell would take apart stays one word", async () => {
  const { message } = await ask([user(`delete "a'; rm -rf ~ #.txt"`)]);
  assert.deepEqual(callsOf(message), [["terminal", { command: `rm -- 'a'\\''; rm -rf ~ #.txt'` }]]);
});

test("a tool that is not shown is searched for, then called through tool_call, or said to be missing", async () => {
  const asked = await ask([user("remember that I like tea")]);
  assert.deepEqual(callsOf(asked.message), [["tool_search", { query: "memory" }]]);
  const none = await ask([...asked.messages, result(asked.message, { matches: [] })]);
  assert.match(textOf(none.message), /needs the tool memory, which is not there/u);
  const found = await ask([
    ...asked.messages,
    result(asked.message, { matches: [{ name: "memory", description: "" }] }),
  ]);
  const args = { action: "add", target: "memory", content: "I like tea" };
  assert.deepEqual(callsOf(found.message), [["tool_call", { name: "memory", arguments: args }]]);
  const kept = await ask([...found.messages, result(found.message, { success: true })]);
  assert.equal(textOf(kept.message), "I wrote down: I like tea");
});

test("what was remembered is recalled before earlier conversations are searched", async () => {
  const tools = ["memory", "session_search"];
  const asked = await ask([user("what do you remember about the port?")], tools);
  assert.deepEqual(callsOf(asked.message), [["memory", { target: "memory" }]]);
  const notes = { entries: ["The port is 5432", "I like tea"] };
  const second = await ask([...asked.messages, result(asked.message, notes)], tools);
  const third = await ask([...second.messages, result(second.message, { entries: [] })], tools);
  assert.deepEqual(callsOf(third.message), [["session_search", { query: "the port" }]]);
  const last = await ask([...third.messages, result(third.message, { results: [] })], tools);
  assert.equal(
    textOf(last.message),
    'My notes about "the port":\n- The port is 5432\n\nEarlier conversations have nothing about "the port".',
  );
});

test("without file tools the terminal is used", async () => {
  const { message } = await ask([user("read 'my notes.txt'")], ["terminal"]);
  assert.deepEqual(callsOf(message), [["terminal", { command: "cat -- 'my notes.txt'" }]]);
});

test("when no tool may be called it says what is done and what is not", async () => {
  const asked = await ask([user("run ls and then run pwd")]);
  const so = [
    ...asked.messages,
    result(asked.message, { exit_code: 0, output: "a\n" }),
    user("You cannot call tools any more in this turn. Say what is done."),
  ];
  const { message } = await ask(so, names, { toolChoice: "none" });
  assert.deepEqual(message.calls, []);
  assert.match(textOf(message), /`ls` ran without error.*Not done: run pwd[^\n]*$/su);
});

test("what a process in the background tells is passed on, also in the middle of other work", async () => {
  const note = "Background process proc_1 has ended: exit code 0.\nCommand: npm test\nIt wrote nothing.";
  assert.equal(textOf((await ask([user(note)])).message), note);
  const asked = await ask([user("run ls")]);
  const ended = [...asked.messages, result(asked.message, { exit_code: 0, output: "" }), user(note)];
  assert.equal(textOf((await ask(ended)).message), `\`ls\` ran without error; there is no output.\n\n${note}`);
});

test("what it is told costs nothing and is counted roughly", async () => {
  const { events } = await ask([user("say hi")]);
  const last = events.at(-1);
  assert.ok(last?.type === "finish" && last.usage?.costUsd === 0 && last.usage.estimated && last.usage.input > 0);
});

test("questions of the program itself are turned down, so that it finds another way", async () => {
  const request: ModelRequest = { model: "rules", system: [], messages: [user("Sum this up")], tools: [] };
  const events = await gathered(request, new AbortController().signal);
  assert.deepEqual(
    events.map(({ type }) => type),
    ["error"],
  );
});

test("a stopped answer ends", async () => {
  const events = await gathered(requestOf([user("help")]), AbortSignal.abort());
  assert.equal(events.at(-1)?.type, "error");
});

test("any history is answered, the same history always in the same way", async () => {
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

interface Asked {
  readonly message: AssistantMessage;
  readonly events: readonly AttemptEvent[];
  /** With the answer. */
  readonly messages: readonly Message[];
}

async function ask(messages: readonly Message[], tools = names, more: Partial<ModelRequest> = {}): Promise<Asked> {
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
