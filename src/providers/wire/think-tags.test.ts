import assert from "node:assert/strict";
import { test } from "node:test";

import fc from "fast-check";

import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { createThinkSplitter } from "./think-tags.ts";

function split(pieces: readonly string[]): { readonly text: string; readonly reasoning: string } {
  let text = "";
  let reasoning = "";
  const splitter = createThinkSplitter({
    text: (delta) => (text += delta),
    reasoning: (delta) => (reasoning += delta),
    textSoFar: () => text,
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  const misread = splitter.misread();
  return { text: text.slice(misread), reasoning: reasoning + text.slice(0, misread) };
}

test("text between the tags is reasoning, and other text is the answer", () => {
  assert.deepEqual(split(["<think>hm</think>\n\nyes"]), { text: "yes", reasoning: "hm" });
  assert.deepEqual(split(["\n <THINKING>hm</Thinking>yes"]), { text: "\n yes", reasoning: "hm" });
  assert.deepEqual(split(["<think>a</think>b\n<reasoning>c</reasoning>d"]), { text: "b\nd", reasoning: "ac" });
  assert.deepEqual(split(["<mm:think>hm</mm:think>yes"]), { text: "yes", reasoning: "hm" });
  assert.deepEqual(split(["<思考>想想</思考>\n42"]), { text: "42", reasoning: "想想" });
  assert.deepEqual(split(["<think></think>yes"]), { text: "yes", reasoning: "" });
  assert.deepEqual(split(["<think>never closed"]), { text: "", reasoning: "never closed" });
  assert.deepEqual(split(["<think>a < b </ think></think>c"]), { text: "c", reasoning: "a < b </ think>" });
});

test("an answer that only mentions tags keeps them", () => {
  for (const text of [
    "Use the <think> tag.",
    "a <b> c",
    "```xml\n<think>\nx\n</think>\n```\n",
    "<table>\n<td>x</td>",
    "ends with <",
    "ends with\n<thin",
    "x </think> y",
    "use `<think>x</think>` here",
    "write `a</think>` so",
    "<b>x</b>",
  ])
    assert.deepEqual(split([text]), { text, reasoning: "" });
});

test("if only a closing tag occurs, everything before it is reasoning", () => {
  assert.deepEqual(split(["let me see\n</think>\n\nyes"]), { text: "yes", reasoning: "let me see\n" });
  assert.deepEqual(split(["let me see.</think>yes"]), { text: "yes", reasoning: "let me see." });
  assert.deepEqual(split(["let me see.</mm:think>yes"]), { text: "yes", reasoning: "let me see." });
});

test("long hostile texts are split in linear time", async () => {
  for (const text of [
    `${" ".repeat(100_000)}${"<".repeat(100_000)}`,
    "a </think> ".repeat(20_000),
    `\`\`\`\n${"<think>\n".repeat(25_000)}`,
    "<think></think>".repeat(14_000),
    "x\n<think></think>".repeat(12_000),
    `<think>${"</thin".repeat(34_000)}`,
  ]) {
    await assertGrowsLinearly(text.length, (size) => split([text.slice(0, size)]), text.slice(0, 30).trim());
  }
});

test("tags are recognised even if the text is split at any position", () => {
  const texts = [
    "<think>hm < </thin x</think>\n\nyes <b>\n<think>more</think>end",
    "let me see\n</think>\n\nyes",
    "```\n<think>\n```\n<thought>t</thought>x",
    "plain <think> text\n<thing>",
    "let me see a < b.</think>yes </think>",
    "a `b</think>` c</ think>",
  ];
  fc.assert(
    fc.property(fc.constantFrom(...texts), fc.array(fc.nat(70), { maxLength: 20 }), (text, cuts) => {
      const offsets = [0, ...cuts.map((cut) => Math.min(cut, text.length)).toSorted((a, b) => a - b), text.length];
      assert.deepEqual(split(offsets.slice(1).map((to, index) => text.slice(offsets[index], to))), split([text]));
    }),
  );
});
