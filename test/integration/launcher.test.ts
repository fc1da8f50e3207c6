// covers: hermes, scripts
import assert from "node:assert/strict";
import { chmod, mkdir, readdir, rm, stat, symlink, writeFile, readFile, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";

import { type RunOptions, runProgram as run } from "../support/run-program.ts";
import { copyBuild, copyClone, copyDist, copySmallClone, copyTree, replaceBuild } from "../support/source-clone.ts";
import { tempHome } from "../support/temp-home.ts";

/** Several parallel builds can take more than a minute on a busy machine. */
function runProgram(command: string, args: readonly string[], options: RunOptions = {}) {
  return run(command, args, { timeoutMs: 300_000, ...options });
}

/** A set-up lock with the process that holds it. */
async function lockFor(copy: string, pid: number): Promise<string> {
  const lock = join(copy, ".setup-lock");
  await mkdir(lock);
  await writeFile(join(lock, "pid"), String(pid));
  return lock;
}

// These tests wait for builds, for npm and for each other.
describe("the launcher installs, builds and starts Hermes", { concurrency: 3 }, () => {
  test("a clone builds once, runs from any folder and through links, and rebuilds when a source file changed; one that does not compile stops the start with the position; old locks are taken over", async () => {
    await using home = await tempHome();
    const copy = await copyClone(home.path);
    const entry = join(copy, "src", "bin", "hermes.ts");
    const good = await readFile(entry, "utf8");
    await writeFile(entry, `${good}\nconst = ;\n`);
    await lockFor(copy, 999_999_999);
    const broken = await runProgram(join(copy, "hermes"), ["--version"]);
    assert.equal(broken.code, 1);
    assert.match(broken.stderr, /the build failed/);
    assert.match(broken.stderr, /src\/bin\/hermes\.ts:\d+:\d+/);

    await writeFile(entry, good.replace("`hermes ${version}\\n`", "`changed ${version}\\n`"));
    // The owner shows no activity: another process has its pid now.
    const lock = await lockFor(copy, process.pid);
    const before = new Date(Date.now() - 60_000);
    await utimes(lock, before, before);
    const first = await runProgram(join(copy, "hermes"), ["--version"], { cwd: home.path });
    assert.match(first.stdout, /^changed \d+\.\d+\.\d+\n$/, "what runs is built from the source");
    assert.match(first.stderr, /Built in/);
    assert.equal(await stat(lock).catch(() => "absent"), "absent");

    const links = join(home.path, "bin");
    await mkdir(links);
    await symlink("../clone/hermes", join(links, "first"));
    await symlink(join(links, "first"), join(links, "hermes"));
    const linked = await runProgram(join(links, "hermes"), ["--version"], { cwd: "/" });
    assert.deepEqual(linked, { code: 0, stdout: first.stdout, stderr: "" });
    const byPath = await runProgram("hermes", ["--version"], {
      cwd: "/",
      env: { PATH: `${links}:${process.env.PATH}` },
    });
    assert.equal(byPath.stdout, first.stdout);

    await replaceBuild(copy);
    const replaced = await runProgram(join(copy, "hermes"), ["--version"]);
    assert.match(replaced.stdout, /^hermes /, "a changed script of the clone counts as a change");
    assert.equal((await runProgram(join(copy, "hermes"), ["--version"])).stderr, "");
    await writeFile(entry, good);
    const rebuilt = await runProgram(join(copy, "hermes"), ["--version"]);
    assert.match(rebuilt.stderr, /Built in/, "a changed source file counts as a change");
    // Two folder changes, but no change of a file that the program uses.
    await writeFile(join(copy, "src", "extra.ts"), "export {};\n");
    await rm(join(copy, "src", "extra.ts"));
    assert.match(
      (await runProgram(join(copy, "hermes"), ["--version"])).stderr,
      /Built in/,
      "a deleted file counts as a change",
    );
  });

  test("two first runs at the same moment both succeed", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await replaceBuild(copy);
    const runs = await Promise.all(Array.from({ length: 4 }, () => runProgram(join(copy, "hermes"), ["--version"])));
    for (const run of runs) assert.match(run.stdout, /^hermes /, run.stderr);
    assert.equal(runs.filter(({ stderr }) => stderr.includes("Built in")).length, 1, "one of them builds");
    assert.deepEqual(
      (await readdir(copy)).filter((name) => name.includes("lock")),
      ["package-lock.json"],
    );
  });

  test("an unusual environment does not break the launcher: CDPATH, no PATH, variables with its own names", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await replaceBuild(copy);
    const version = (await runProgram(join(copy, "hermes"), ["--version"])).stdout;
    assert.match(version, /^hermes /);
    const relative = { cwd: home.path, env: { CDPATH: `${home.path}:/` } };
    assert.deepEqual(await runProgram("sh", ["-c", "clone/hermes --version"], relative), {
      code: 0,
      stdout: version,
      stderr: "",
    });
    const noPath = { env: { PATH: "" } };
    assert.deepEqual(await runProgram(join(copy, "hermes"), ["--version"], noPath), {
      code: 0,
      stdout: version,
      stderr: "",
    });
    const entry = join(copy, "src", "bin", "hermes.ts");
    const later = new Date(Date.now() + 1_000);
    await utimes(entry, later, later);
    assert.match(
      (await runProgram(join(copy, "hermes"), ["--version"], noPath)).stderr,
      /Built in/,
      "stale code never runs",
    );
    await utimes(entry, new Date(0), new Date(0));
    const names = {
      self: "/",
      folder: "/",
      root: "/",
      modules: "/",
      stamp: "/",
      node: "/bin/false",
      flags: "-x",
      tools: "/",
    };
    assert.equal((await runProgram(join(copy, "hermes"), ["--version"], { env: names })).stdout, version);
  });

  test("a failed set-up keeps the existing modules", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await rm(join(copy, "node_modules"));
    await mkdir(join(copy, "node_modules", ".bin"), { recursive: true });
    await symlink(process.execPath, join(copy, "node_modules", ".bin", "node"));
    const env = {
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(home.path, "cache"),
      npm_config_fetch_retries: "0",
      npm_execpath: undefined,
    };
    const ran = await runProgram(join(copy, "hermes"), ["--version"], { env });
    assert.match(ran.stderr, /package registry cannot be reached/);
    assert.deepEqual(await readdir(join(copy, "node_modules", ".bin")), ["node"]);
    assert.deepEqual(await readdir(join(copy, "dist")), [], "and nothing of its own");
  });

  test("an installed package only starts, without building, installing or writing files", async () => {
    await using home = await tempHome();
    const modules = join(home.path, "lib", "node_modules");
    const installed = join(modules, "hermes-agent-ts");
    await mkdir(installed, { recursive: true });
    await copyTree(["hermes", "package.json"], installed);
    await copyDist(installed);
    await rm(join(installed, "dist", "build-stamp"));
    await mkdir(join(modules, ".bin"));
    await symlink("../hermes-agent-ts/hermes", join(modules, ".bin", "hermes"));
    const future = new Date(Date.now() + 60_000);
    await utimes(join(installed, "package.json"), future, future);
    const ran = await runProgram(join(modules, ".bin", "hermes"), ["tools", "list", "--json"], {
      cwd: "/",
      env: { HERMES_HOME: join(home.path, "none") },
    });
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.stderr, "");
    assert.ok(JSON.parse(ran.stdout).tools.length > 0);
    assert.equal(await stat(join(installed, "dist", "build-stamp")).catch(() => "absent"), "absent");
    assert.equal(await stat(join(home.path, "none")).catch(() => "absent"), "absent", "looking creates no home");
  });

  test("without a network the set-up fails with a message and changes nothing", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await rm(join(copy, "node_modules"));
    const env = {
      npm_config_registry: "http://127.0.0.1:9/",
      npm_config_cache: join(home.path, "cache"),
      npm_config_fetch_retries: "0",
      npm_execpath: undefined,
    };
    const ran = await runProgram(join(copy, "hermes"), ["--version"], { env });
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /package registry cannot be reached/);
    assert.match(ran.stderr, /run this again/);
    assert.doesNotMatch(ran.stderr, /^\s+at .*\(/m, "no stack trace");
    assert.equal(ran.stdout, "");
  });

  test("a platform without a pinned Node is reported before any download", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await rm(join(copy, "node_modules"));
    const disguise =
      "for (const [name, value] of Object.entries({ platform: 'aix', arch: 'ppc64' })) Object.defineProperty(process, name, { value }); Object.defineProperty(process.versions, 'node', { value: '20.1.0' });";
    const args = [
      "--import",
      `data:text/javascript,${encodeURIComponent(disguise)}`,
      join(copy, "scripts", "run.mjs"),
      "dist/hermes.js",
    ];
    const ran = await runProgram(process.execPath, args, { env: { npm_config_registry: "http://127.0.0.1:9/" } });
    assert.equal(ran.code, 1);
    assert.match(
      ran.stderr,
      /^hermes: there is no pinned Node for aix ppc64, and this is Node 20\.1\.0\.\n +Install Node 24\.20 or newer/,
    );
    assert.doesNotMatch(ran.stderr, /Installing|^\s+at .*\(/m);
    assert.deepEqual(
      (await readdir(copy)).filter((name) => name === "dist" || name === ".setup-lock"),
      [],
    );
  });

  test("without Node or npm the launcher says what to install", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await rm(join(copy, "node_modules"));
    const bin = join(home.path, "bin");
    await mkdir(bin);
    for (const name of ["readlink", "find", "dirname", "sh"]) {
      const { stdout } = await runProgram("sh", ["-c", `command -v ${name}`]);
      await symlink(stdout.trim(), join(bin, name));
    }
    const noNode = await runProgram(join(copy, "hermes"), ["--version"], { env: { PATH: bin } });
    assert.equal(noNode.code, 1);
    assert.match(noNode.stderr, /Install Node 20 or newer/);
    await symlink(process.execPath, join(bin, "node"));
    const noNpm = await runProgram(join(copy, "hermes"), ["--version"], {
      env: { PATH: bin, npm_execpath: undefined },
    });
    assert.equal(noNpm.code, 1);
    assert.match(noNpm.stderr, /npm was not found/);
  });

  test("if a folder is not writable, the launcher's message names it", async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await rm(join(copy, "node_modules"));
    await chmod(copy, 0o555);
    await chmod(home.path, 0o755);
    // Root may write everywhere, so the test switches to another user.
    const uid = process.getuid?.() === 0 ? { uid: 65534 } : {};
    const ran = await runProgram(join(copy, "hermes"), ["--version"], { ...uid, env: { HOME: home.path }, cwd: "/" });
    await chmod(copy, 0o755);
    assert.equal(ran.code, 1);
    assert.match(ran.stderr, /cannot be written to/);
    assert.doesNotMatch(ran.stderr, /^\s+at .*\(/m, "no stack trace");
  });

  const needsRoot = process.getuid?.() === 0 ? false : "only root can act as two users";
  test("node_modules of another user work, even after the lock file was touched", { skip: needsRoot }, async () => {
    await using home = await tempHome();
    const copy = await copySmallClone(home.path);
    await copyBuild(copy);
    assert.equal((await runProgram(join(copy, "hermes"), ["--version"])).code, 0);
    await chmod(home.path, 0o755);
    const later = new Date(Date.now() + 60_000);
    await utimes(join(copy, "package-lock.json"), later, later);
    const other = { uid: 65534, env: { HOME: join(home.path, "nobody") }, cwd: "/" };
    const ran = await runProgram(join(copy, "hermes"), ["--version"], other);
    assert.deepEqual({ code: ran.code, stderr: ran.stderr }, { code: 0, stderr: "" });
  });
});
