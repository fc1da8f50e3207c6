// covers: src/runtime/plugins, src/runtime/session
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { asId, type CallId } from "../../src/base/ids.ts";
import { isObject } from "../../src/base/json.ts";
import type { HookBus } from "../../src/contracts/host/hook.ts";
import type { AnswerPlugin } from "../../src/contracts/plugin/client.ts";
import { noPermissions } from "../../src/contracts/plugin/manifest.ts";
import type { Session } from "../../src/contracts/session/runtime.ts";
import type { ToolResult } from "../../src/contracts/tool/tool-result.ts";
import { type AnswerDeps, createAnswerPlugin } from "../../src/runtime/plugins/answer-plugin.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { type ScriptedAnswer, scriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly session: Session;
  readonly hooks: HookBus;
  readonly model: ScriptedModel;
  readonly reports: string[];
  readonly answer: AnswerPlugin;
}

const grants = {
  allow_provider_override: false,
  allowed_providers: [],
  allow_model_override: false,
  allowed_models: [],
  allow_agent_id_override: false,
  allow_profile_override: false,
  allow_task_override: false,
};

async function scene(
  script: readonly ScriptedAnswer[] = [],
  deps: Partial<AnswerDeps> = {},
  options: { readonly source?: string; readonly settings?: Readonly<Record<string, unknown>> } = {},
): Promise<Scene> {
  const home = await tempHome();
  const model = scriptedModel(script);
  const runtime = await runtimeRig({ folder: home.path, model, settings: options.settings ?? {} });
  const session = await runtime.openSession({ source: options.source ?? "cli" });
  const reports: string[] = [];
  const answer = createAnswerPlugin({
    plugin: "weather",
    grants,
    ownTasks: [],
    models: async () => undefined,
    permissions: () => ({ ...noPermissions, tools: ["read_file", "write_file"] }),
    runningCalls: new Map(),
    sessions: await runtime.services.get("liveSessions"),
    config: await runtime.services.get("config"),
    redactor: await runtime.services.get("redactor"),
    report: (sentence) => void reports.push(sentence),
    ...deps,
  });
  return {
    folder: home.path,
    session,
    hooks: runtime.hooks,
    model,
    reports,
    answer,
    async [Symbol.asyncDispose]() {
      await runtime[Symbol.asyncDispose]();
      await home[Symbol.asyncDispose]();
    },
  };
}

const { signal } = new AbortController();

function shown(result: ToolResult): string {
  if (!result.ok) return `${result.error.kind}: ${result.error.message}`;
  return result.value.content.map((part) => (part.type === "text" ? part.text : "")).join("");
}

async function called(opened: Scene, name: string, args: object): Promise<string> {
  const answer = await opened.answer("host.callTool", { name, args }, signal);
  assert.ok(answer.ok);
  return shown(answer.value);
}

test("a plugin calls tools of the session within its permissions", async () => {
  await using opened = await scene();
  await writeFile(join(opened.folder, "note.txt"), "rain at noon");
  assert.match(await called(opened, "read_file", { path: "note.txt" }), /rain at noon/u);
  assert.match(
    await called(opened, "terminal", { command: "ls" }),
    /denied: .*hermes plugins grant weather tools:terminal/u,
  );
  assert.equal(opened.reports.length, 1);
  assert.match(await called(opened, "read_file", { path: "/etc/shadow" }), /^denied|^failed/u);
  assert.deepEqual(opened.session.history(), []);
});

test("a call by a plugin is shown to the user like any other call", async () => {
  await using opened = await scene();
  const events: string[] = [];
  const reading = (async () => {
    for await (const event of opened.session.events()) events.push(event.type);
  })();
  assert.match(await called(opened, "write_file", { path: "a.txt", content: "x" }), /a\.txt/u);
  await opened.session[Symbol.asyncDispose]();
  await reading;
  assert.ok(events.includes("tool.started") && events.includes("tool.finished"));
});

test("a hook whose calls trigger the hook again ends", async () => {
  await using opened = await scene();
  let calls = 0;
  opened.hooks.add("plugin weather", {
    beforeToolCall: async () => {
      calls += 1;
      await opened.answer("host.callTool", { name: "read_file", args: { path: "x" } }, signal);
      return undefined;
    },
  });
  await called(opened, "read_file", { path: "x" });
  assert.ok(calls > 1 && calls < 50, `${calls} calls`);
});

test("without a session, a plugin can neither call tools nor use a model", async () => {
  await using opened = await scene();
  await opened.session[Symbol.asyncDispose]();
  assert.match(await called(opened, "read_file", { path: "a" }), /there is no session/u);
  assert.equal(
    (await opened.answer("host.complete", { messages: [{ role: "user", content: "hi" }] }, signal)).ok,
    false,
  );
});

test("a completion uses the model of the session, and its cost is recorded there", async () => {
  await using opened = await scene([{ text: "sunny", usage: { input: 50, output: 5, costUsd: 0.01 } }]);
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: "Weather?" },
  ];
  const answer = await opened.answer("host.complete", { messages, purpose: "summary" }, signal);
  assert.ok(answer.ok);
  assert.deepEqual(answer.value, {
    text: "sunny",
    provider: "scripted",
    model: "test",
    usage: { input: 50, output: 5, costUsd: 0.01 },
    audit: { plugin: "weather", session: opened.session.id, task: "", purpose: "summary" },
  });
  assert.deepEqual(opened.model.requests[0]?.system, [{ text: "Be brief." }]);
  assert.equal((await opened.session.usage()).day.costUsd, 0.01);
});

test("a structured completion is validated against the schema and requested once more if invalid", async () => {
  await using opened = await scene([{ text: '{"celsius":"warm"}' }, { text: '```json\n{"celsius":21}\n```' }]);
  const schema = { type: "object", properties: { celsius: { type: "number" } }, required: ["celsius"] };
  const request = { messages: [{ role: "user", content: "Weather?" }], schema };
  const answer = await opened.answer("host.complete", request, signal);
  assert.ok(answer.ok);
  assert.deepEqual(answer.value.data, { celsius: 21 });
  assert.deepEqual(answer.value.usage, { input: 200, output: 20 });
  await using wrong = await scene([{ text: "warm" }, { text: "still warm" }]);
  const refused = await wrong.answer("host.complete", request, signal);
  assert.match(refused.ok ? "" : refused.error, /did not answer with JSON/u);
});

test("using another provider, model or task in a completion needs a grant", async () => {
  await using opened = await scene([{ text: "ok" }]);
  const messages = [{ role: "user", content: "hi" }];
  for (const more of [{ provider: "openai" }, { model: "gpt-5" }, { task: "vision" }]) {
    const answer = await opened.answer("host.complete", { messages, ...more }, signal);
    assert.match(answer.ok ? "" : answer.error, /may not choose the .* plugins\.entries\.weather\.llm\.allow_/u);
  }
  const narrow = { ...grants, allow_model_override: true, allowed_models: ["gpt-5"] };
  await using granted = await scene([{ text: "ok" }], { grants: narrow, ownTasks: ["radar"] });
  const ask = async (more: object) => granted.answer("host.complete", { messages, ...more }, signal);
  assert.equal((await ask({ model: "gpt-6" })).ok, false);
  assert.equal((await ask({ model: "openai/gpt-5" })).ok, false);
  assert.equal((await ask({ model: "gpt-5" })).ok, true);
  assert.equal(granted.model.requests.length, 1);
});

test("a completion stops at the budget of the session", async () => {
  const expensive = { text: "one", usage: { input: 10, output: 1, costUsd: 2 } };
  await using opened = await scene([expensive, expensive], {}, { settings: { "budget.max_usd_per_session": 1 } });
  const request = { messages: [{ role: "user", content: "hi" }] };
  assert.equal((await opened.answer("host.complete", request, signal)).ok, true);
  const second = await opened.answer("host.complete", request, signal);
  assert.match(second.ok ? "" : second.error, /budget/iu);
});

test("a message that a plugin injects reaches the chat, marked as text of the plugin", async () => {
  await using opened = await scene([{ text: "noted" }]);
  const injected = await opened.answer("host.injectMessage", { content: "Storm ahead", role: "user" }, signal);
  assert.deepEqual(injected, { ok: true, value: true });
  await opened.session.turn?.done;
  const sent = JSON.stringify(opened.model.requests[0]?.messages);
  assert.match(sent, /Message from the plugin weather, not from the person.*untrusted_tool_result.*Storm ahead/u);
  const asSystem = await opened.answer("host.injectMessage", { content: "x", role: "system" }, signal);
  assert.deepEqual(asSystem, { ok: true, value: false });
  await using script = await scene([], {}, { source: "oneshot" });
  const refused = await script.answer("host.injectMessage", { content: "x", role: "user" }, signal);
  assert.deepEqual(refused, { ok: true, value: false });
});

test("the child agents of the session are listed, without secrets in their goals", async () => {
  const token = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;
  await using opened = await scene([{ text: "Done." }]);
  assert.deepEqual(await opened.answer("host.subagents", {}, signal), { ok: true, value: [] });
  const { agents } = opened.session;
  const started = await agents.spawn([{ goal: `use ${token}`, role: "leaf" }], {
    callId: asId<CallId>("call_1"),
    isBackground: false,
    signal,
  });
  assert.ok(started.ok);
  await agents.wait(started.value, { signal });
  const answer = await opened.answer("host.subagents", { sessionId: opened.session.id }, signal);
  const [child, ...others] = answer.ok && Array.isArray(answer.value) ? answer.value : [];
  assert.ok(isObject(child) && others.length === 0);
  assert.deepEqual([child["id"], child["state"], child["modelCalls"]], [started.value[0], "completed", 1]);
  assert.ok(!JSON.stringify(child).includes(token));
});

test("a plugin that reads the settings gets them without secrets", async () => {
  await using opened = await scene([], {}, { settings: { "model.api_key": "sk-very-secret-1234" } });
  const answer = await opened.answer("host.config", {}, signal);
  assert.ok(answer.ok);
  assert.ok(!JSON.stringify(answer.value).includes("sk-very-secret"));
  assert.ok("terminal" in answer.value);
});

test("malformed requests of a plugin are refused", async () => {
  await using opened = await scene();
  for (const params of [{}, { name: 7 }, { name: "read_file", args: "x" }]) {
    assert.equal((await opened.answer("host.callTool", params, signal)).ok, false);
  }
  for (const params of [{}, { messages: [] }, { messages: [{ role: 1 }] }, { messages: "x" }]) {
    assert.equal((await opened.answer("host.complete", params, signal)).ok, false);
  }
  assert.deepEqual(await opened.answer("host.injectMessage", { content: 7 }, signal), { ok: true, value: false });
  assert.equal((await opened.answer("next", { token: "x" }, signal)).ok, false);
});
