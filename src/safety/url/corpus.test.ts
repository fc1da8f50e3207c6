// covers: test/fixtures/urls
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { checkUrlLine } from "./check-lines.ts";

/** Returns the URLs of a corpus that get a wrong verdict, and the number of URLs. */
function wrong(expected: "allow" | "block"): { readonly wrong: readonly string[]; readonly of: number } {
  const file = new URL(`../../../test/fixtures/urls/${expected}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").trim().split("\n");
  return { wrong: lines.filter((line) => JSON.parse(checkUrlLine(line).line).verdict !== expected), of: lines.length };
}

test("at least 99.8 % of the bad URLs in the corpus are blocked, and at most 0.2 % of the others", () => {
  for (const expected of ["block", "allow"] as const) {
    const mistakes = wrong(expected);
    assert.ok(mistakes.wrong.length / mistakes.of <= 0.002, mistakes.wrong.join("\n"));
  }
});
