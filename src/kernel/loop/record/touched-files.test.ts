import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId } from "../../../base/ids.ts";
import { fail, text } from "../../../contracts/tool/tool-result.ts";
import { createTouchedFiles } from "./touched-files.ts";

test("only calls that had an effect mark their files as read or written", () => {
  const files = createTouchedFiles();
  const ended = (path: string, result: Parameters<typeof files.ended>[1]) => {
    files.started(asId<CallId>(path), [{ kind: "write", path }]);
    files.ended(asId<CallId>(path), result);
  };
  ended("/written", text("done"));
  ended("/refused", fail("no", "blocked"));
  ended("/half", fail("late", "timeout", { effect: "unknown" }));
  files.started(asId<CallId>("/running"), [{ kind: "write", path: "/running" }]);
  assert.deepEqual(files.list(), [
    { path: "/written", how: "written" },
    { path: "/half", how: "written" },
  ]);
});
