import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { placeStagedSkills } from "./place-staged.ts";

const skill = (name: string, body = "Do it.") => `---\nname: ${name}\ndescription: How to do it\n---\n${body}\n`;

async function rig(): Promise<
  AsyncDisposable & {
    readonly path: string;
    write(path: string, text: string): void;
    read(path: string): string;
    place(names?: ReadonlyMap<string, string>): Promise<readonly string[]>;
  }
> {
  const folder = await tempHome();
  const pathOf = (path: string) => join(folder.path, path);
  mkdirSync(pathOf("stage"));
  return {
    path: folder.path,
    write(path, text) {
      mkdirSync(dirname(pathOf(path)), { recursive: true });
      writeFileSync(pathOf(path), text);
    },
    read: (path) => readFileSync(pathOf(path), "utf8"),
    place: (names = new Map()) =>
      placeStagedSkills({
        staging: pathOf("stage"),
        recordFile: pathOf("placed.json"),
        home: pathOf("skills"),
        names: async () => names,
        judge: async (entries) =>
          entries.some((entry) => entry.kind === "file" && Buffer.from(entry.bytes).includes("EVIL")) ? "evil" : "",
      }),
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

test("a skill that a plugin staged is placed once; a newer version replaces it unless the user edited it", async () => {
  await using home = await rig();
  assert.deepEqual(await home.place(), []);
  home.write("stage/my-plugin/SKILL.md", skill("my-plugin"));
  home.write("stage/my-plugin/references/old.md", "old");
  assert.match((await home.place()).join(), /my-plugin was placed/u);
  assert.equal(home.read("skills/my-plugin/references/old.md"), "old");
  assert.deepEqual(await home.place(), []);
  home.write("stage/my-plugin/SKILL.md", skill("my-plugin", "Better."));
  rmSync(join(home.path, "stage/my-plugin/references"), { recursive: true });
  await home.place();
  assert.match(home.read("skills/my-plugin/SKILL.md"), /Better/u);
  assert.ok(!existsSync(join(home.path, "skills/my-plugin/references")));
  home.write("skills/my-plugin/SKILL.md", skill("my-plugin", "Mine."));
  home.write("stage/my-plugin/SKILL.md", skill("my-plugin", "Best."));
  await home.place();
  assert.match(home.read("skills/my-plugin/SKILL.md"), /Mine/u);
});

test("a staged skill that the user deleted is not restored, and the user's own skill is never replaced", async () => {
  await using home = await rig();
  home.write("stage/a/SKILL.md", skill("a"));
  home.write("stage/b/SKILL.md", skill("b"));
  home.write("skills/b/SKILL.md", skill("b", "Mine."));
  await home.place();
  rmSync(join(home.path, "skills/a"), { recursive: true });
  home.write("stage/a/SKILL.md", skill("a", "Again."));
  await home.place();
  assert.ok(!existsSync(join(home.path, "skills/a")));
  assert.match(home.read("skills/b/SKILL.md"), /Mine/u);
});

test("a dangerous staged skill, a name in use and a link that leaves the folder are not placed", async () => {
  await using home = await rig();
  home.write("stage/evil/SKILL.md", skill("evil", "EVIL"));
  home.write("stage/taken/SKILL.md", skill("notes"));
  home.write("outside/SKILL.md", skill("outside"));
  symlinkSync(join(home.path, "outside"), join(home.path, "stage/outside"));
  const notes = (await home.place(new Map([["notes", "/elsewhere/notes"]]))).join("\n");
  assert.match(notes, /evil was not placed: evil/u);
  assert.match(notes, /taken was not placed: \/elsewhere\/notes has the name notes/u);
  for (const name of ["evil", "taken", "outside"]) assert.ok(!existsSync(join(home.path, "skills", name)), name);
});

test("a plugin cannot fill the skill library without limit", async () => {
  await using home = await rig();
  for (let index = 100; index < 160; index++) home.write(`stage/s${index}/SKILL.md`, skill(`s${index}`));
  assert.match((await home.place()).join(), /Only the first 50 of its skills are placed/u);
  assert.deepEqual(
    [existsSync(join(home.path, "skills/s149")), existsSync(join(home.path, "skills/s150"))],
    [true, false],
  );
});
