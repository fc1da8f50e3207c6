import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { loadConfig } from "../../config/load.ts";
import { credentialFiles } from "./credential-files.ts";

async function listed(home: string, names: readonly string[]) {
  await writeFile(join(home, "config.yaml"), JSON.stringify({ terminal: { credential_files: names } }), {
    mode: 0o600,
  });
  const config = await loadConfig({ env: { HOME: home, HERMES_HOME: home }, cwd: home });
  assert.ok(config.ok, JSON.stringify(config));
  return credentialFiles(config.value);
}

test("credential files are found by their path relative to the home", async () => {
  await using home = await tempHome();
  await mkdir(join(home.path, "keys"));
  await writeFile(join(home.path, "keys", "a.json"), "{}");
  const result = await listed(home.path, ["keys/a.json"]);
  assert.deepEqual(result.ok && result.value.map(({ name }) => name), ["keys/a.json"]);
});

test("a path that is missing, not a file, or outside the home is a settings error", async () => {
  await using home = await tempHome();
  await using other = await tempHome();
  await writeFile(join(other.path, "secret"), "x");
  await symlink(join(other.path, "secret"), join(home.path, "link"));
  await mkdir(join(home.path, "folder"));
  for (const name of ["none", "folder", "link", "../x", "/etc/passwd", "a/../../x"]) {
    const result = await listed(home.path, [name]);
    assert.equal(!result.ok && result.error.kind, "misconfigured", name);
  }
});
