import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../base/ids.ts";
import type { Message } from "../../contracts/model/message.ts";
import { trajectoryOf } from "./trajectory.ts";

const facts = { tools: [], model: "m1", completed: true, at: Date.UTC(2026, 0, 2) };

test("a conversation becomes ShareGPT rows with thoughts, calls and results in tags", () => {
  const messages: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: "look" }] },
    {
      role: "assistant",
      content: [{ type: "text", text: "I look." }],
      reasoning: "Two files.",
      calls: [call("c1", '{"path":"a"}'), call("c2", "{broken")],
      stop: "calls",
    },
    result("c1", '{"content":"x"}'),
    result("c2", "plain [text"),
    { role: "assistant", content: [{ type: "text", text: "Done." }], calls: [], stop: "end" },
  ];
  const { conversations, ...row } = trajectoryOf({ ...facts, messages });
  assert.deepEqual(row, { timestamp: "2026-01-02T00:00:00.000Z", model: "m1", completed: true });
  assert.deepEqual(conversations.slice(1), [
    { from: "human", value: "look" },
    {
      from: "gpt",
      value:
        "<think>\nTwo files.\n</think>\nI look.\n" +
        '<tool_call>\n{"name":"read_file","arguments":{"path":"a"}}\n</tool_call>\n' +
        '<tool_call>\n{"name":"read_file","arguments":{"raw":"{broken"}}\n</tool_call>',
    },
    {
      from: "tool",
      value:
        '<tool_response>\n{"tool_call_id":"c1","name":"read_file","content":{"content":"x"}}\n</tool_response>\n' +
        '<tool_response>\n{"tool_call_id":"c2","name":"read_file","content":"plain [text"}\n</tool_response>',
    },
    { from: "gpt", value: "<think>\n</think>\nDone." },
  ]);
});

test("the first row contains the tools", () => {
  const tool = { name: "read_file", description: "Read a file.", inputSchema: { type: "object" } };
  const [system] = trajectoryOf({ ...facts, tools: [tool], messages: [] }).conversations;
  assert.equal(system?.from, "system");
  const tools = /<tools>\n(?<json>.*)\n<\/tools>/u.exec(system?.value ?? "")?.groups?.["json"];
  assert.deepEqual(JSON.parse(tools ?? ""), [
    { name: "read_file", description: "Read a file.", parameters: { type: "object" } },
  ]);
});

function call(id: string, args: string) {
  return { id: asId<CallId>(id), name: "read_file", args };
}

function result(id: string, text: string): Message {
  return {
    role: "tool",
    callId: asId<CallId>(id),
    name: "read_file",
    failed: false,
    content: [{ type: "text", text }],
  };
}
