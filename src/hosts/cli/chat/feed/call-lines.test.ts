import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../../../base/ids.ts";
import { finishedView } from "../../../../contracts/tool/result-view.ts";
import { createPaint } from "../../paint.ts";
import { endedCallLines } from "./call-lines.ts";

test("image files that a call created are listed below it, without control characters", () => {
  const file = (path: string, mimeType: string) => ({ type: "file", path, mimeType }) as const;
  const content = [
    file("/w/one.png", "image/png"),
    file("/w/\u001b[2Jtwo.png", "image/png"),
    file("/w/a.mp3", "audio/mpeg"),
  ];
  const view = finishedView({ ok: true, value: { content } });
  assert.deepEqual(view.pictures, ["/w/one.png", "/w/\u001b[2Jtwo.png"]);
  const call = {
    type: "call",
    callId: asId<CallId>("1"),
    name: "draw",
    args: {},
    startedAt: 0,
    printed: [],
    isRepeat: false,
  } as const;
  const look = { paint: createPaint(false), columns: 60, emoji: () => "x" };
  const lines = endedCallLines(call, { ...view, durationMs: 1 }, look).join("\n");
  assert.ok(lines.includes("/w/one.png") && lines.includes("two.png") && !lines.includes("\u001b"));
});
