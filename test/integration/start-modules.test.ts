// covers: src/bin, src/hosts/cli, src/runtime, src/operations/tools, src/plugins
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";

import { loadedModules } from "../support/loaded-modules.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

test("tools list loads the groups of the start and of the services, and neither crypto nor child processes", async () => {
  await using home = await tempHome();
  const modules = await loadedModules(["tools", "list"], home.path);
  assert.deepEqual(groupsIn(modules), ["base", "services", "start"]);
  const slow = modules.filter((url) => url === "node:crypto" || url === "node:child_process");
  assert.deepEqual(slow, []);
});

test("a one-shot turn in a home that was used before loads no file outside of its three groups", async () => {
  await using home = await tempHome();
  await using server = await startModelServer({ protocol: "openai-chat", turns: () => ({ text: "Hello." }) });
  const model = `model:\n  provider: custom\n  default: test\n  base_url: ${server.url}\n  api_key: none\n`;
  await writeFile(join(home.path, "config.yaml"), model);
  await loadedModules(["-z", "say hello"], home.path);
  const modules = await loadedModules(["-z", "say hello"], home.path);
  assert.deepEqual(groupsIn(modules), ["base", "services", "start", "turn"]);
});

/** The names of the loaded chunks, without the loader itself. */
function groupsIn(modules: readonly string[]): readonly string[] {
  const names = modules.flatMap((url) => (url.includes("/dist/chunks/") ? [basename(url).split("-", 1)[0] ?? ""] : []));
  return [...new Set(names)].filter((name) => name !== "load").toSorted();
}
