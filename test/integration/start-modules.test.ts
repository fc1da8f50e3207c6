// covers: src/bin, src/hosts/cli, src/runtime, src/operations/tools, src/plugins
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { test } from "node:test";

import { coveredModules, loadedModules, loadedSources } from "../support/loaded-modules.ts";
import { screenChat } from "../support/screen-chat.ts";
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
  await assertUnloaded(modules);
});

test("a chat and its first turn load nothing of the web, the browser, pictures and speech", async () => {
  await using coverage = await tempHome();
  const env = { NODE_V8_COVERAGE: coverage.path, NODE_DISABLE_COMPILE_CACHE: "1" };
  await using chat = await screenChat(() => ({ text: "Good morning." }), { env });
  await chat.until("❯");
  chat.type("hello\r");
  await chat.until("Good morning.");
  chat.type("/quit\r");
  assert.equal(await chat.code, 0);
  const modules = await coveredModules(coverage.path);
  assert.ok(groupsIn(modules).includes("screen"));
  await assertUnloaded(modules);
});

/** Fails if code of a part that these programs do not use is loaded, or of a package that only such a part uses. */
async function assertUnloaded(modules: readonly string[]): Promise<void> {
  const sources = await loadedSources(modules);
  assert.ok(sources.includes("src/runtime/services.ts"), "the list of sources is incomplete");
  const parts = /^src\/(?:browser|media|speech|web|tools\/(?:browser|media|speech|web))\//u;
  const packages = /node_modules\/(?:@img|dom\w+|entities|htmlparser2|playwright|saxes|sharp|sherpa|unpdf)/u;
  assert.deepEqual(
    sources.filter((source) => parts.test(source) || packages.test(source)),
    [],
  );
}

/** The names of the loaded chunks, without the loader itself. */
function groupsIn(modules: readonly string[]): readonly string[] {
  const names = modules.flatMap((url) => (url.includes("/dist/chunks/") ? [basename(url).split("-", 1)[0] ?? ""] : []));
  return [...new Set(names)].filter((name) => name !== "load").toSorted();
}
