// covers: src/installation, src/operations/upkeep/update.ts, src/hosts/cli/commands/upkeep/update.ts, hermes
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { installPackage } from "../support/installed-package.ts";
import { killUpdate } from "../support/killed-updates.ts";
import { runProgram } from "../support/run-program.ts";
import { tarball } from "../support/tar-file.ts";
import { tempHome } from "../support/temp-home.ts";

const root = join(import.meta.dirname, "..", "..");

describe("hermes update", { concurrency: 2 }, () => {
  test("installs beside the old version, checks, switches and rolls back; a broken version and a kill -9 change nothing", async () => {
    await using temp = await tempHome();
    const installed = await installPackage(temp.path, true);
    const { launcher, env } = installed;
    const hermes = (...args: readonly string[]) =>
      runProgram(launcher, args, { env, cwd: temp.path, timeoutMs: 300_000 });
    const version = async () => (await hermes("--version")).stdout.trim();
    const first = await version();

    const next = await installed.pack("100.0.0");
    await mkdir(env["HERMES_HOME"] ?? "", { recursive: true });
    await writeFile(join(env["HERMES_HOME"] ?? "", "config.yaml"), "updates:\n  pre_update_backup: true\n");
    const updated = await hermes("update", next, "--json");
    assert.equal(updated.code, 0, updated.stderr);
    const backups = await readdir(join(env["HERMES_HOME"] ?? "", "backups"));
    assert.match(backups.join(), /^hermes-backup-.*-before-update-.*\.tar\.gz$/u);
    assert.equal(JSON.parse(updated.stdout).to, "100.0.0");
    assert.equal(await version(), "hermes 100.0.0");
    assert.match((await hermes("update", next)).stdout, /100\.0\.0 is up to date/u);

    const back = await hermes("update", "--rollback");
    assert.match(back.stdout, /Switched back from 100\.0\.0/u);
    assert.equal(await version(), first);
    assert.match((await hermes("update", "--rollback", "--json")).stdout, /"to":"100\.0\.0"/u, "and forward again");

    const handmade = async (number: string, program: string) => {
      const file = join(temp.path, `${number}.tgz`);
      const manifest = JSON.stringify({ name: "hermes-agent-ts", version: number, type: "module" });
      const launch = '#!/bin/sh\nexec node "${0%/*}/dist/hermes.js" "$@"\n';
      const entries = { "package.json": manifest, hermes: launch, "dist/hermes.js": program };
      const packed = Object.entries(entries).map(([path, text]) => ({ path: `package/${path}`, text, mode: 0o755 }));
      await writeFile(file, tarball(packed));
      return file;
    };
    const onlyVersion = 'console.log("hermes 100.0.1"); process.exitCode = Number(process.argv[2] !== "--version");';
    const broken = await handmade("100.0.1", onlyVersion);
    const refused = await hermes("update", broken);
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, /100\.0\.1 does not work here: `hermes tools list` fails/u);
    assert.equal(await version(), "hermes 100.0.0");

    const older = await handmade("1.0.0", "");
    const blocked = await hermes("update", older);
    assert.equal(blocked.code, 2);
    assert.match(blocked.stderr, /1\.0\.0 is older than 100\.0\.0/u);
    await writeFile(join(temp.path, "not-a-package.tgz"), "text");
    assert.equal((await hermes("update", "not-a-package.tgz")).code, 1);
    assert.match((await hermes("update", "missing.tgz")).stderr, /missing\.tgz/u);

    const newer = await installed.pack("100.0.2");
    let active = "100.0.0";
    for (const after of ["start", "place"] as const) {
      const { version: started, fault } = await killUpdate(installed, newer, { after, ms: 500 }, after === "start");
      assert.equal(fault, undefined);
      assert.ok(started === active || started === "100.0.2", `killed after ${after}: ${started}`);
      active = started;
    }
    await installed.update(newer);
    assert.equal(await version(), "hermes 100.0.2");
    const versions = join(installed.root, "versions");
    const left = (await readdir(versions)).filter((name) => name.startsWith("hermes-"));
    assert.deepEqual(left, [], "folders of killed updates are removed");

    const [name = ""] = (await readFile(join(versions, "active"), "utf8")).split("\n");
    await rm(join(versions, name), { recursive: true });
    assert.equal(await version(), first, "without the active version, the first one starts");
    for (const hostile of ["../../evil", "/tmp", ".", "100/../x"]) {
      await writeFile(join(versions, "active"), `${hostile}\n`);
      assert.equal(await version(), first);
    }
  });

  test("a clone is updated with git, and uncommitted changes block the update with exit code 2", async () => {
    await using temp = await tempHome();
    const upstream = join(temp.path, "upstream");
    const clone = join(temp.path, "clone");
    const git = async (cwd: string, ...args: readonly string[]) => {
      const identity = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"];
      const ran = await runProgram("git", [...identity, ...args], { cwd });
      assert.equal(ran.code, 0, ran.stderr);
      return ran.stdout.trim();
    };
    await mkdir(upstream);
    // A clone in which `hermes` is already built, and whose launcher prints its arguments.
    for (const name of ["dist", "node_modules", "package.json"]) await symlink(join(root, name), join(upstream, name));
    await mkdir(join(upstream, "src", "bin"), { recursive: true });
    await writeFile(join(upstream, "src", "bin", "hermes.ts"), "");
    const launcher = (code: number) => `#!/bin/sh\n[ "$1" = --version ] && { echo building >&2; exit ${code}; }\n`;
    const commit = async (code: number) => {
      await writeFile(join(upstream, "hermes"), launcher(code));
      await chmod(join(upstream, "hermes"), 0o755);
      await git(upstream, "add", "-A");
      await git(upstream, "commit", "-qm", `ends with ${code}`, "--allow-empty");
      return git(upstream, "rev-parse", "HEAD");
    };
    await git(upstream, "init", "-q", "-b", "main");
    const old = await commit(0);
    await git(temp.path, "clone", "-q", upstream, clone);
    const { updateClone, inspectClone } = await import("../../src/installation/update-clone.ts");
    const { systemClock: clock } = await import("../../src/base/clock.ts");
    const options = { env: process.env, signal: new AbortController().signal, clock, report() {} };
    const inspect = async () => {
      const state = await inspectClone(clone, options);
      assert.ok(state.ok);
      return state.value;
    };
    assert.equal((await inspect()).behind, 0);
    const good = await commit(0);
    assert.deepEqual(await inspect(), { commit: old, target: good, behind: 1 });
    await writeFile(join(clone, "package.json.tmp"), "untracked files are not in the way");
    await rm(join(clone, "package.json"));
    const dirty = await updateClone(clone, await inspect(), options);
    assert.ok(!dirty.ok && dirty.error.isBlocked && /uncommitted changes: package\.json/u.test(dirty.error.message));
    await git(clone, "checkout", "-q", "--", "package.json");
    assert.deepEqual(await updateClone(clone, await inspect(), options), { ok: true, value: undefined });
    assert.equal(await git(clone, "rev-parse", "HEAD"), good);

    await commit(3);
    const broken = await updateClone(clone, await inspect(), options);
    assert.ok(!broken.ok && /does not build: building\nThe clone is as it was\./u.test(broken.error.message));
    assert.equal(await git(clone, "rev-parse", "HEAD"), good);
    await git(clone, "commit", "-qm", "own work", "--allow-empty");
    const diverged = await inspectClone(clone, options);
    assert.ok(!diverged.ok && diverged.error.isBlocked);
  });
});
