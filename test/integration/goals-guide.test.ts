// covers: docs/guide, src/commands/goals, src/goals
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../support/fake-clock.ts";
import { guideBlocks } from "../support/guide-blocks.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { slashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

test("every example in the guide to goals runs as written", async () => {
  await using home = await tempHome();
  const page = await readFile(join(import.meta.dirname, "..", "..", "docs", "guide", "goals.md"), "utf8");
  // A judge that always wants more, and a plan with one step.
  const model = scriptedModel((request) =>
    request.system.length === 0 ? { text: '{"done": false, "reason": "more"}' } : { text: "1. one step" },
  );
  await using rig = await slashSession({ folder: home.path, model, clock: fakeClock() });
  let lines = 0;
  for (const block of guideBlocks(page).text) {
    // A goal with a contract has several lines; other blocks have a command in each line.
    const commands = block.includes("\noutcome:") ? [block.trim()] : block.trim().split("\n");
    for (const line of commands) {
      if (line.startsWith("/plan") && rig.session.goals.status().goal) await rig.command("/goal clear");
      if (line === "/plan show" || line === "/plan approve") await rig.noticed(/This is the plan/u);
      const reply = await rig.command(line);
      assert.notEqual(reply.failed, true, `${line}: ${reply.text}`);
      lines += 1;
    }
    const { goal } = rig.session.goals.status();
    if (block.includes("\noutcome:")) assert.equal(goal?.contract.verification, "npm test passes");
  }
  assert.ok(lines > 15);
  assert.equal(rig.session.planning.status(), undefined);
});
