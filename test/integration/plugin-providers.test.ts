// covers: src/plugins/adapt, src/runtime/models, src/providers/endpoints
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { createNamedList } from "../../src/base/named-list.ts";
import { loadConfig } from "../../src/config/load.ts";
import type { ModelClient } from "../../src/contracts/model/model.ts";
import type { PluginClient } from "../../src/contracts/plugin/client.ts";
import { emptyRegistration, type ProviderRegistration } from "../../src/contracts/plugin/registration.ts";
import { pluginProfiles, pluginProviders } from "../../src/plugins/adapt/plugin-providers.ts";
import { builtinProviders } from "../../src/runtime/models/builtin-providers.ts";
import { providerViews } from "../../src/runtime/models/model-catalog.ts";
import { openModels } from "../../src/runtime/models/models.ts";
import { scriptedClient } from "../support/plugin-client.ts";
import { tempHome } from "../support/temp-home.ts";
import { type ModelServerOptions, startModelServer } from "../support/wire-servers/model-server.ts";

const odd: ProviderRegistration = {
  id: "providers:odd",
  name: "odd",
  aliases: ["oddity"],
  displayName: "Odd",
  description: "",
  signupUrl: "https://odd.example/keys",
  apiMode: "chat_completions",
  envVars: ["ODD_API_KEY"],
  baseUrl: "",
  modelsUrl: "",
  authType: "api_key",
  defaultHeaders: { "X-Odd": "1" },
  fields: { fallback_models: ["odd-1", "odd-mini"], default_aux_model: "odd-mini", supports_vision: true },
  hooks: [],
  streams: false,
};

async function scene(
  provider: Partial<ProviderRegistration>,
  client: PluginClient,
  server: Partial<ModelServerOptions> = {},
) {
  const stack = new AsyncDisposableStack();
  const user = stack.use(await tempHome());
  const served = stack.use(
    await startModelServer({ protocol: "openai-chat", turns: [{ text: "hello" }], repeat: true, ...server }),
  );
  const home = join(user.path, ".hermes");
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(home, "config.yaml"), "agent: {api_max_retries: 0}", { mode: 0o600 });
  const env = { HOME: user.path, ODD_API_KEY: "odd-key-123456" };
  const config = await loadConfig({ env, cwd: user.path });
  assert.ok(config.ok);
  const reports: string[] = [];
  const registration = { ...emptyRegistration, providers: [{ ...odd, baseUrl: served.url, ...provider }] };
  const models = stack.use(
    openModels(config.value, {
      clock: systemClock,
      log: silentLog,
      profiles: createNamedList(pluginProfiles(registration, client, (sentence) => void reports.push(sentence))),
      providers: createNamedList([...builtinProviders, ...pluginProviders(registration, client)]),
    }),
  );
  return {
    models,
    reports,
    config: config.value,
    server: served,
    async [Symbol.asyncDispose]() {
      await stack.disposeAsync();
    },
  };
}

async function ask(client: ModelClient, more = {}): Promise<string> {
  const messages = [{ role: "user", content: [{ type: "text", text: "hi" }] }] as const;
  const request = { system: [], messages, tools: [], ...more };
  let text = "";
  for await (const event of client.stream(request, new AbortController().signal)) {
    if (event.type === "text") text += event.delta;
    if (event.type === "error") return `${event.error.kind}: ${event.error.message}`;
  }
  return text;
}

test("a provider profile serves models by its name and alias, with its key and headers", async () => {
  await using rig = await scene({}, scriptedClient({}), { keys: ["odd-key-123456"] });
  for (const model of ["odd/odd-9", "oddity/odd-9", "odd"]) {
    const client = rig.models.client({ model });
    assert.ok(client.ok, client.ok ? "" : client.error.message);
    assert.equal(await ask(client.value), "hello");
    assert.equal(client.value.facts().vision, true);
  }
  const [first, , last] = rig.server.requests;
  assert.equal(first?.headers["x-odd"], "1");
  assert.equal(first?.json["model"], "odd-9");
  assert.equal(last?.json["model"], "odd-1");
  const view = providerViews(rig.models, rig.config).find(({ id }) => id === "odd");
  assert.deepEqual(
    [view?.title, view?.isUsable, view?.models.map(({ name }) => name)],
    ["Odd", true, ["odd/odd-1", "odd/odd-mini"]],
  );
});

test("the hooks of a provider profile change the request", async () => {
  const client = scriptedClient({
    "object.call": ({ method, args, kwargs }) => {
      switch (method) {
        case "prepare_messages":
          return [{ role: "system", content: "odd" }, ...(args[0] as readonly object[])];
        case "build_extra_body":
          return { routing: kwargs["model"] };
        case "build_api_kwargs_extras":
          return [{ thinking: kwargs["reasoning_config"] }, { extra_body: { nested: true }, verbosity: "low" }];
        case "get_max_tokens":
          return 4321;
        case "supported_reasoning_efforts":
          return ["low", "medium"];
        default:
          return ["live-1", "live-2"];
      }
    },
  });
  const hooks = [
    "prepare_messages",
    "build_extra_body",
    "build_api_kwargs_extras",
    "get_max_tokens",
    "supported_reasoning_efforts",
    "fetch_models",
  ];
  await using rig = await scene({ hooks }, client);
  const opened = rig.models.client({ model: "odd/odd-9" });
  assert.ok(opened.ok);
  assert.equal(await ask(opened.value, { reasoning: "high" }), "hello");
  const body = rig.server.requests[0]?.json ?? {};
  assert.deepEqual(
    [(body["messages"] as unknown[])[0], body["routing"], body["nested"], body["verbosity"], body["max_tokens"]],
    [{ role: "system", content: "odd" }, "odd-9", true, "low", 4321],
  );
  assert.deepEqual(body["thinking"], { enabled: true, effort: "high" });
  assert.equal(body["reasoning_effort"], "medium");
  const route = rig.models.resolve({ model: "odd/odd-9" });
  assert.ok(route.ok && route.value !== "offline");
  const listed = await rig.models.refresh(route.value, new AbortController().signal);
  assert.deepEqual(listed.ok && listed.value.map(({ id }) => id), ["live-1", "live-2"]);
});

test("a failing hook of a provider profile fails the request, and the error names the provider", async () => {
  await using rig = await scene({ hooks: ["build_extra_body"] }, scriptedClient({}));
  const opened = rig.models.client({ model: "odd/odd-9" });
  assert.ok(opened.ok);
  assert.match(await ask(opened.value), /Provider odd: plugin weather/u);
  assert.equal(rig.server.requests.length, 0);
});

test("an unsupported provider profile is reported, and a built-in provider keeps its name", async () => {
  await using other = await scene({ apiMode: "bedrock_converse" }, scriptedClient({}));
  assert.match(other.reports.join(), /provider odd of the plugin weather is not loaded: api_mode bedrock_converse/u);
  assert.equal(other.models.client({ model: "odd/odd-9" }).ok, false);
  await using clash = await scene({ name: "openrouter" }, scriptedClient({}));
  const route = clash.models.resolve({ model: "openrouter/x/y" });
  assert.ok(route.ok && route.value !== "offline");
  assert.match(route.value.baseUrl, /openrouter\.ai/u);
});

test("a provider that answers requests itself streams from its process", async () => {
  const answer = { role: "assistant", content: [{ type: "text", text: "from the plugin" }], calls: [], stop: "end" };
  const streaming = (items: readonly unknown[]) =>
    scriptedClient({
      "object.stream": ({ args }, { onItem }) => {
        assert.equal((args[0] as { model: string }).model, "big");
        for (const item of items) onItem?.(item);
      },
    });
  const run = async (items: readonly unknown[]) => {
    await using rig = await scene({ streams: true }, streaming(items));
    const opened = rig.models.client({ model: "odd/big" });
    assert.ok(opened.ok);
    return ask(opened.value);
  };
  const usage = { input: 3, output: 2 };
  assert.equal(
    await run([
      { type: "text", delta: "from " },
      { type: "text", delta: "it" },
      { type: "finish", message: answer, usage },
    ]),
    "from it",
  );
  assert.match(await run([{ type: "error", error: { kind: "auth", message: "no key" } }]), /auth: no key/u);
  assert.match(await run([{ type: "text", delta: "cut" }]), /ended without an answer/u);
  assert.match(await run([{ type: "finish", message: 7 }]), /invalid event/u);
});
