// covers: src/skills
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";

import { systemClock } from "../../src/base/clock.ts";
import { syncBundled } from "../../src/skills/bundled/sync-bundled.ts";
import { collectSkills } from "../../src/skills/skill-collection.ts";
import { createSkillKeeper } from "../../src/skills/skill-keeper.ts";
import { tempHome } from "../support/temp-home.ts";

const { signal } = new AbortController();
const program = join(import.meta.dirname, "..", "support", "endless-skill-edits.ts");
const bundled = join(import.meta.dirname, "..", "..", "skills");

test("a program that is killed while it changes skills leaves whole files, its history, and no lock", async () => {
  await using folder = await tempHome();
  const home = join(folder.path, "skills");
  for (const ms of [0, 5, 20, 60, 150, 300]) {
    const child = spawn(process.execPath, [program, home, bundled], { stdio: ["ignore", "pipe", "inherit"] });
    const ended = once(child, "exit");
    // The first two are killed while the bundled skills are copied.
    if (ms > 5) await Promise.race([once(child.stdout, "data"), ended]);
    await wait(ms === 0 ? 250 : ms === 5 ? 400 : ms);
    child.kill("SIGKILL");
    await ended;
    const file = join(home, "mine", "SKILL.md");
    if (!existsSync(file)) continue;
    const text = readFileSync(file, "utf8");
    const end = /end (\d+)\n$/u.exec(text)?.[1];
    assert.ok(end !== undefined && text.split(`line ${end}\n`).length === 2_001, "a half file");
  }
  const judge = async () => undefined;
  const shelf = () => collectSkills({ home, roots: [{ path: home, kind: "home" }], judge, version: "1" });
  const keeper = createSkillKeeper({
    home,
    shelf,
    judge,
    clock: systemClock,
    keepEntries: 20,
    mustApprove: false,
    isPinned: () => false,
  });
  const synced = await syncBundled({ bundled, home, clock: systemClock }, signal);
  assert.ok(synced.ok);
  const names = (await shelf()).skills.map(({ name }) => name);
  for (const name of readdirSync(join(bundled, "development")).filter((each) => !each.endsWith(".md")))
    assert.ok(names.includes(name), name);
  assert.ok(names.includes("mine"));
  assert.ok(keeper.history("mine").length > 0);
  // The last entry may have been recorded but not applied: `force` accepts that.
  const undone = await keeper.undo("mine", { force: true }, signal);
  assert.ok(undone.ok, undone.ok ? "" : undone.error.message);
});
