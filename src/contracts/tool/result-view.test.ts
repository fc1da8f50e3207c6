import assert from "node:assert/strict";
import { test } from "node:test";

import { viewResult } from "./result-view.ts";
import { fail, text } from "./tool-result.ts";

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
