import assert from "node:assert/strict";
import { test } from "node:test";

import { checkPatchLine } from "../../src/tools/files/patch/check-lines.ts";

/** Files by path, as `hermes check patches` has them. */
export type Files = Readonly<Record<string, string>>;

/** The text of a patch with its first and last line. */
export function patchOf(...lines: readonly string[]): string {
  return ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
}

/** The answer of `hermes check patches`. Asserts the properties of every answer. */
export function answerTo(before: Files, patch: string): { ok: boolean; files: Files; error?: string } {
  const { line } = checkPatchLine(JSON.stringify({ id: 1, files_before: before, patch }));
  const answer = JSON.parse(line) as { id: number; ok: boolean; files: Files; error?: string };
  assert.equal(answer.id, 1);
  assert.equal(answer.ok, answer.error === undefined);
  if (!answer.ok) assert.deepEqual(answer.files, before, "a refused patch leaves the files as they were");
  return answer;
}

/** Tests that the patch turns `before` into `after`. */
export function makes(name: string, before: Files, patch: string, after: Files): void {
  test(name, () => {
    const answer = answerTo(before, patch);
    assert.deepEqual(answer.error ?? answer.files, after);
  });
}

/** Tests that a patch of one file, `f`, turns `before` into `after`. */
export function testOneFilePatch(name: string, before: string, hunks: readonly string[], after: string): void {
  makes(name, { f: before }, patchOf("*** Update File: f", ...hunks), { f: after });
}

/** Tests that the patch is rejected with this message, which names the line. */
export function refuses(name: string, before: Files, patch: string, message: RegExp): void {
  test(name, () => {
    const answer = answerTo(before, patch);
    assert.match(answer.error ?? `applied: ${JSON.stringify(answer.files)}`, message);
    assert.match(answer.error ?? "", /^line \d+: /u);
  });
}

/** Like `refuses`, for hunks of the single file `f`; their first line is line 3 of the patch. */
export function refusesHunks(name: string, before: string, hunks: readonly string[], message: RegExp): void {
  refuses(name, { f: before }, patchOf("*** Update File: f", ...hunks), message);
}
