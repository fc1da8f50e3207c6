import assert from "node:assert/strict";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { tempHome } from "../../../test/support/temp-home.ts";
import { loadConfig } from "../../config/load.ts";
import { selectionFor } from "./selection.ts";

test("in a code workspace, sessions of the command line use the coding toolset, unless the settings select others", async () => {
  await using home = await tempHome();
  const [code, plain] = [join(home.path, "code"), join(home.path, "plain")];
  await mkdir(join(code, ".git"), { recursive: true });
  await mkdir(plain);
  const select = async (cwd: string, overrides: Readonly<Record<string, string>> = {}, platform = "cli") => {
    const config = await loadConfig({ env: { HOME: home.path }, cwd, overrides });
    assert.ok(config.ok, JSON.stringify(config));
    const { selection, settings } = await selectionFor(config.value, platform, cwd);
    return [selection.enabled?.join(), settings.enabled];
  };
  const coding = ["coding", "agent.coding_context"];
  const preset = ["hermes-cli", "toolsets"];
  assert.deepEqual(await select(code), coding);
  assert.deepEqual(await select(plain), preset);
  assert.deepEqual(await select(plain, { "terminal.cwd": code }), coding);
  assert.deepEqual(await select(code, { "agent.coding_context": "off" }), preset);
  assert.deepEqual(await select(plain, { "agent.coding_context": "on" }), coding);
  assert.deepEqual(await select(code, { toolsets: "web" }), ["web", "toolsets"]);
  assert.deepEqual(await select(code, { "platform_toolsets.cli": "web" }), ["web", "platform_toolsets.cli"]);
  assert.deepEqual(await select(code, {}, "telegram"), preset);
  assert.deepEqual(await select(code, { "terminal.backend": "docker" }), preset);
});
