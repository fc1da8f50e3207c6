// covers: src/base/files, src/tools/files, src/environments, src/checkpoints, src/skills, src/store, src/kernel/prompt
import assert from "node:assert/strict";
import { test } from "node:test";

import { raceCases } from "../support/race-cases.ts";

for (const [name, race] of Object.entries(raceCases))
  test(`${name}: a folder that is replaced by a link during the call is not followed`, async () => {
    const { leaks, escaped } = await race(25);
    assert.deepEqual({ leaks, escaped }, { leaks: 0, escaped: [] });
  });
