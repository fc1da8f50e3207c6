import assert from "node:assert/strict";
import { test } from "node:test";

import { finishedView, viewResult } from "./result-view.ts";
import { fail, json, text } from "./tool-result.ts";

const fenced = (body: string) =>
  `<untrusted_tool_result source="web_search">\nA notice for the model.\n${body}\n</untrusted_tool_result>`;

test("people see untrusted text without the markers that are meant for models", () => {
  assert.equal(
    viewResult(text(fenced("Page: Shop <https://shop.test/>\nheading"))).summary,
    "Page: Shop <https://shop.test/> heading",
  );
  assert.equal(viewResult(fail(fenced("The page has no button."))).summary, "The page has no button.");
  assert.equal(viewResult(text("plain <untrusted_tool_result x>")).summary, "plain <untrusted_tool_result x>");
});

test("an event has the last lines of a long output, and counts the lines before them", () => {
  const lines = Array.from({ length: 3000 }, (_, index) => `line ${index + 1}`);
  const { output = "", linesBefore = 0 } = finishedView(json({ exit_code: 0, output: lines.join("\n") }));
  assert.ok(output.length <= 8000 && output.endsWith("line 3000"));
  assert.deepEqual(lines.slice(linesBefore), output.split("\n"));
  assert.equal(finishedView(json({ exit_code: 0, output: "x".repeat(9000) })).output?.length, 8000);
  assert.equal(finishedView(json({ exit_code: 0, output: "short" })).linesBefore, undefined);
});
