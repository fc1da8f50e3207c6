// covers: src/kernel/loop, src/hosts/cli/chat, src/agents, src/index.ts
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { ok } from "../../src/base/result.ts";
import { createRuntime } from "../../src/index.ts";
import { agentRig, leaf, reportOf } from "../support/agent-rig.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { talking } from "../support/talking-program.ts";
import { tempHome } from "../support/temp-home.ts";

const read = { calls: [{ name: "read_file", args: { path: "a.txt" } }] };
const inCircles = /going round in circles: read_file was called repeatedly/u;
const maxRequests = 12;

/** A model that asks for the same file forever. */
async function looping() {
  const rig = await talking(Array.from({ length: 60 }, () => read));
  await writeFile(join(rig.work, "a.txt"), "text\n");
  return rig;
}

test("a loop is stopped after a few rounds with -z, with chat -q and in a pipe", async () => {
  for (const [args, input] of [
    [["-z", "read it"], ""],
    [["chat", "-q", "read it"], ""],
    [[], "read it\n"],
  ] as const) {
    await using at = await looping();
    const ran = await at.run(args, input);
    assert.match(ran.stderr + ran.stdout, inCircles, args.join(" "));
    assert.ok(at.server.requests.length <= maxRequests, `${args.join(" ")}: ${at.server.requests.length} requests`);
  }
});

test("a loop is stopped after a few rounds in the chat, which takes the next prompt", async () => {
  await using at = await looping();
  await using chat = at.terminal();
  await chat.until("❯");
  chat.type("read it\r");
  await chat.until(inCircles);
  assert.ok(at.server.requests.length <= maxRequests, `${at.server.requests.length} requests`);
  chat.type("/status\r");
  await chat.until(/model +custom\/m1/u);
});

test("a loop is stopped after a few rounds in the full screen", async () => {
  await using at = await looping();
  await using chat = at.terminal(["--tui"]);
  await chat.until("❯");
  chat.type("read it\r");
  await chat.until(/circles/u);
  assert.ok(at.server.requests.length <= maxRequests, `${at.server.requests.length} requests`);
});

test("a loop is stopped after a few rounds in a session of a program", async () => {
  await using folder = await tempHome();
  await writeFile(join(folder.path, "a.txt"), "text\n");
  const model = scriptedModel(() => read);
  await using runtime = await createRuntime({
    home: join(folder.path, "home"),
    cwd: folder.path,
    env: { HOME: folder.path, PATH: process.env["PATH"] },
    settings: { "auxiliary.title_generation.enabled": false },
    models: { open: async () => ok(model) },
  });
  await using session = await runtime.openSession({ source: "library" });
  const outcome = await session.prompt([{ type: "text", text: "read it" }]).done;
  assert.match(JSON.stringify(outcome), inCircles);
  assert.ok(model.requests.length <= maxRequests, `${model.requests.length} requests`);
});

test("a loop of a child agent is stopped after a few rounds, and the parent learns why", async () => {
  const model = scriptedModel(() => read);
  await using at = await agentRig(model);
  await writeFile(join(at.folder, "a.txt"), "text\n");
  const report = await reportOf(at.parent, leaf("read a.txt"));
  assert.match(JSON.stringify(report), /circles/u);
  assert.ok(model.requests.length <= maxRequests, `${model.requests.length} requests`);
});
