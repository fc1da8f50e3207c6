import assert from "node:assert/strict";
import { test } from "node:test";

import { noticeText } from "./notice-text.ts";

test("a notice keeps its lines and shows control characters by their numbers", () => {
  assert.equal(noticeText("Done:\n\n❯ a\u001b[2J"), "Done:\n\n  ❯ a\\x1b[2J");
});
