// covers: src/config/profiles.ts, src/config/profile-facts.ts, src/config/distribution.ts, src/operations/settings, src/hosts/cli/commands/settings
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

test("profiles are cloned, described, renamed, exported, imported, and get their own commands", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, ".hermes");
  await mkdir(join(home, "skills", "own"), { recursive: true });
  await writeFile(join(home, "skills", "own", "SKILL.md"), "---\nname: own\n---\n");
  await writeFile(join(home, "SOUL.md"), "# Soul\n\nYou plan gardens. You like roses.\n");
  await writeFile(join(home, "config.yaml"), "model:\n  provider: custom\n  default: x\n");
  await writeFile(join(home, ".env"), "SOME_TOKEN=secret-value-1\n", { mode: 0o600 });
  await writeFile(join(home, "sessions.db"), "history");
  const hermes = async (...args: readonly string[]) => {
    const ran = await runProgram(join(root, "hermes"), [...args], {
      env: { HOME: temp.path, HERMES_HOME: undefined },
      cwd: temp.path,
    });
    return { ...ran, data: args.includes("--json") ? JSON.parse(ran.stdout) : undefined };
  };
  const inProfile = (name: string, ...path: readonly string[]) => join(home, "profiles", name, ...path);

  const created = await hermes(
    "profile",
    "create",
    "garden",
    "--clone",
    "--description",
    "for \u001b[31mplants",
    "--json",
  );
  assert.equal(created.code, 0, created.stderr);
  assert.ok(existsSync(inProfile("garden", "skills", "own", "SKILL.md")) && existsSync(inProfile("garden", "SOUL.md")));
  assert.ok(!existsSync(inProfile("garden", "sessions.db")));
  const alias = join(temp.path, ".local", "bin", "garden");
  const aliased = await runProgram(alias, ["config", "path", "--json"], {
    env: { HOME: temp.path, HERMES_HOME: undefined },
  });
  assert.match(aliased.stdout, /profiles\/garden/u, "the command runs Hermes with the profile");
  assert.ok(!(await hermes("profile", "list")).stdout.includes("\u001b[31m"));

  assert.equal(
    (await hermes("profile", "create", "bare", "--clone-from", "garden", "--no-skills", "--no-alias")).code,
    0,
  );
  assert.ok(existsSync(inProfile("bare", ".env")) && !existsSync(inProfile("bare", "skills")));
  await writeFile(inProfile("garden", "notes.txt"), "kept");
  await writeFile(inProfile("garden", "sessions.db"), "history");
  assert.equal((await hermes("profile", "create", "whole", "--clone-all", "--clone-from", "garden")).code, 0);
  assert.ok(existsSync(inProfile("whole", "notes.txt")) && !existsSync(inProfile("whole", "sessions.db")));

  assert.match((await hermes("profile", "describe", "bare")).stdout, /^bare: You plan gardens\.\n$/u);
  assert.match((await hermes("profile", "describe", "garden")).stdout, /\(kept\)/u);
  await hermes("profile", "use", "garden");
  assert.match((await hermes("profile", "rename", "garden", "plants")).stdout, /Renamed garden to plants/u);
  const shown = (await hermes("profile", "show", "--json")).data;
  assert.deepEqual([shown.name, shown.model], ["plants", "custom/x"], "the chosen profile stays chosen");
  assert.ok(!existsSync(alias) && existsSync(join(temp.path, ".local", "bin", "plants")));
  await writeFile(join(temp.path, ".local", "bin", "other"), "#!/bin/sh\n");
  assert.equal((await hermes("profile", "alias", "plants", "--name", "other")).code, 1, "files of others stay");
  assert.equal((await hermes("profile", "alias", "plants", "--remove")).code, 0);
  assert.equal((await hermes("profile", "rename", "default", "x")).code, 1);
  assert.equal((await hermes("profile", "rename", "whole", "../x")).code, 1);

  assert.equal((await hermes("profile", "export", "plants", "-o", "p.tar.gz")).code, 0);
  assert.ok(!(await runProgram("tar", ["-tzf", join(temp.path, "p.tar.gz")])).stdout.match(/\.env|sessions\.db/u));
  const imported = await hermes("profile", "import", "p.tar.gz", "--name", "copy", "--json");
  assert.equal(imported.data.name, "copy");
  assert.ok(existsSync(inProfile("copy", "skills", "own", "SKILL.md")));
  assert.equal((await hermes("profile", "import", "p.tar.gz")).code, 2, "the name is used already");
});

test("a distribution becomes a profile but cannot decide what may run, and is updated from its source", async () => {
  await using temp = await tempHome();
  const source = join(temp.path, "source");
  await mkdir(join(source, "skills", "roses"), { recursive: true });
  await writeFile(
    join(source, "distribution.yaml"),
    "name: roses\nversion: 1.0.0\ndescription: grows roses\nenv_requires: [ROSE_TOKEN]\n",
  );
  await writeFile(join(source, "SOUL.md"), "You grow roses.\n");
  await writeFile(join(source, ".env"), "STOLEN=1\n");
  await writeFile(
    join(source, "config.yaml"),
    "approvals:\n  mode: yolo\nhooks:\n  pre_tool_call: []\ndisplay:\n  markdown: false\n",
  );
  await writeFile(join(source, "skills", "roses", "SKILL.md"), "---\nname: roses\n---\n");
  const git = (...args: readonly string[]) =>
    runProgram("git", ["-c", "user.name=a", "-c", "user.email=a@example.org", ...args], { cwd: source });
  await git("init", "-q");
  await git("add", "-A", "-f");
  assert.equal((await git("commit", "-qm", "one")).code, 0);
  const hermes = (...args: readonly string[]) =>
    runProgram(join(root, "hermes"), [...args], { env: { HOME: temp.path, HERMES_HOME: undefined }, cwd: temp.path });

  const unasked = await hermes("profile", "install", `file://${source}`);
  assert.equal(unasked.code, 2);
  assert.match(unasked.stderr, /settings that are left out: approvals, hooks/u);
  const installed = await hermes("profile", "install", `file://${source}`, "--yes");
  assert.equal(installed.code, 0, installed.stderr);
  assert.match(installed.stdout, /Not installed, because only you can set them: approvals, hooks/u);
  const home = join(temp.path, ".hermes", "profiles", "roses");
  const config = await readFile(join(home, "config.yaml"), "utf8");
  assert.ok(config.includes("markdown: false") && !config.includes("yolo"));
  assert.ok(!existsSync(join(home, ".env")) && existsSync(join(home, "skills", "roses", "SKILL.md")));

  await writeFile(join(home, "config.yaml"), "display:\n  markdown: true\n");
  await writeFile(join(source, "SOUL.md"), "You grow tulips.\n");
  await git("commit", "-qam", "two");
  assert.equal((await hermes("profile", "update", "roses", "--yes")).code, 0);
  assert.match(await readFile(join(home, "SOUL.md"), "utf8"), /tulips/u);
  assert.match(await readFile(join(home, "config.yaml"), "utf8"), /markdown: true/u, "settings stay");

  await symlink("/etc/passwd", join(source, "skills", "roses", "passwd"));
  assert.match(
    (await hermes("profile", "install", source, "--name", "linked", "--yes")).stderr,
    /is a link or a special file/u,
  );
  await writeFile(join(source, "distribution.yaml"), "name: evil\ndistribution_owned: ['../..', .env]\n");
  assert.match((await hermes("profile", "install", source, "--yes")).stderr, /must not name/u);
  await writeFile(join(source, "distribution.yaml"), "name: late\nhermes_requires: '>=99.0.0'\n");
  assert.match((await hermes("profile", "install", source, "--yes")).stderr, /needs Hermes 99\.0\.0/u);
});
