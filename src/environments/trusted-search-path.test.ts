import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../test/support/temp-home.ts";
import { trustedSearchPath } from "./trusted-search-path.ts";

test("Hermes does not search project folders for its own programs, even if PATH names them through links", async () => {
  await using home = await tempHome();
  const project = join(home.path, "project");
  await mkdir(join(project, "node_modules/.bin"), { recursive: true });
  await symlink(join(project, "node_modules/.bin"), join(home.path, "bin"));
  const path = `${project}/node_modules/.bin:/usr/bin:${home.path}/bin:${home.path}/project-tools:/bin`;
  assert.equal(trustedSearchPath(path, project), `/usr/bin:${home.path}/project-tools:/bin`);
  assert.equal(trustedSearchPath(path, undefined), path);
});
