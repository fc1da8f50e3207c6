// covers: src/base/files, src/agents/worktrees, src/tools/files, src/environments, src/checkpoints, src/skills, src/store, src/kernel/prompt
import assert from "node:assert/strict";
import { test } from "node:test";

import { removeTree } from "../../src/base/files/remove-tree.ts";
import { raceCases } from "../support/race-cases.ts";
import { raceRemovals } from "../support/removal-races.ts";

for (const [name, race] of Object.entries(raceCases))
  test(`${name}: a folder that is replaced by a link during the call is not followed`, async () => {
    const { leaks, escaped } = await race(25);
    assert.deepEqual({ leaks, escaped }, { leaks: 0, escaped: [] });
  });

test("removing a tree deletes nothing behind a link that replaces one of its folders", async () => {
  assert.equal(await raceRemovals(25, removeTree), 0);
});
