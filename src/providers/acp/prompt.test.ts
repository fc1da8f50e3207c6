import assert from "node:assert/strict";
import { test } from "node:test";

import { asId } from "../../base/ids.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { ModelRequest } from "../../contracts/model/model.ts";
import { createToolWriter } from "../protocols/wire-tools.ts";
import { writePrompt } from "./prompt.ts";

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const tool = {
  name: "read_file",
  description: "Reads a file.",
  inputSchema: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};
const baseRequest: ModelRequest = {
  model: "m",
  system: [{ text: "Be brief." }],
  messages: [user("hello")],
  tools: [],
  conversation: "c1",
};

async function blocks(request: Partial<ModelRequest>, seesImages = false) {
  const tools = await createToolWriter("openai")(request.tools ?? []);
  return writePrompt({ ...baseRequest, ...request }, tools, seesImages);
}

async function prompt(request: Partial<ModelRequest>, seesImages = false): Promise<string> {
  return (await blocks(request, seesImages)).map((block) => (block.type === "text" ? block.text : "(image)")).join("");
}

const withCalls: readonly Message[] = [
  user("look"),
  {
    role: "assistant",
    content: [{ type: "text", text: "I look." }],
    stop: "calls",
    calls: [
      { id: asId("a"), name: "read_file", args: '{"path":"a"}' },
      { id: asId("b"), name: "read_file", args: { path: "b" } },
    ],
  },
  { role: "tool", callId: asId("b"), name: "read_file", failed: true, content: [{ type: "text", text: "no b" }] },
  { role: "tool", callId: asId("a"), name: "read_file", failed: false, content: [] },
];

test("the prompt contains instructions, tools and the conversation with its calls and results", async () => {
  const text = await prompt({ messages: withCalls, tools: [tool] });
  const mark = /\[([0-9a-f]{8}) user\]\nlook/u.exec(text)?.[1] ?? "";
  const part = (heading: string) => text.split(`[${mark} ${heading}]\n`)[1]?.split(`\n\n[${mark}`)[0];
  assert.equal(part("instructions"), "Be brief.");
  assert.match(
    part("tools") ?? "",
    /<tool_call>\{"name"[\s\S]*\n\{"name":"read_file","description":"Reads a file\.","parameters":\{/u,
  );
  assert.equal(
    part("assistant"),
    'I look.\n<tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>\n<tool_call>{"name":"read_file","arguments":{"path":"b"}}</tool_call>',
  );
  assert.equal(part('result of call 2: "read_file", failed'), "no b");
  assert.equal(part('result of call 1: "read_file"'), "(no output)");
  assert.match(part("your task") ?? "", /next message/u);
});

test("without tools the prompt does not mention calls, and a request can forbid calls", async () => {
  assert.doesNotMatch(await prompt({}), /tool_call/u);
  assert.match(await prompt({ tools: [tool], toolChoice: "none" }), /Call no tool in it\.$/u);
});

test("a longer conversation starts with the same bytes, and each conversation has its own marker", async () => {
  const end = /\n\n\[[0-9a-f]{8} your task\][\s\S]*$/u;
  const before = (await prompt({ tools: [tool] })).replace(end, "");
  const after = await prompt({ tools: [tool], messages: [user("hello"), ...withCalls] });
  assert.ok(after.startsWith(before));
  const other = await prompt({ conversation: "c2" });
  assert.notEqual(/\[[0-9a-f]{8} user\]/u.exec(other)?.[0], /\[[0-9a-f]{8} user\]/u.exec(before)?.[0]);
});

test("images are separate blocks if the program supports them, and otherwise notes", async () => {
  const image = { type: "image", mimeType: "image/png", data: "AAAA" } as const;
  const messages: readonly Message[] = [{ role: "user", content: [{ type: "text", text: "see" }, image] }];
  assert.deepEqual((await blocks({ messages }, true))[1], image);
  assert.equal((await blocks({ messages }, true)).length, 3);
  assert.match(await prompt({ messages }), /see\n\[an image that this model cannot see\]/u);
});

test("half of a surrogate pair is not sent to the program", async () => {
  assert.ok((await prompt({ messages: [user("a\ud800b")], system: [{ text: "\udc00" }] })).isWellFormed());
});
