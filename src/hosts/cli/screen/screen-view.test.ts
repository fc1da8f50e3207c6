import assert from "node:assert/strict";
import { test } from "node:test";

import { fakeClock } from "../../../../test/support/fake-clock.ts";
import { createScreenView } from "./screen-view.ts";

test("a picture that waits for a slow terminal stays above the text that comes after it", () => {
  const written: string[] = [];
  const finished = ["the call"];
  const terminal = {
    space: { columns: 80, rows: 24 },
    isReady: false,
    isConfirmed: true,
    draw: (lines: readonly string[]) => void written.push(...lines),
    insert: (bytes: string) => void written.push(bytes),
  };
  const view = createScreenView({
    clock: fakeClock(),
    terminal: () => terminal,
    transcript: { takeFinished: () => finished.splice(0), live: () => [], redrawAfterMs: () => undefined },
    editor: { draw: () => ({ lines: [] }) },
    panel: () => undefined,
    theme: () => ({ dim: (text) => text }),
    queue: () => [],
    status: () => [],
    failed: (thrown) => assert.fail(String(thrown)),
  });
  view.insert("the picture");
  finished.push("the answer");
  view.redraw();
  assert.deepEqual(written, []);
  terminal.isReady = true;
  view.drawNow();
  assert.deepEqual(written, ["the call", "the picture", "the answer"]);
});
