import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createToolCallSplitter } from "./calls-in-text.ts";

interface Cut {
  readonly text: string;
  readonly calls: readonly (readonly [string, string])[];
}

function cut(...pieces: readonly string[]): Cut {
  let text = "";
  const calls: [string, string][] = [];
  const cutter = createToolCallSplitter({
    text: (delta) => void (text += delta),
    call: (name, args) => void calls.push([name, args]),
  });
  for (const piece of pieces) cutter.push(piece);
  cutter.end();
  return { text, calls };
}

const call = (name: string, args: unknown) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;

test("a call is removed from the text, and the text around it is kept", () => {
  assert.deepEqual(cut(`I look.\n${call("read_file", { path: "a" })}\nDone.`), {
    text: "I look.\nDone.",
    calls: [["read_file", '{"path":"a"}']],
  });
});

test("several calls in an answer keep their order, even with white space and line breaks inside and between them", () => {
  const spaced = '<tool_call>\n{\n "name": "b",\n "arguments": {"n": 2}\n}\n</tool_call>';
  assert.deepEqual(cut(`${call("a", { n: 1 })}\n\n${spaced}  ${call("c", {})}`), {
    text: "",
    calls: [
      ["a", '{"n":1}'],
      ["b", '{"n":2}'],
      ["c", "{}"],
    ],
  });
});

test("one pair of tags may contain a list of calls", () => {
  const list = JSON.stringify([{ name: "a", arguments: {} }, { name: "b" }]);
  assert.deepEqual(cut(`<tool_call>${list}</tool_call>`).calls, [
    ["a", "{}"],
    ["b", "{}"],
  ]);
});

test("a closing tag inside an argument is part of the argument", () => {
  const args = { content: 'he said "</tool_call>" and \\ <tool_call>{' };
  assert.deepEqual(cut(call("write_file", args)), { text: "", calls: [["write_file", JSON.stringify(args)]] });
});

for (const [what, text] of [
  ["in a code block", '```xml\n<tool_call>{"name":"a"}</tool_call>\n```\nlike this'],
  ["in an indented code block with tildes", '  ~~~\n<tool_call>{"name":"a"}</tool_call>\n  ~~~'],
  ["between backticks", 'write `<tool_call>{"name":"a"}</tool_call>` to call'],
  ["without JSON behind it", "the tag <tool_call> begins a call and </tool_call> ends it"],
  ["of another name", '<tool_calls>{"name":"a"}</tool_calls> <tool>{}</tool>'],
  ["at the very end", "a < b and <tool_ca"],
  ["with nothing but blanks behind it", "x <tool_call>  \n"],
] as const) {
  test(`a tag ${what} stays text`, () => assert.deepEqual(cut(text), { text, calls: [] }));
}

test("a call that follows a code block is recognised", () => {
  const code = "```ts\nconst a = '<b>';\n```\n";
  assert.deepEqual(cut(`${code}${call("a", {})}`), { text: code, calls: [["a", "{}"]] });
});

test("an answer that ends inside a call contains the call with partial arguments", () => {
  assert.deepEqual(cut('ok <tool_call>{"name":"write_file","arguments":{"path":"a","content":"abc'), {
    text: "ok ",
    calls: [["write_file", '{"path":"a","content":"abc']],
  });
  assert.deepEqual(cut('<tool_call>{"name":"a","arguments":{"n":1}}').calls, [["a", '{"n":1}']]);
});

test("invalid JSON becomes a call with unparsed arguments, and later calls are still recognised", () => {
  const broken = '<tool_call>{"name": "a", "arguments": {"x": "unclosed}}</tool_call>';
  assert.deepEqual(cut(`${broken} then ${call("b", { n: 1 })}`), {
    text: "then ",
    calls: [
      ["a", '{"x": "unclosed}'],
      ["b", '{"n":1}'],
    ],
  });
  assert.deepEqual(cut("<tool_call>{nothing}</tool_call>").calls, [["", "{nothing}"]]);
  assert.deepEqual(cut('<tool_call>{"arguments":{}}</tool_call>').calls.length, 1);
});

test("arguments that the model wrote as text stay text", () => {
  assert.deepEqual(cut('<tool_call>{"name":"a","arguments":"{\\"n\\":1}"}</tool_call>').calls, [["a", '{"n":1}']]);
});

const word = fc.constantFrom("word", " ", "\n", "<", "</", "`", "<tool", "a<b", "é", "</tool_call>", "{", '"', "```\n");
const part = fc.oneof(
  fc.array(word, { maxLength: 6 }).map((words) => words.join("")),
  fc
    .tuple(fc.string({ minLength: 1 }), fc.dictionary(fc.string(), fc.oneof(fc.string(), word)))
    .map(([name, args]) => call(name, args)),
  fc.constant('<tool_call>{"name":"x","arguments":{"a":"'),
);

test("the result does not depend on the chunks of the stream", () => {
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), fc.array(fc.nat({ max: 12 }), { maxLength: 80 }), (parts, sizes) => {
      const whole = parts.join("");
      const pieces: string[] = [];
      let offset = 0;
      for (const size of sizes) {
        pieces.push(whole.slice(offset, offset + size));
        offset += size;
      }
      pieces.push(whole.slice(offset));
      assert.deepEqual(cut(...pieces), cut(whole));
      assert.deepEqual(cut(...whole.split("")), cut(whole));
    }),
  );
});

test("all calls between plain words are recognised, with their arguments", () => {
  const words = fc.stringMatching(/^[a-z ,.]{0,20}$/u);
  const arbitrary = fc.tuple(words, fc.stringMatching(/^[a-z_]{1,12}$/u), fc.dictionary(fc.string(), fc.jsonValue()));
  fc.assert(
    fc.property(fc.array(arbitrary, { maxLength: 5 }), (list) => {
      const usable = list.filter(([, , args]) => !JSON.stringify(args).includes('"__proto__"'));
      const whole = usable.map(([text, name, args]) => `${text}${call(name, args)}`).join("");
      const { calls } = cut(...whole.split(""));
      const expected = usable.map(([, name, args]) => [name, JSON.stringify(JSON.parse(JSON.stringify(args)))]);
      assert.deepEqual(calls, expected);
    }),
  );
});

test("the time to parse a text with a call in small chunks grows linearly with its length", async () => {
  await assertGrowsLinearly(500_000, (size) => {
    const args = { content: "<x".repeat(size) };
    const whole = `${"< a ".repeat(size / 2)}${call("w", args)}`;
    const pieces = Array.from({ length: Math.ceil(whole.length / 100) }, (_, index) =>
      whole.slice(index * 100, index * 100 + 100),
    );
    assert.equal(cut(...pieces).calls[0]?.[1].length, JSON.stringify(args).length);
  });
});
