// covers: src/runtime/plugins, src/runtime/contributions.ts, src/plugins/adapt
import assert from "node:assert/strict";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { streamProgram } from "../../src/base/process/run-program.ts";
import { builtinCommands } from "../../src/commands/builtin-commands.ts";
import { type FoundPlugin, noPermissions, type Permissions } from "../../src/contracts/plugin/manifest.ts";
import { emptyRegistration, type PluginRegistration } from "../../src/contracts/plugin/registration.ts";
import { text } from "../../src/contracts/tool/tool-result.ts";
import { createNextCalls } from "../../src/plugins/hooks/next-calls.ts";
import { createDeliveryPace } from "../../src/plugins/hooks/observer-queue.ts";
import { createHookEvents } from "../../src/plugins/hooks/plugin-hooks.ts";
import type { OpenedRuntime } from "../../src/runtime/create-runtime.ts";
import { contributionsOf } from "../../src/runtime/plugins/plugin-contribution.ts";
import { type ScriptedClient, scriptedClient } from "../support/plugin-client.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const plugin: FoundPlugin = {
  key: "weather",
  source: "home",
  folder: "/plugins/weather",
  language: "python",
  entry: "/plugins/weather/__init__.py",
  manifest: {
    name: "weather",
    version: "1.0.0",
    description: "",
    author: "",
    kind: "standalone",
    requiresEnv: [],
  },
};

const forecast: PluginRegistration["tools"][number] = {
  name: "forecast",
  toolset: "weather",
  description: "Weather of a city",
  inputSchema: { type: "object", properties: { city: { type: "string" } } },
  emoji: "⛅",
  requiresEnv: [],
  overrides: false,
  declaresEffects: false,
};

interface Scene extends AsyncDisposable {
  readonly runtime: OpenedRuntime;
  readonly model: ReturnType<typeof scriptedModel>;
}

async function scene(
  parts: Partial<PluginRegistration>,
  client: ScriptedClient,
  more: {
    readonly script?: readonly ScriptedAnswer[];
    readonly permissions?: Partial<Permissions>;
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly mayOverride?: boolean;
  } = {},
): Promise<Scene> {
  const home = await tempHome();
  const model = scriptedModel(more.script ?? []);
  const runtime = await runtimeRig({ folder: home.path, model, settings: more.settings ?? {} });
  await runtime.contribute({ owner: "built-in commands", commands: () => builtinCommands });
  const contribution = contributionsOf(plugin, { ...emptyRegistration, ...parts }, client, {
    permissions: { ...noPermissions, ...more.permissions },
    userFolder: home.path,
    mayOverride: more.mayOverride ?? false,
    runningCalls: new Map(),
    keepCheck: () => {},
    config: await runtime.services.get("config"),
    report: () => {},
    hooks: {
      events: createHookEvents({ redact: (words) => words }),
      nextCalls: createNextCalls(),
      pace: createDeliveryPace(systemClock),
      report: () => {},
    },
  });
  await runtime.contribute(contribution);
  return {
    runtime,
    model,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

test("the model calls a plugin's tool without an approval question, and the plugin's process starts only then", async () => {
  const client = scriptedClient({ "tool.run": ({ args }) => text(`sunny in ${args["city"] as string}`) });
  const script = [{ calls: [{ name: "forecast", args: { city: "Oslo" } }] }, { text: "It is sunny." }];
  await using rig = await scene({ tools: [forecast] }, client, { script });
  const session = await rig.runtime.openSession();
  assert.ok(session.catalog.has("forecast") || session.catalog.find("forecast"));
  assert.deepEqual(client.requests, []);
  await session.prompt([{ type: "text", text: "Weather in Oslo?" }]).done;
  assert.match(JSON.stringify(session.history()), /sunny in Oslo/u);
  assert.deepEqual(client.requests, ["tool.run forecast"]);
});

test("a disabled tool of a plugin is also refused at dispatch", async () => {
  const client = scriptedClient({ "tool.run": () => text("sunny") });
  const script = [{ calls: [{ name: "forecast", args: {} }] }, { text: "no" }];
  await using rig = await scene({ tools: [forecast] }, client, {
    script,
    settings: { "tools.disabled": ["forecast"] },
  });
  const session = await rig.runtime.openSession();
  await session.prompt([{ type: "text", text: "Weather?" }]).done;
  assert.match(JSON.stringify(session.history()), /tools\.disabled/u);
  assert.deepEqual(client.requests, []);
});

test("a plugin's tool with the name of a built-in one needs the operator's permission", async () => {
  const tool = { ...forecast, name: "read_file", overrides: true };
  await using refused = await scene({ tools: [tool] }, scriptedClient({}));
  assert.equal(refused.runtime.registry.find("read_file")?.source.kind, "builtin");
  assert.match(JSON.stringify(refused.runtime.diagnostics), /plugins\.entries\.weather\.allow_tool_override/u);
  await using allowed = await scene({ tools: [tool] }, scriptedClient({}), { mayOverride: true });
  assert.equal(allowed.runtime.registry.find("read_file")?.source.kind, "plugin");
});

test("results of tools with network access are untrusted text, and a granted host needs no second permission", async () => {
  const client = scriptedClient({ "tool.run": () => text("a forecast that is long enough to carry orders") });
  const script = [{ calls: [{ name: "forecast", args: { city: "Oslo" } }] }, { text: "ok" }];
  const permissions = { net: ["api.example.com", "127.0.0.1:8080"] };
  await using rig = await scene({ tools: [forecast] }, client, { script, permissions });
  const session = await rig.runtime.openSession();
  await session.prompt([{ type: "text", text: "Weather?" }]).done;
  assert.match(JSON.stringify(session.history()), /untrusted_tool_result source=.*a forecast/u);
});

test("slash commands of a plugin are added to the chat and never replace built-in ones", async () => {
  const command = (name: string, aliases: readonly string[] = []) => ({ name, aliases, summary: "", args: "" });
  const commands = [command("rain", ["help", "drizzle"]), command("model"), command("quit")];
  await using rig = await scene({ commands }, scriptedClient({}));
  const all = await rig.runtime.commands();
  assert.deepEqual(
    all.flatMap(({ name, aliases, plugin: owner }) => (owner === undefined ? [] : [[name, aliases]])),
    [["rain", ["drizzle"]]],
  );
  assert.match(JSON.stringify(rig.runtime.diagnostics), /model \(commands\) is refused/u);
});

test("prompt sections are part of the system prompt of a new session, once", async () => {
  const promptSections = [
    { id: "tips", position: "after_memory", maxChars: 100 },
    { id: "units", position: "after_memory", maxChars: 100, content: "Use Celsius." },
  ];
  const client = scriptedClient({ "section.render": ({ info }) => `You are ${info["model"] as string}.` });
  await using rig = await scene({ promptSections }, client, { script: [{ text: "one" }, { text: "two" }] });
  const session = await rig.runtime.openSession();
  for (const words of ["one", "two"]) await session.prompt([{ type: "text", text: words }]).done;
  const prompts = rig.model.requests.map(({ system }) => system.map((part) => part.text).join("\n"));
  assert.match(
    prompts[0] ?? "",
    /<!-- plugin section tips -->\nYou are test\.\n.*\n\n<!-- plugin section units -->\nUse Celsius\./u,
  );
  assert.equal(prompts[0], prompts[1]);
  assert.deepEqual(client.requests, ["section.render tips"]);
});

test("other kinds of contributions are added to their lists", async () => {
  const named = { id: "x", name: "own" };
  await using rig = await scene(
    {
      cliCommands: [{ name: "weather", summary: "", usage: "" }],
      platforms: [{ ...named, label: "", messageChars: 10, edits: false, typing: false, requiredEnv: [] }],
      policies: [named],
      skills: [{ name: "rain", path: "/plugins/weather/rain", description: "" }],
      contextEngines: [{ ...named, methods: ["compress"] }],
      memoryProviders: [{ ...named, methods: ["prefetch"] }],
      secretSources: [named],
      auxiliaryTasks: [{ key: "radar", displayName: "Radar", description: "", defaults: {} }],
      toolsets: [{ name: "outdoors", description: "", tools: ["forecast"] }],
    },
    scriptedClient({}),
  );
  const lists = await rig.runtime.services.get("contributions");
  await lists.load("cliCommands", "platforms", "secretSources", "auxiliaryTasks");
  assert.deepEqual(
    [
      lists.cliCommands.find("weather")?.plugin,
      lists.platforms.find("own")?.name,
      lists.policies.find("weather:own")?.name,
      lists.skills.find("weather:rain")?.path,
      lists.contextEngines.find("own")?.name,
      lists.memoryProviders.find("own")?.name,
      lists.secretSources.find("weather:own")?.name,
      lists.auxiliaryTasks.find("radar")?.displayName,
      lists.registry.expand("outdoors")?.name,
    ],
    ["weather", "own", "weather:own", "/plugins/weather/rain", "own", "own", "weather:own", "Radar", "outdoors"],
  );
});

test("a plugin cannot replace an environment, provider or toolset of another owner", async () => {
  const named = (name: string) => ({ id: name, name });
  const provider = {
    ...named("offline"),
    aliases: [],
    displayName: "",
    description: "",
    signupUrl: "",
    apiMode: "",
    envVars: [],
    baseUrl: "",
    modelsUrl: "",
    authType: "",
    defaultHeaders: {},
    fields: {},
    hooks: [],
    streams: true,
  };
  await using rig = await scene(
    {
      environments: [named("local"), named("lab")],
      providers: [provider],
      toolsets: [{ name: "terminal", description: "", tools: ["forecast"] }],
    },
    scriptedClient({}),
  );
  const lists = await rig.runtime.services.get("contributions");
  await lists.load("providers");
  const refused = rig.runtime.diagnostics.map(({ message }) => message).join("\n");
  assert.match(refused, /local \(environments\) is refused/u);
  assert.match(refused, /offline \(providers\) is refused/u);
  assert.match(refused, /terminal \(toolsets\) is refused/u);
  assert.equal(lists.environments.find("lab")?.name, "lab");
});

test("commands run in the environment of a plugin", async () => {
  const client = scriptedClient({
    async "object.stream"({ args: [script, input] }, { onItem, signal }) {
      const end = await streamProgram({
        program: "sh",
        args: ["-c", script as string],
        env: { PATH: process.env["PATH"] ?? "", HOME: "/tmp", LAB: "yes" },
        stdin: Buffer.from(input as string, "base64"),
        signal,
        onOutput: (chunk) => (onItem?.({ output: Buffer.from(chunk).toString("base64") }), true),
        onErrorOutput: (chunk) => onItem?.({ error: Buffer.from(chunk).toString("base64") }),
        resume: async () => {},
      });
      return end.how === "exit" ? end.code : -1;
    },
  });
  const script = [{ calls: [{ name: "terminal", args: { command: "echo lab=$LAB; exit 4" } }] }, { text: "done" }];
  const settings = { "terminal.backend": "plugin", "terminal.plugin_environment": "lab", "approvals.mode": "yolo" };
  await using rig = await scene({ environments: [{ id: "e1", name: "lab" }] }, client, { script, settings });
  const session = await rig.runtime.openSession();
  await session.prompt([{ type: "text", text: "run it" }]).done;
  assert.match(JSON.stringify(session.history()), /lab=yes/u);
  assert.match(JSON.stringify(session.history()), /exit_code\D+4/u);
});
