import assert from "node:assert/strict";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";

test("a profile has separate settings, selected once with -p or permanently with use", async () => {
  await using home = await tempHome();
  const run = async (...args: string[]) => {
    const result = await hermes(args, { home: home.path });
    assert.equal(result.code, 0, result.err);
    return result.out;
  };
  await run("profile", "create", "work");
  await run("-p", "work", "config", "set", "logging.level", "debug");
  assert.equal(await run("config", "get", "logging.level"), "info\n");
  assert.equal(await run("config", "get", "logging.level", "-p", "work"), "debug\n");
  await run("profile", "use", "work");
  assert.equal(await run("config", "get", "logging.level"), "debug\n");
  assert.match(await run("profile", "list"), /^ {3}default .*\n\* {2}work /u);
  await run("profile", "create", "copy", "--clone");
  assert.equal(await run("-p", "copy", "config", "get", "logging.level"), "debug\n");
  await run("profile", "delete", "copy", "-y");
  assert.deepEqual(await readdir(join(home.path, "profiles")), ["work"]);
});

test("deleting a profile needs confirmation, and fails while it is active or the original uses it", async () => {
  await using home = await tempHome();
  const run = (...args: string[]) => hermes(["profile", ...args], { home: home.path });
  await run("create", "work");
  const refused = await run("delete", "work");
  assert.deepEqual([refused.code, refused.err], [2, "error: Deleting work needs a confirmation.\nPass -y.\n"]);
  assert.match((await run("rename", "work", "default")).err, /the default profile always exists\nchoose another name/u);
  await run("use", "work");
  assert.match((await run("delete", "work", "-y")).err, /is in use/u);
  await run("use", "default");
  await writeFile(join(home.path, "profiles", "work", "state.db"), "");
  assert.match((await run("delete", "work", "-y")).err, /Hermes in Python also uses/u);
  assert.match((await run("delete", "default", "-y")).err, /cannot be deleted/u);
  assert.match((await run("delete", "wrk", "-y")).err, /no profile wrk\ndid you mean work/u);
  assert.deepEqual(await readdir(join(home.path, "profiles")), ["work"]);
});

test("an unknown profile is reported with the command that creates it", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "profiles"));
  const result = await hermes(["-p", "nope", "config", "path"], { home: home.path });
  assert.equal(result.code, 1);
  assert.match(result.err, /there is no profile nope\n`hermes profile create nope` makes it/u);
});
