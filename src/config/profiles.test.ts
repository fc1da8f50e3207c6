import assert from "node:assert/strict";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { homeFiles, filesOfOriginal, originalFiles, resolveHome, rootHome } from "./home.ts";
import { createProfile, deleteProfile, listProfiles, useProfile } from "./profiles.ts";

test("-p wins over the profile in HERMES_HOME, then the remembered profile, then the default", async () => {
  await using user = await tempHome();
  const root = join(user.path, ".hermes");
  for (const name of ["one", "two", "three"]) assert.ok((await createProfile(root, name, undefined)).ok);
  assert.ok((await useProfile(root, "one")).ok);
  const profileOf = async (env: Record<string, string>, request?: string) => {
    const home = await resolveHome({ HOME: user.path, ...env }, user.path, request);
    return home.ok ? [home.value.profile, home.value.path] : home.error.message;
  };
  assert.deepEqual(await profileOf({}), ["one", join(root, "profiles", "one")]);
  assert.deepEqual(await profileOf({ HERMES_HOME: join(root, "profiles", "two") }), [
    "two",
    join(root, "profiles", "two"),
  ]);
  assert.deepEqual(await profileOf({ HERMES_HOME: join(root, "profiles", "two") }, "three"), [
    "three",
    join(root, "profiles", "three"),
  ]);
  assert.deepEqual(await profileOf({}, "default"), ["default", root]);
  assert.equal(await profileOf({}, "thre"), "there is no profile thre; did you mean three?");
  assert.match(String(await profileOf({}, "../../etc")), /is not a profile name/u);
});

test("HERMES_HOME may be relative or start with ~; empty means unset", () => {
  const env = { HOME: "/home/u" };
  assert.equal(rootHome({ ...env, HERMES_HOME: "~/x" }, "/w").root, "/home/u/x");
  assert.equal(rootHome({ ...env, HERMES_HOME: "x" }, "/w").root, "/w/x");
  assert.equal(rootHome({ ...env, HERMES_HOME: " " }, "/w").root, "/home/u/.hermes");
});

test("a clone has the settings and keys of its source, readable only by the owner", async () => {
  await using user = await tempHome();
  const root = join(user.path, ".hermes");
  await mkdir(root);
  await writeFile(join(root, "config.yaml"), "# mine\n");
  await writeFile(join(root, ".env"), "A=1\n", { mode: 0o644 });
  await writeFile(join(root, "state.db"), "theirs");
  const result = await createProfile(root, "work", { path: root, root, profile: "default" });
  assert.ok(result.ok);
  assert.deepEqual((await readdir(result.value.path)).toSorted(), [".env", "config.yaml"]);
  assert.equal((await stat(result.value.path)).mode & 0o777, process.platform === "win32" ? 0o666 : 0o700);
  if (process.platform !== "win32") {
    assert.equal((await stat(join(result.value.path, ".env"))).mode & 0o777, 0o600);
    assert.equal((await stat(root)).mode & 0o777, 0o700);
  }
  assert.equal(await readFile(join(result.value.path, "config.yaml"), "utf8"), "# mine\n");
  const again = await createProfile(root, "work", undefined);
  assert.equal(again.ok ? "created" : again.error.message, "the profile work exists already");
});

test("the default profile and the one in use cannot be deleted", async () => {
  await using user = await tempHome();
  const root = join(user.path, ".hermes");
  assert.ok((await createProfile(root, "work", undefined)).ok);
  assert.ok((await useProfile(root, "work")).ok);
  const refusal = async (name: string, inUse: string | undefined) => {
    const deleted = await deleteProfile(root, name, inUse);
    return deleted.ok ? "deleted" : deleted.error.message;
  };
  assert.equal(await refusal("default", undefined), "the default profile cannot be deleted");
  assert.equal(await refusal("work", undefined), "the profile work is in use");
  assert.ok((await useProfile(root, "default")).ok);
  assert.equal(await refusal("work", "work"), "the profile work is in use");
  assert.equal(await refusal("work", undefined), "deleted");
  assert.deepEqual(await readdir(join(root, "profiles")), []);
});

test("a remembered profile that no longer exists is an error, and the default does not replace it silently", async () => {
  await using user = await tempHome();
  const root = join(user.path, ".hermes");
  await mkdir(root);
  await writeFile(join(root, "current-profile"), "gone\n");
  const home = await resolveHome({ HOME: user.path }, user.path);
  assert.ok(!home.ok);
  assert.match(home.error.hint ?? "", /profile use default/u);
});

test("a file in place of the remembered profile's folder is reported", async () => {
  await using user = await tempHome();
  const file = join(user.path, ".hermes", "current-profile");
  await mkdir(file, { recursive: true });
  const home = await resolveHome({ HOME: user.path }, user.path);
  assert.deepEqual(home, { ok: false, error: { file, message: "is not a regular file", hint: "remove it" } });
});

test("when many processes create one profile at the same time, exactly one succeeds and no draft remains", async () => {
  await using user = await tempHome();
  const root = join(user.path, ".hermes");
  const created = await Promise.all(Array.from({ length: 20 }, () => createProfile(root, "same", undefined)));
  assert.equal(created.filter(({ ok }) => ok).length, 1);
  for (const result of created)
    if (!result.ok) assert.match(result.error.message, /^the profile same exists already$/u);
  assert.deepEqual(await readdir(join(root, "profiles")), ["same"]);
  const listed = await listProfiles(root);
  assert.deepEqual(listed.ok && listed.value.map(({ name }) => name), ["default", "same"]);
});

test("our files and the original's files have different names", () => {
  assert.deepEqual(
    Object.values(homeFiles).filter((name) => originalFiles.includes(name)),
    [],
  );
});

test("a home of the Python original is recognised by its files", async () => {
  await using home = await tempHome();
  assert.deepEqual(await filesOfOriginal(home.path), []);
  await writeFile(join(home.path, "state.db"), "");
  await writeFile(join(home.path, "auth.json"), "");
  assert.deepEqual(await filesOfOriginal(home.path), ["state.db", "auth.json"]);
});
