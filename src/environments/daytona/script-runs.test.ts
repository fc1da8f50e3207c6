import assert from "node:assert/strict";
import { test } from "node:test";

import { readReport, scriptRuns } from "./script-runs.ts";

const position = { id: "00ff", piece: 3, controlBytes: 10 };

test("the report is found among other shell output", () => {
  const report = readReport("sh: warning\n00ff:end:3:5:aGk=:ZXJy:\n", position);
  assert.deepEqual(report, {
    is: "ended",
    exitCode: 3,
    output: Buffer.from("hi"),
    control: Buffer.from("err"),
    next: { id: "00ff", piece: 5, controlBytes: 13 },
  });
  assert.equal(readReport("00ff:void:::::", position)?.is, "void");
  assert.equal(readReport("00ff:run::3:::", position)?.is, "running");
});

test("a truncated response or a response to another request is not accepted as a report", () => {
  for (const text of ["", "00ff:end:0:5:aGk", "abcd:end:0:5:::", "sh: not found"])
    assert.equal(readReport(text, position), undefined);
});

test("old and new toolboxes parse every command the same way", () => {
  const runs = scriptRuns("/tmp/it's");
  const request = { waitMs: 1_000, done: ["aa"] };
  const script = `echo 'x' "$y"`;
  for (const command of [
    runs.prepare(),
    runs.begin({ id: "00ff", script, hasInput: true }, request),
    runs.ask(position, request),
    runs.forget(request),
  ]) {
    assert.match(command, /^sh -c '[^']+'$/u);
    assert.ok(!command.includes("\n"));
  }
});
