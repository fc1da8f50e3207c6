import assert from "node:assert/strict";
import { test } from "node:test";

import { labelNames } from "./container-plan.ts";
import { expiredContainers } from "./docker-environment.ts";

const now = 1_000_000_000_000;
const minute = 60_000;

function container(id: string, status: string, endedAgo: number | undefined, keptSeconds = 0) {
  return {
    id,
    status,
    labels: keptSeconds === 0 ? {} : { [labelNames.kept]: String(keptSeconds) },
    createdAt: now - 100 * minute,
    ...(endedAgo !== undefined && { finishedAt: now - endedAgo }),
  };
}

test("dead containers are removed after ten minutes, kept ones after their retention, running ones never", () => {
  const matches = [
    container("running", "running", undefined),
    container("just ended", "exited", 9 * minute),
    container("ended", "exited", 11 * minute),
    container("never started", "created", undefined),
    container("kept", "exited", 11 * minute, 3_600),
    container("kept too long", "exited", 61 * minute, 3_600),
    container("strange label", "dead", 11 * minute, Number.NaN),
  ];
  assert.deepEqual(expiredContainers(matches, now), ["ended", "never started", "kept too long", "strange label"]);
});

test("of many stopped containers that are kept for reuse, only the newest stay", () => {
  const result = Array.from({ length: 14 }, (_, index) =>
    container(`${index}`, "exited", (20 + index) * minute, 86_400),
  );
  assert.deepEqual(expiredContainers(result, now), ["10", "11", "12", "13"]);
});
