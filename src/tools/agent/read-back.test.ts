import assert from "node:assert/strict";
import { test } from "node:test";

import { call, dispatchRig } from "../../../test/support/dispatch-rig.ts";
import { err, ok } from "../../base/result.ts";
import type { ToolResult } from "../../contracts/tool/tool-result.ts";
import readBack from "./read-back.tool.ts";

const whole = `${"a".repeat(25_000)}END`;

async function read(args: { readonly id: string; readonly offset?: number }): Promise<ToolResult> {
  const rig = dispatchRig([readBack]);
  const transcript = {
    read: async (id: string) =>
      id === "e7"
        ? ok({ about: "result of terminal", text: whole })
        : err({ message: `There is nothing with the id ${id}.` }),
  };
  return rig.dispatcher.dispatch(call("read_back", { ...args }), rig.scope({ services: { transcript } }));
}

const textOf = (result: ToolResult) =>
  result.ok
    ? result.value.content.map((part) => (part.type === "text" ? part.text : "")).join("")
    : result.error.message;

test("a long original is read page by page", async () => {
  const first = textOf(await read({ id: "e7" }));
  assert.ok(first.startsWith("[e7: result of terminal]\naaa"));
  assert.match(first, /\[5003 characters more: offset 20000\]$/u);
  const second = textOf(await read({ id: "e7", offset: 20_000 }));
  assert.ok(second.endsWith("aEND"));
});

test("an unknown id, and an offset beyond the end, are rejected with a hint", async () => {
  assert.match(textOf(await read({ id: "e8" })), /nothing with the id e8/u);
  assert.match(textOf(await read({ id: "e7", offset: 99_999 })), /25003 characters/u);
});
