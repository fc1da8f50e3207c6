// covers: src/backup, src/operations/upkeep/backup.ts, src/hosts/cli/commands/upkeep/backup.ts, src/operations/settings/load-settings.ts
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { gunzipSync } from "node:zlib";

import { readBackup } from "../../src/backup/read-backup.ts";
import { sourceFlags } from "../support/child-process.ts";
import { eventually } from "../support/eventually.ts";
import { runProgram } from "../support/run-program.ts";
import { atTerminal } from "../support/talking-program.ts";
import { tarball, type TarEntry } from "../support/tar-file.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");
const secret = "sk-live-0123456789abcdefghij";

async function place(folder: string) {
  const home = join(folder, "home");
  await mkdir(join(home, "memories"), { recursive: true, mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "display:\n  markdown: false\n");
  await writeFile(join(home, "memories", "MEMORY.md"), "the sky is green\n");
  await writeFile(join(home, ".env"), `WEATHER_API_TOKEN=${secret}\n`, { mode: 0o600 });
  await mkdir(join(home, "profiles", "work", "skills", "own"), { recursive: true });
  await writeFile(join(home, "profiles", "work", "skills", "own", "SKILL.md"), "---\nname: own\n---\n");
  const env = { HERMES_HOME: home, HOME: folder };
  const hermes = (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    runProgram(join(root, "hermes"), args, { env: { ...env, ...more }, cwd: folder });
  return { home, env, hermes, file: join(folder, "b.tar.gz") };
}

function hasSession(path: string): boolean {
  try {
    using database = new DatabaseSync(path, { readOnly: true });
    return database.prepare("SELECT 1 FROM sessions LIMIT 1").get() !== undefined;
  } catch {
    return false;
  }
}

describe("backup and restore", { concurrency: 2 }, () => {
  test("a backup made during writes is consistent, restores exactly and can be undone; secrets need the passphrase", async () => {
    await using temp = await tempHome();
    const { home, hermes, file } = await place(temp.path);
    assert.equal((await hermes(["-z", "remember the green sky"])).code, 0);
    // Data that a running program has written only to the write-ahead log.
    using busy = new DatabaseSync(join(home, "busy.db"));
    busy.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3)");
    await symlink("/etc/hostname", join(home, "a-link"));
    // A running shell keeps its pipes here.
    await mkdir(join(home, "hermes-shells-0"));
    await symlink("/etc/hostname", join(home, "hermes-shells-0", "pipe-1"));
    const created = await hermes(["backup", "-o", file, "-l", "a note", "--json"], {
      HERMES_BACKUP_PASSPHRASE: "open sesame",
    });
    assert.equal(created.code, 0, created.stderr);
    const reply = JSON.parse(created.stdout);
    assert.equal(reply.secrets, "encrypted");
    assert.deepEqual(reply.omitted, ["a-link"]);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.ok(!gunzipSync(await readFile(file)).includes(secret), "no secret is readable in the file");
    busy.close();

    await writeFile(join(home, "config.yaml"), "display:\n  markdown: true\n");
    await writeFile(join(home, ".env"), "WEATHER_API_TOKEN=other\n");
    await writeFile(join(home, "memories", "MEMORY.md"), "the sky is red\n");
    await writeFile(join(home, "later.txt"), "written after the backup");
    await rm(join(home, "profiles", "work", "skills"), { recursive: true });
    await mkdir(join(home, "profiles", "newer"));
    await mkdir(join(home, "logs"), { recursive: true });
    await writeFile(join(home, "logs", "agent.log"), "stays");
    const before = await hermes(["sessions", "list", "--all", "--json"]);

    const wrong = await hermes(["restore", file, "--yes"], { HERMES_BACKUP_PASSPHRASE: "wrong" });
    assert.equal(wrong.code, 1);
    assert.match(wrong.stderr, /Nothing was changed: the passphrase is wrong/u);
    assert.match(await readFile(join(home, "memories", "MEMORY.md"), "utf8"), /red/u);
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith("restore-")),
      [],
    );

    const restored = await hermes(["restore", file, "--yes"], { HERMES_BACKUP_PASSPHRASE: "open sesame" });
    assert.equal(restored.code, 0, restored.stderr);
    assert.match(await readFile(join(home, "config.yaml"), "utf8"), /markdown: false/u);
    assert.match(await readFile(join(home, ".env"), "utf8"), new RegExp(secret, "u"));
    assert.ok(existsSync(join(home, "profiles", "work", "skills", "own", "SKILL.md")));
    assert.ok(existsSync(join(home, "profiles", "newer")), "a profile that the backup does not have stays");
    assert.ok(!existsSync(join(home, "later.txt")));
    assert.ok(existsSync(join(home, "logs", "agent.log")));
    using copy = new DatabaseSync(join(home, "busy.db"));
    assert.equal(copy.prepare("SELECT count(*) AS n FROM t").get()?.["n"], 3);
    copy.close();
    const sessions = await hermes(["sessions", "list", "--all", "--json"]);
    assert.equal(sessions.stdout, before.stdout);
    assert.equal((await hermes(["-z", "hello"])).code, 0, "and Hermes works");

    assert.equal((await hermes(["restore", "--undo"])).code, 0);
    assert.match(await readFile(join(home, ".env"), "utf8"), /other/u);
    assert.ok(existsSync(join(home, "later.txt")) && !existsSync(join(home, "profiles", "work", "skills")));
    assert.equal((await hermes(["restore", "--undo"])).code, 0, "undoing twice restores the backup again");
    assert.match(await readFile(join(home, "memories", "MEMORY.md"), "utf8"), /green/u);
  });

  test("a backup without a passphrase excludes secrets, and the home keeps its own; a running Hermes blocks a restore", async () => {
    await using temp = await tempHome();
    const { home, hermes, file, env } = await place(temp.path);
    assert.equal(JSON.parse((await hermes(["backup", "-q", "-o", file, "--json"])).stdout).secrets, "left out");
    assert.equal((await hermes(["backup", "-o", file])).code, 1, "an existing file is not overwritten");
    await writeFile(join(home, ".env"), "A=1\n");
    assert.equal((await hermes(["restore", file])).code, 2, "without a terminal it needs --yes");
    assert.equal((await hermes(["restore", file, "--yes"])).code, 0);
    assert.equal(await readFile(join(home, ".env"), "utf8"), "A=1\n");
    const chat = spawn(join(root, "hermes"), ["chat", "--cli"], {
      env: { ...process.env, ...env },
      cwd: temp.path,
      stdio: ["pipe", "ignore", "ignore"],
    });
    const ended = new Promise((resolve) => chat.once("exit", resolve));
    chat.stdin.write("hello\n");
    await eventually(() => hasSession(join(home, "sessions.db")));
    const blocked = await hermes(["restore", file, "--yes"]);
    chat.kill("SIGKILL");
    await ended;
    assert.match(blocked.stderr, /A Hermes process uses/u);
    await writeFile(join(home, "state.db"), "of the Python version");
    assert.match((await hermes(["restore", file, "--yes"])).stderr, /Hermes in Python also uses/u);
  });

  test("at a terminal, backup asks for a passphrase only if the home has secrets", async () => {
    await using temp = await tempHome();
    const { home, env, file } = await place(temp.path);
    await using asked = atTerminal(["backup", "-o", file], temp.path, env);
    await asked.until(/Passphrase for the secrets/u);
    asked.type("\r");
    assert.equal(await asked.code, 0);
    await rm(join(home, ".env"));
    await using second = atTerminal(["backup", "-o", `${file}.2`], temp.path, env);
    await second.until(/There are no secrets in the home/u);
    assert.equal(await second.code, 0);
    assert.doesNotMatch(second.said(), /Passphrase/u);
  });

  test("restoring a hostile or damaged archive changes nothing", async () => {
    await using temp = await tempHome();
    const { home, hermes, file } = await place(temp.path);
    assert.equal((await hermes(["backup", "-o", file])).code, 0);
    const entry = (path: string, text: string | Uint8Array = "x", more: Partial<TarEntry> = {}) => ({
      path,
      text,
      ...more,
    });
    const manifest = (files: Readonly<Record<string, string | Uint8Array>>) => {
      const listed = Object.entries(files).map(([path, text]) => ({
        path,
        size: text.length,
        mode: 0o600,
        sha256: createHash("sha256").update(text).digest("hex"),
      }));
      const facts = { format: 1, createdAt: 0, version: "0.0.0", profile: "default", isQuick: false, secrets: "none" };
      return entry("manifest.json", JSON.stringify({ ...facts, files: listed }));
    };
    const good = await readFile(file);
    const flipped = Buffer.from(good);
    flipped[Math.floor(flipped.length / 2)] = (flipped[Math.floor(flipped.length / 2)] ?? 0) ^ 0xff;
    const hostile: Readonly<Record<string, Uint8Array>> = {
      outside: tarball([entry("files/../../evil"), manifest({ "../../evil": "x" })]),
      absolute: tarball([entry("files//etc/evil"), manifest({ "/etc/evil": "x" })]),
      elsewhere: tarball([entry("evil"), manifest({ evil: "x" })]),
      link: tarball([entry("files/config.yaml", "", { type: "2", target: "/etc/passwd" }), manifest({})]),
      hardLink: tarball([entry("files/config.yaml", "", { type: "1", target: "/etc/passwd" }), manifest({})]),
      device: tarball([entry("files/null", "", { type: "3" }), manifest({})]),
      twice: tarball([entry("files/A"), entry("files/a"), manifest({ A: "x", a: "x" })]),
      changed: tarball([entry("files/a", "y"), manifest({ a: "x" })]),
      more: tarball([entry("files/a"), entry("files/b"), manifest({ a: "x" })]),
      less: tarball([manifest({ a: "x" })]),
      unfinished: tarball([entry("files/a")]),
      afterwards: tarball([manifest({}), entry("files/a")]),
      bomb: tarball([entry("files/a", "x", { size: 2 ** 31 }), manifest({ a: "x" })]),
      controls: tarball([entry("files/a\u001b[2J"), manifest({ "a\u001b[2J": "x" })]),
      flipped,
      truncated: good.subarray(0, good.length - 30),
      text: Buffer.from("not an archive"),
      empty: Buffer.alloc(0),
    };
    const path = join(temp.path, "hostile.tar.gz");
    for (const [name, bytes] of Object.entries(hostile)) {
      await writeFile(path, bytes);
      const target = join(temp.path, "target", name, "new");
      await mkdir(target, { recursive: true });
      const read = await readBackup(path, target, new AbortController().signal);
      assert.ok(!read.ok && /cannot be used/u.test(read.error.message), `${name}: ${JSON.stringify(read)}`);
      assert.ok(!read.error.message.includes("\u001b"), name);
    }
    assert.ok(
      !existsSync(join(temp.path, "target", "evil")) && !existsSync(join(temp.path, "target", "outside", "evil")),
    );
    await writeFile(path, hostile["outside"] ?? "");
    const refused = await hermes(["restore", path, "--yes"]);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /leaves its folder/u);
    assert.match(await readFile(join(home, "config.yaml"), "utf8"), /markdown: false/u);
    assert.ok(!existsSync(join(temp.path, "evil")));
    assert.deepEqual(
      (await readdir(home)).filter((name) => name.startsWith("restore-")),
      [],
    );
    await mkdir(join(temp.path, "read-only"));
    await chmod(join(temp.path, "read-only"), 0o500);
    if (process.getuid?.() !== 0)
      assert.equal((await hermes(["backup", "-o", join(temp.path, "read-only", "b")])).code, 1);
  });

  test("the next start finishes a killed restore, which can still be undone", async () => {
    await using temp = await tempHome();
    const { home, hermes } = await place(temp.path);
    const names = Array.from({ length: 600 }, (_, index) => `entry-${index}`);
    const module = join(root, "src", "backup", "restore-home.ts");
    for (const afterMs of [0, 10, 40]) {
      const stage = `restore-${afterMs}`;
      await mkdir(join(home, stage, "new"), { recursive: true });
      for (const name of names) {
        await writeFile(join(home, name), "old");
        if (!name.endsWith("7")) await writeFile(join(home, stage, "new", name), `new ${afterMs}`);
      }
      const plan = { stage, units: names.map((path) => ({ path, hasNew: !path.endsWith("7") })) };
      const script = `import { carryOut } from ${JSON.stringify(module)}; process.stdout.write("ready"); await carryOut(${JSON.stringify(home)}, ${JSON.stringify(plan)});`;
      const child = spawn(process.execPath, [...sourceFlags, "--input-type=module", "-e", script], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      const ended = new Promise((resolve) => child.once("exit", resolve));
      await new Promise((resolve) => child.stdout.once("data", resolve));
      while (!existsSync(join(home, "restore-plan.json")) && child.exitCode === null) await pause(1);
      await pause(afterMs);
      child.kill("SIGKILL");
      await ended;
      assert.equal((await hermes(["config", "get", "display.markdown"])).code, 0);
      assert.ok(!existsSync(join(home, "restore-plan.json")));
      for (const name of names) {
        const text = await readFile(join(home, name), "utf8").catch(() => "absent");
        assert.equal(text, name.endsWith("7") ? "absent" : `new ${afterMs}`);
      }
      assert.equal((await hermes(["restore", "--undo"])).code, 0);
      for (const name of names) assert.equal(await readFile(join(home, name), "utf8"), "old");
    }
  });
});
