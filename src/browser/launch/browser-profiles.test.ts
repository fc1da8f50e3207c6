import assert from "node:assert/strict";
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../../base/clock.ts";
import { createBrowserProfiles } from "./browser-profiles.ts";

test("listing browser profiles creates nothing, not even the home", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, "home");
  const folder = join(home, "browser", "profiles");
  const deps = { home, folder, sharedFolder: join(temp.path, "shared"), clock: systemClock };
  for (const account of [undefined, { name: "nobody", uid: 65_534, gid: 65_534 }])
    assert.deepEqual(createBrowserProfiles({ ...deps, account }).list(), []);
  assert.deepEqual(readdirSync(temp.path), []);
  mkdirSync(join(folder, "work"), { recursive: true });
  assert.deepEqual(createBrowserProfiles({ ...deps, account: undefined }).list(), ["work"]);
});

test("a new home stays private, but the browser's account can enter the folders below it", async () => {
  await using temp = await tempHome();
  const home = join(temp.path, "home");
  const account = { name: "nobody", uid: 65_534, gid: 65_534 };
  const folder = join(home, "browser", "profiles");
  const profiles = createBrowserProfiles({
    home,
    folder,
    sharedFolder: join(temp.path, "shared"),
    account,
    clock: systemClock,
  });
  const profile = await profiles.take("kept");
  const modes = [home, join(home, "browser"), folder].map((path) => statSync(path).mode & 0o777);
  assert.deepEqual(modes, [0o700, 0o711, 0o711]);
  if (profile.ok) profile.value[Symbol.dispose]();
});
