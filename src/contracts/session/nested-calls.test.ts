import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type EntryId, type SessionId } from "../../base/ids.ts";
import { fail, text } from "../tool/tool-result.ts";
import { nestedCallReader } from "./nested-calls.ts";
import type { Entry, EntryBody } from "./session.ts";

const id = (name: string) => asId<CallId>(name);

function placed(bodies: readonly EntryBody[]): readonly Entry[] {
  return bodies.map((body, index) => ({ ...body, id: asId<EntryId>(`e${index}`), at: 0 }));
}

const planned = (callId: string, parent?: string): EntryBody => ({
  type: "planned",
  call: {
    callId: id(callId),
    ...(parent !== undefined && { parentCallId: id(parent) }),
    sessionId: asId<SessionId>("s"),
    tool: "read_file",
    args: { path: callId },
    effects: [],
    origin: "script",
    principal: { id: "local:test" },
  },
});

test("nested calls are read with their arguments, seconds and outcome; calls by the model are ignored", () => {
  const read = nestedCallReader();
  const entries = placed([
    planned("outer"),
    planned("a", "outer"),
    {
      type: "settled",
      callId: id("a"),
      parentCallId: id("outer"),
      tool: "read_file",
      result: text("x"),
      durationMs: 1234,
    },
    { type: "settled", callId: id("b"), parentCallId: id("outer"), tool: "nope", result: fail("no"), durationMs: 0 },
    { type: "settled", callId: id("outer"), tool: "execute_code", result: text("x"), durationMs: 5 },
  ]);
  const about = { type: "sandbox_tool_call", parent: "outer" } as const;
  assert.deepEqual(
    entries.flatMap((entry) => read(entry) ?? []),
    [
      { ...about, tool: "read_file", args: { path: "a" }, duration: 1.234, failed: false, call: "a" },
      { ...about, tool: "nope", args: {}, duration: 0, failed: true, call: "b" },
    ],
  );
});
