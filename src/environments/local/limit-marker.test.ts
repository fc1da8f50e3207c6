import assert from "node:assert/strict";
import { test } from "node:test";

import { createLimitMarker, markerOfLimits } from "./limit-marker.ts";

test("two runs have different markers", () => {
  const [one, other] = [createLimitMarker(), createLimitMarker()];
  assert.match(one.marker, /^size-\d+$/u);
  assert.notEqual(one.marker, other.marker);
});

test("the marker of a process is read from its hard limit for file sizes", () => {
  const limits = (hard: string) =>
    `Limit  Soft Limit  Hard Limit  Units\nMax cpu time unlimited unlimited seconds\nMax file size             512      ${hard}      bytes     \n`;
  assert.equal(markerOfLimits(limits("1024")), "size-1024");
  assert.equal(markerOfLimits(limits("unlimited")), undefined);
  assert.equal(markerOfLimits(""), undefined);
});
