// Edits one skill repeatedly until it is killed. Arguments: the skill folder, a folder with bundled skills.
import { systemClock } from "../../src/base/clock.ts";
import { syncBundled } from "../../src/skills/bundled/sync-bundled.ts";
import { collectSkills } from "../../src/skills/skill-collection.ts";
import { createSkillKeeper } from "../../src/skills/skill-keeper.ts";

const [home = "", bundled = ""] = process.argv.slice(2);
const { signal } = new AbortController();
const judge = async () => undefined;
const keeper = createSkillKeeper({
  home,
  shelf: () => collectSkills({ home, roots: [{ path: home, kind: "home" }], judge, version: "1" }),
  judge,
  clock: systemClock,
  keepEntries: 20,
  mustApprove: false,
  isPinned: () => false,
});
await syncBundled({ bundled, home, clock: systemClock }, signal);
for (let index = 0; ; index++) {
  const content = `---\nname: mine\ndescription: Edited.\n---\n${`line ${index}\n`.repeat(2_000)}end ${index}\n`;
  const action = index === 0 ? "create" : "edit";
  const created = await keeper.change({ action, name: "mine", content }, { author: "model" }, signal);
  if (!created.ok && created.error.kind !== "invalid") throw new Error(created.error.message);
  process.stdout.write(".");
}
