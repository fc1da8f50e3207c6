import assert from "node:assert/strict";
import { test } from "node:test";

import { assertGrowsLinearly } from "../../../../test/support/growth.ts";
import { endsWithTextCall } from "./final-answer.ts";

test("a tool call that the model wrote as text is recognised in the format of every model family", () => {
  for (const text of [
    '<tool_call>\n{"name": "read_file", "arguments": {"path": "a"}}\n</tool_call>',
    'I will look.\n<tool_call>{"name":"a","arguments":{}}</tool_call>\n<tool_call>{"name":"b","arguments":{}}</tool_call>',
    '<tool_call>\n{"name": "cut off"',
    "<tool_call>\n<function=terminal>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>",
    "Let me see.\n<function=terminal>\n<parameter=command>ls</parameter>\n</function>",
    'assistant to=functions.terminal {"cmd": "echo hi"}',
    '<|start|>assistant<|channel|>commentary to=functions.terminal <|constrain|>json<|message|>{"cmd":"ls"}',
    '[TOOL_CALLS][{"name": "read", "arguments": {}}]',
    'I look.\n[TOOL_CALLS]read[ARGS]{"path": "a"}',
    'I look.<|tool_call|>[{"name": "read", "arguments": {}}]<|/tool_call|>',
    '<|tool_call_begin|>read:1<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|><|tool_calls_section_end|>',
    '<|python_tag|>{"name": "read", "parameters": {}}',
    "<|tool_calls_section_begin|><|tool_call_begin|>functions.read:0<|tool_call_argument_begin|>{}",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read",
    '<invoke name="read">\n<parameter name="path">a</parameter>\n</invoke>\n</function_calls>',
  ])
    assert.ok(endsWithTextCall(text), text);
});

test("an answer that only mentions tool calls stays an answer", () => {
  for (const text of [
    'Hermes writes calls so:\n```\n<tool_call>{"name": "a"}</tool_call>\n```',
    'A call is `<tool_call>{"name": "a"}</tool_call>`.',
    '<tool_call>{"name": "a"}</tool_call>\nThat is how it looks.',
    "The tag is <tool_call>.",
    "Set to=functions.terminal there.",
    "Use [TOOL_CALLS] for that.",
    "[TOOL_CALLS] marks the calls of Mistral, as in:\n[TOOL_CALLS]name[ARGS]{}\nand so on.",
    "Llama writes <|python_tag|> before its calls, `<|python_tag|>{}` for one.",
    'With `<|tool_call_begin|>read:0<|tool_call_argument_begin|>{"path": "a"}`',
    "Kimi has <|tool_calls_section_begin|> and <|tool_call_begin|>, DeepSeek <｜tool▁calls▁begin｜>.",
    '<tool_call>\n{"name": "a"}\n</tool_call>\n\nThat is how it looks.',
    'The log:\nassistant to=functions.a {\n"x": 1\n}\nand then nothing.',
    "<function=a>\n<parameter=b>\nc\n</parameter>\n</function>\n\nThat is all.",
    'As indented code:\n\n    <tool_call>{"name": "a"}</tool_call>',
    '- so:\n    ```\n<tool_call>{"name": "a"}</tool_call>',
    `\`\`\`\n${"a line of a log\n".repeat(2_000)}<tool_call>{"name": "a"}`,
    '```xml\n<invoke name="a">\n</invoke>\n```\nand so on',
    "Done.",
  ])
    assert.ok(!endsWithTextCall(text), text);
});

test("long hostile texts are checked in linear time", async () => {
  for (const text of [
    "<tool_call>{".repeat(50_000),
    "<function=a>".repeat(50_000),
    "to=functions.a{".repeat(50_000),
    " to=functions.a{".repeat(50_000),
    " to=functions.a ".repeat(50_000),
    "<|python_tag|>{".repeat(50_000),
    "<｜tool▁call▁begin｜>a<｜tool▁sep｜>".repeat(50_000),
    "[TOOL_CALLS] a ".repeat(50_000),
    '\n<invoke name="a"></invoke>'.repeat(20_000),
  ]) {
    await assertGrowsLinearly(text.length, (size) => endsWithTextCall(`${text.slice(0, size)}x`), text.slice(0, 30));
  }
});
