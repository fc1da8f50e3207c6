// covers: src/runtime
import assert from "node:assert/strict";
import { test } from "node:test";

import { asId, type CallId, type SessionId } from "../../src/base/ids.ts";
import { builtinCommands } from "../../src/commands/builtin-commands.ts";
import { loadConfig } from "../../src/config/load.ts";
import { builtins } from "../../src/runtime/builtins.ts";
import type { Contribution } from "../../src/runtime/contributions.ts";
import { createRuntime, type OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { assertFails } from "../support/failure.ts";
import { tempHome } from "../support/temp-home.ts";

const principal = { id: "local:me" };
const { signal } = new AbortController();
const commands: Contribution = { owner: "built-in commands", commands: () => builtinCommands };

async function scene(leftOut?: string) {
  const home = await tempHome();
  const config = await loadConfig({
    env: { PATH: process.env["PATH"], HOME: home.path, HERMES_HOME: `${home.path}/home` },
    cwd: home.path,
    overrides: {
      "isolation.mode": "off",
      "approvals.mode": "yolo",
      "memory.provider": "http",
      "memory.http.url": "http://127.0.0.1:9",
    },
  });
  assert.ok(config.ok);
  const context = { cwd: home.path, principal, signal };
  const all = [...builtins(config.value, context), commands];
  const contribution = all.find(({ owner }) => owner === leftOut);
  const runtime = await createRuntime(
    config.value,
    all.filter((each) => each !== contribution),
    context,
  );
  return {
    runtime,
    contribution,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

/** Asks the offline model to look at the files. Was the call of its tool answered? */
async function canListFiles(runtime: OpenedRuntime): Promise<boolean> {
  await using session = await runtime.openSession({ source: "test" });
  await session.prompt([{ type: "text", text: "list the files here" }]).done;
  return session.history().some((message) => message.role === "tool" && !message.failed);
}

/** Whether a runtime does what only this kind of built-in part can do. */
const works: Readonly<Record<string, (runtime: OpenedRuntime) => Promise<boolean>>> = {
  async "built-in tools"(runtime) {
    await using session = await runtime.openSession({ source: "test" });
    return session.catalog.has("read_file") && runtime.registry.toolsets().some(({ name }) => name === "file");
  },
  async "built-in commands"(runtime) {
    return (await runtime.commands()).some(({ name }) => name === "help");
  },
  async "built-in providers"(runtime) {
    const model = await (await runtime.services.get("models")).open("offline");
    return model.ok;
  },
  "built-in environments": canListFiles,
  async "built-in policies"(runtime) {
    const { policy } = await runtime.services.get("policy");
    const { verdict } = await policy.explain(
      {
        sessionId: asId<SessionId>("ses_1"),
        callId: asId<CallId>("call_1"),
        principal,
        tool: "fetch",
        readOnly: true,
        args: {},
        effects: [{ kind: "network", url: "http://169.254.169.254/latest/meta-data" }],
        origin: "model",
        place: { cwd: "/", backend: "local" },
        tainted: [],
      },
      signal,
    );
    return verdict === "deny";
  },
  async "built-in context engines"(runtime) {
    try {
      await using _session = await runtime.openSession({ source: "test" });
      return true;
    } catch (thrown) {
      assert.match(String(thrown), /No context engine is loaded/);
      return false;
    }
  },
  async "built-in memory providers"(runtime) {
    return (await runtime.services.get("memory"))(principal).provider !== undefined;
  },
};

for (const [owner, isWorking] of Object.entries(works)) {
  test(`${owner} can be unloaded and loaded again while the runtime runs`, async () => {
    await using at = await scene(owner);
    assert.ok(at.contribution);
    assert.equal(await isWorking(at.runtime), false, "left out");
    for (const round of [1, 2]) {
      const loaded = await at.runtime.contribute(at.contribution);
      assert.equal(await isWorking(at.runtime), true, `loaded ${round}`);
      await loaded[Symbol.asyncDispose]();
      assert.equal(await isWorking(at.runtime), false, `unloaded ${round}`);
    }
  });
}

test("a contribution replaces a built-in part of the same name until it is unloaded", async () => {
  await using at = await scene();
  const first = (await at.runtime.commands()).find(({ name }) => name === "help");
  assert.ok(first);
  const own = { ...first, summary: "Help of a plugin" };
  const plugin = await at.runtime.contribute({ owner: "plugin", commands: () => [own] });
  const helps = async () => (await at.runtime.commands()).filter(({ name }) => name === "help");
  assert.deepEqual(await helps(), [own]);
  await plugin[Symbol.asyncDispose]();
  assert.deepEqual(await helps(), [first]);
});

test("a provider of a plugin serves its models under its own name", async () => {
  await using at = await scene();
  const models = await at.runtime.services.get("models");
  assertFails(await models.open("lab/small"), /Cannot tell which provider serves lab\/small/u);
  await using _plugin = await at.runtime.contribute({
    owner: "plugin",
    providers: () => [
      {
        name: "lab",
        facts: (model) => ({ provider: "lab", model, contextTokens: 8_000, contextSource: "table", vision: false }),
        connect: ({ providerId }) => ({
          id: providerId,
          async *stream() {
            yield { type: "text", delta: "hello from the lab" };
            yield {
              type: "finish",
              message: {
                role: "assistant",
                content: [{ type: "text", text: "hello from the lab" }],
                calls: [],
                stop: "end",
              },
              usage: undefined,
            };
          },
        }),
      },
    ],
  });
  await using session = await at.runtime.openSession({ source: "test", model: "lab/small" });
  assert.equal(session.model().model, "small");
  const outcome = await session.prompt([{ type: "text", text: "hi" }]).done;
  assert.equal(outcome.text, "hello from the lab");
});
