import assert from "node:assert/strict";
import { readdir } from "node:fs/promises";
import { test } from "node:test";

import { hermes } from "../../../../../test/support/fake-terminal.ts";
import { scriptedModel } from "../../../../../test/support/scripted-model.ts";
import { tempHome } from "../../../../../test/support/temp-home.ts";
import { isObject } from "../../../../base/json.ts";
import { ok } from "../../../../base/result.ts";

test("listing sessions and usage of an empty home prints nothing and creates nothing", async () => {
  await using home = await tempHome();
  assert.equal((await hermes(["sessions", "list", "--all"], { home: home.path })).out, "There are no sessions yet.\n");
  assert.match((await hermes(["usage"], { home: home.path })).out, /^today +0 tokens +0 calls +\$0\.00\n/u);
  assert.equal((await hermes(["sessions", "show", "latest"], { home: home.path })).code, 1);
  assert.deepEqual(await readdir(home.path), []);
});

test("sessions are listed and shown, with the sum of their cost", async () => {
  await using home = await tempHome();
  const usage = { input: 100, output: 20, costUsd: 0.5 };
  const model = scriptedModel([
    { calls: [{ name: "terminal", args: { command: "echo red" } }], usage },
    { text: "It is\x1b[2J red", usage },
  ]);
  const models = { open: async () => ok(model) };
  const args = ["--set", "isolation.mode=off", "-z", "what colour?"];
  assert.equal((await hermes(args, { home: home.path, models })).code, 0);
  assert.match((await hermes(["sessions", "list"], { home: home.path })).out, /no conversations yet\. .*--all/u);
  const listed = await hermes(["sessions", "list", "--all"], { home: home.path });
  assert.match(listed.out, /^\d{8}_\d{6}_[0-9a-f]+ .* oneshot +\d+ +what colour\?\n$/u);
  const shown = (await hermes(["sessions", "show", "latest"], { home: home.path })).out;
  assert.match(shown, /^❯ what colour\?\n\n✓ terminal echo red [\d.]+ m?s\n {2}red\n\nIt is\\x1b\[2J red\n$/u);
  const spent = (await hermes(["usage", "--json"], { home: home.path })).json;
  assert.ok(isObject(spent) && Array.isArray(spent["spent"]));
  assert.deepEqual(spent["spent"][0], { name: "today", costUsd: 1, tokens: 240, calls: 2, unknownCost: 0 });
  assert.equal((await hermes(["sessions", "list", "--limit", "none"], { home: home.path })).code, 2);
});
