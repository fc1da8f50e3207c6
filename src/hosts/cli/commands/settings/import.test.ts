import assert from "node:assert/strict";
import { mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { writeOriginalDatabase } from "../../../../../test/support/original-database.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

const first = "20260101_090000_aaaaaa";
const second = "20260102_090000_bbbbbb";

async function originalHome(folder: string): Promise<void> {
  const columns = { session_id: first, timestamp: 1_767_258_000, active: 1 };
  writeOriginalDatabase(join(folder, "state.db"), 25, {
    sessions: [
      { id: first, source: "cli", started_at: 1_767_258_000, title: "The port" },
      { id: second, source: "cli", started_at: 1_767_344_400, parent_session_id: first, archived: 1 },
    ],
    messages: [
      { ...columns, role: "user", content: "which port?" },
      { ...columns, role: "assistant", content: "6432" },
    ],
  });
  await mkdir(join(folder, "memories"));
  await writeFile(join(folder, "memories/MEMORY.md"), `The port is 6432.\n§\n${"x".repeat(2_300)}\n`);
  await mkdir(join(folder, "skills/ops/restart/scripts"), { recursive: true });
  await writeFile(
    join(folder, "skills/ops/restart/SKILL.md"),
    "---\nname: restart\ndescription: Restart it\n---\nDo it.\n",
  );
  await writeFile(join(folder, "skills/ops/restart/scripts/go.sh"), "true\n");
  await symlink("/etc/passwd", join(folder, "skills/ops/restart/scripts/link"));
  await mkdir(join(folder, "skills/.hub"));
}

test("a home of the original is previewed, then imported, and never imported twice", async () => {
  await using home = await tempHome();
  await using other = await tempHome();
  await originalHome(other.path);
  const before = await everything(other.path);
  const look = await hermes(["import", "hermes-python", other.path, "--dry-run"], { home: home.path });
  assert.match(look.out, /nothing was changed.*\nsessions: 2 sessions with 2 messages imported, 0 already here/u);
  assert.deepEqual(await readdir(home.path), []);

  const done = await hermes(["import", "hermes-python", other.path], { home: home.path });
  assert.equal(done.code, 0, done.out);
  assert.match(done.out, /memories: memory: 1 entry imported.*\n {2}skipped, it does not fit: xxx/u);
  assert.match(done.out, /skills: 1 skill imported/u);
  assert.match((await hermes(["sessions", "show", "The port"], { home: home.path })).out, /which port\?\n\n6432/u);
  assert.equal(await readFile(join(home.path, "memories/MEMORY.md"), "utf8"), "The port is 6432.\n");
  assert.deepEqual(await readdir(join(home.path, "skills/ops/restart/scripts")), ["go.sh"]);

  const again = await hermes(["import", "hermes-python", join(other.path, "state.db")], { home: home.path });
  assert.match(again.out, /sessions: 0 sessions .*2 already here/u);
  assert.match(again.out, /memory: 0 entries imported, 1 already here/u);
  assert.match(again.out, /skills: 0 skills imported; .*here: restart/u);
  assert.deepEqual(await everything(other.path), before);
});

test("in a home that both programs use, memories and skills are not copied", async () => {
  await using home = await tempHome();
  await originalHome(home.path);
  const done = await hermes(["import", "hermes-python", home.path], { home: home.path });
  assert.match(
    done.out,
    /sessions: 2 sessions.*\nmemories: both use the same folder\nskills: both use the same folder/u,
  );
});

test("a missing path, or a file that is not a store of the original, is an error with an exit code", async () => {
  await using home = await tempHome();
  const missing = await hermes(["import", "hermes-python", join(home.path, "none")], { home: home.path });
  assert.equal(missing.code, 1);
  assert.match(missing.err, /none does not exist/u);
  await writeFile(join(home.path, "other.db"), "nothing");
  const none = await hermes(["import", "hermes-python", join(home.path, "other.db"), "--only", "sessions"], {
    home: home.path,
  });
  assert.equal(none.code, 1);
  assert.equal((await hermes(["import", "hermes-python", home.path, "--only", "all"], { home: home.path })).code, 2);
});

async function everything(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).toSorted();
}
