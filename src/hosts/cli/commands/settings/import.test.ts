import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { writeOriginalDatabase } from "../../../../../test/support/original-database.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { type ZipFile, zipArchive } from "../../../../../test/support/zip-archive.ts";

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
  const other = await hermes(["import", home.path], { home: home.path });
  assert.match(other.err, /state\.db does not exist, so this is not a home of Hermes in Python\./u);
  await writeFile(join(home.path, "other.db"), "nothing");
  const none = await hermes(["import", "hermes-python", join(home.path, "other.db"), "--only", "sessions"], {
    home: home.path,
  });
  assert.equal(none.code, 1);
  assert.equal((await hermes(["import", "hermes-python", home.path, "--only", "all"], { home: home.path })).code, 2);
});

/** A backup as the original writes it: the files of its home, without the sidecars of databases. */
async function backupOf(folder: string, more: readonly ZipFile[] = []): Promise<Buffer> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const read = await Promise.all(
    files.map(async (file) => ({ path: relative(folder, file), bytes: await readFile(file) })),
  );
  return zipArchive([...read, ...more]);
}

test("a backup of the original is shown first, then imported, and replaces nothing silently", async () => {
  await using home = await tempHome();
  await using other = await tempHome();
  await originalHome(other.path);
  const settings = "_config_version: 9\nmodel:\n  default: qwen3\ndisplay:\n  skin: mono\n  old_key: 1\n";
  await writeFile(join(other.path, "config.yaml"), `${settings}approvals:\n  mode: off\ntelegram: {}\n`);
  await writeFile(join(other.path, "SOUL.md"), "You are calm.\n");
  await writeFile(join(other.path, ".env"), "OPENROUTER_API_KEY=sk-or-12345678\n");
  const file = join(other.path, "../backup.zip");
  const more = [
    { path: "cron/jobs.json", bytes: "[]" },
    { path: "profiles/office/SOUL.md", bytes: "x" },
    { path: "skills/ops/restart/scripts/out", bytes: "/etc/passwd", mode: 0o120777 },
  ];
  await writeFile(file, await backupOf(other.path, more));
  await writeFile(join(home.path, "SOUL.md"), "Mine.\n");
  await writeFile(join(home.path, "config.yaml"), "display:\n  skin: ares\n");
  try {
    const shown = await hermes(["import", file], { home: home.path });
    assert.equal(shown.code, 2, shown.err);
    assert.match(shown.err, /sessions: 2 sessions with 2 messages[^]*SOUL\.md: the file exists here[^]*Pass --yes/u);
    assert.match(shown.err, /approvals: set it here yourself[^]*telegram: this version does not use it/u);
    assert.match(shown.err, /key OPENROUTER_API_KEY: keys are imported only with --migrate-secrets/u);
    assert.match(shown.err, /not imported: cron\nnot imported: the profiles office\./u);
    assert.deepEqual((await readdir(home.path)).toSorted(), ["SOUL.md", "config.yaml"]);

    const done = await hermes(["import", file, "--force", "--migrate-secrets"], { home: home.path });
    assert.equal(done.code, 0, done.err);
    assert.match((await hermes(["sessions", "show", "The port"], { home: home.path })).out, /which port\?\n\n6432/u);
    assert.deepEqual(await readdir(join(home.path, "skills/ops/restart/scripts")), ["go.sh"]);
    assert.equal(await readFile(join(home.path, "SOUL.md"), "utf8"), "Mine.\n");
    const config = await readFile(join(home.path, "config.yaml"), "utf8");
    assert.match(config, /skin: ares/u);
    assert.match(config, /default: qwen3/u);
    assert.doesNotMatch(config, /old_key|approvals/u);
    assert.match(await readFile(join(home.path, ".env"), "utf8"), /OPENROUTER_API_KEY/u);
    const again = await hermes(["import", file, "--yes"], { home: home.path });
    assert.match(again.out, /sessions: 0 sessions .*2 already here/u);
    assert.match(
      (await hermes(["import", file, "--only", "settings", "--overwrite", "-y"], { home: home.path })).out,
      /SOUL/u,
    );
    assert.equal(await readFile(join(home.path, "SOUL.md"), "utf8"), "You are calm.\n");
    assert.ok((await readdir(home.path)).some((name) => name.startsWith("SOUL.md.before-import-")));
  } finally {
    await rm(file, { force: true });
  }
});

test("a hostile or damaged ZIP file is refused as a whole, and leaves nothing behind", async () => {
  await using home = await tempHome();
  await using other = await tempHome();
  const file = join(other.path, "backup.zip");
  const soul = { path: "SOUL.md", bytes: "You are calm." };
  const zeros = Buffer.alloc(3_000_000);
  const whole = zipArchive([soul, { path: "skills/a/SKILL.md", bytes: zeros }]);
  const cases: readonly (readonly [Buffer, RegExp])[] = [
    [zipArchive([soul, { path: "../outside.txt", bytes: "x" }]), /"\.\.\/outside\.txt" leaves its folder/u],
    [zipArchive([soul, { path: "/etc/cron.d/x", bytes: "x" }]), /not a path below the home/u],
    [zipArchive([soul, { path: "skills\\..\\x", bytes: "x" }]), /not a path below the home/u],
    [zipArchive([soul, { path: "Soul.md", bytes: "x" }]), /twice/u],
    [zipArchive([soul, { path: "skills/a/SKILL.md", bytes: zeros, claimedSize: 9 }]), /does not match its size/u],
    [zipArchive([soul, { path: "state.db", bytes: "x", claimedSize: 3_000_000_000 }]), /unpacks to far more bytes/u],
    [zipArchive([{ path: "notes.txt", bytes: "x" }]), /not a backup of Hermes in Python/u],
    [whole.subarray(0, whole.length - 40), /not a ZIP archive, or its end is missing/u],
    [Buffer.from("hello"), /not a ZIP archive/u],
  ];
  for (const [bytes, reason] of cases) {
    await writeFile(file, bytes);
    const refused = await hermes(["import", file, "--yes"], { home: home.path });
    assert.equal(refused.code, 1, String(reason));
    assert.match(refused.err, reason);
  }
  assert.deepEqual(await readdir(home.path), []);
  const typo = await hermes(["import", "claudecode"], { home: home.path });
  assert.match(typo.err, /"claudecode" is neither a program nor a file[^]*claude-code/u);
});

async function everything(folder: string): Promise<readonly string[]> {
  return (await readdir(folder, { recursive: true })).toSorted();
}
