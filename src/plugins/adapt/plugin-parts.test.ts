import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptedClient } from "../../../test/support/plugin-client.ts";
import { systemClock } from "../../base/clock.ts";
import { asId, type SessionId } from "../../base/ids.ts";
import { silentLog } from "../../base/log/log.ts";
import type { MemoryProvider } from "../../contracts/knowledge/memory.ts";
import type { FitRequest } from "../../contracts/model/context.ts";
import type { Message } from "../../contracts/model/message.ts";
import type { PluginClient } from "../../contracts/plugin/client.ts";
import { emptyRegistration, type PluginRegistration } from "../../contracts/plugin/registration.ts";
import type { PolicyRequest } from "../../contracts/safety/approval.ts";
import { pluginBackends } from "./plugin-backends.ts";
import { pluginCliCommands, pluginCommands } from "./plugin-commands.ts";
import { pluginEngines } from "./plugin-engines.ts";
import { pluginMemoryProviders } from "./plugin-memory.ts";
import { pluginPlatforms } from "./plugin-platforms.ts";
import { pluginPolicies } from "./plugin-policies.ts";
import { pluginSections, renderSections } from "./prompt-sections.ts";
import { pluginSecretSources } from "./secret-sources.ts";

const signal = new AbortController().signal;

const policyRequest: PolicyRequest = {
  sessionId: asId("ses_1"),
  callId: asId("call_1"),
  principal: { id: "local:anna" },
  tool: "terminal",
  readOnly: false,
  args: { command: "git push" },
  effects: [{ kind: "exec", command: "git push", cwd: "/project", background: false }],
  origin: "model",
  place: { cwd: "/project", backend: "local" },
  tainted: [],
};

function registration(parts: Partial<PluginRegistration>): PluginRegistration {
  return { ...emptyRegistration, ...parts };
}

function only<T>(list: readonly T[]): T {
  const [first, ...rest] = list;
  assert.ok(first !== undefined && rest.length === 0);
  return first;
}

// ── commands ────────────────────────────────────────────────────────────────────────────────────────────────────────

const rain = registration({ commands: [{ name: "rain", aliases: [], summary: "", args: "" }] });

test("a slash command shows the text that the plugin process returns", async () => {
  const client = scriptedClient({ "command.run": ({ args, sessionId }) => `rain in ${args}, ${sessionId}` });
  const command = only(pluginCommands(rain, client));
  const context = { signal, sessionId: asId<SessionId>("ses_1"), run: async () => ({}) } as const;
  assert.deepEqual(await command.run("Oslo", context), { text: "rain in Oslo, ses_1" });
  assert.equal(command.plugin, "weather");
});

test("a slash command of a plugin can only return text", async () => {
  const reply = { text: "bye", failed: true, output: "log", effect: { kind: "quit" } };
  const command = only(pluginCommands(rain, scriptedClient({ "command.run": () => reply })));
  const context = { signal, run: async () => ({}) };
  assert.deepEqual(await command.run("", context), { text: "bye", failed: true, output: "log" });
  const failing = only(pluginCommands(rain, scriptedClient({})));
  assert.equal((await failing.run("", context)).failed, true);
});

test("a `hermes NAME` command prints while it runs and returns its exit code", async () => {
  const client = scriptedClient({
    "cli.run": ({ args }, { onPrint }) => {
      onPrint?.({ text: `rain in ${args.join(" ")}\n`, isError: false });
      onPrint?.({ text: "no radar\n", isError: true });
      return 3;
    },
  });
  const cliCommands = [{ name: "weather", summary: "Weather", usage: "CITY" }];
  const command = only(pluginCliCommands(registration({ cliCommands }), client, "python"));
  const printed: string[] = [];
  const host = {
    columns: 80,
    print: (text: string, isError: boolean) => void printed.push(`${isError} ${text}`),
    signal,
  };
  assert.equal(await command.run(["oslo"], host), 3);
  assert.deepEqual(printed, ["false rain in oslo\n", "true no radar\n"]);
  const broken = only(pluginCliCommands(registration({ cliCommands }), scriptedClient({}), "python"));
  assert.equal(await broken.run([], host), 1);
});

// ── policies ────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a plugin's policy can deny calls and require approval, but it cannot answer questions of other policies", async () => {
  const judge = (answer: unknown) => {
    const client = scriptedClient({ "object.call": () => answer });
    return only(pluginPolicies(registration({ policies: [{ id: "p1", name: "guard" }] }), client)).judge(
      policyRequest,
      signal,
    );
  };
  assert.deepEqual(await judge(null), {});
  assert.deepEqual(await judge({ deny: { rule: "x", message: "no push" } }), {
    deny: { rule: "plugin weather", message: "no push" },
  });
  const { asks, clears } = await judge({ asks: [{ reason: "sure?" }], clears: ["everything"] });
  assert.deepEqual([asks?.[0]?.reason, asks?.[0]?.key, clears], ["sure?", "plugin weather sure?", undefined]);
});

test("a policy that fails or returns an invalid answer denies the call", async () => {
  const policies = registration({ policies: [{ id: "p1", name: "guard" }] });
  for (const client of [
    scriptedClient({}),
    scriptedClient({ "object.call": () => "yes" }),
    scriptedClient({ "object.call": () => ({ deny: 7 }) }),
    scriptedClient({ "object.call": () => ({ asks: [{}] }) }),
  ]) {
    const { deny } = await only(pluginPolicies(policies, client)).judge(policyRequest, signal);
    assert.match(deny?.message ?? "", /^The policy guard (?:failed|returned)/u);
  }
});

// ── memory ──────────────────────────────────────────────────────────────────────────────────────────────────────────

function memoryOf(methods: readonly string[], client: PluginClient): MemoryProvider {
  const parts = registration({ memoryProviders: [{ id: "m1", name: "notes", methods }] });
  const provider = only(pluginMemoryProviders(parts, client, "/home/anna/.hermes")).create({
    clock: systemClock,
    log: silentLog,
  });
  assert.ok(provider);
  return provider;
}

test("a memory provider written for Python Hermes is initialized once and receives the turns", async () => {
  const calls: string[] = [];
  const client = scriptedClient({
    "object.call": ({ method, args, kwargs }) => {
      calls.push(`${method}(${JSON.stringify(args)}, ${JSON.stringify(kwargs)})`);
      return method === "prefetch" ? "likes tea" : method === "is_available" ? true : "";
    },
  });
  const methods = ["is_available", "initialize", "system_prompt_block", "prefetch", "sync_turn", "on_memory_write"];
  const provider = memoryOf(methods, client);
  assert.equal(await provider.promptBlock(signal), "");
  assert.equal(await provider.recall("tea?", signal), "likes tea");
  provider.noteTurn({ session: "ses_1", asked: "tea?", answered: "yes" });
  provider.noteChange({ target: "user", changes: [{ action: "add", content: "likes tea" }] });
  await provider.flush(signal);
  assert.equal((await provider.status(signal)).ok, true);
  assert.deepEqual(calls, [
    'initialize([""], {"hermes_home":"/home/anna/.hermes","platform":"cli","agent_context":"primary"})',
    "system_prompt_block([], {})",
    'prefetch(["tea?"], {})',
    'sync_turn(["tea?","yes"], {"session_id":"ses_1"})',
    'on_memory_write(["add","user","likes tea"], {})',
    "is_available([], {})",
  ]);
});

test("a memory provider written for Python Hermes is initialized again in a new process", async () => {
  const client = scriptedClient({ "object.call": () => "" });
  let generation = 1;
  const provider = memoryOf(["initialize", "prefetch"], {
    ...client,
    get generation() {
      return generation;
    },
  });
  await provider.recall("a", signal);
  await provider.recall("b", signal);
  generation = 2;
  await provider.recall("c", signal);
  const methods = client.requests.map((words) => words.split(" ").at(-1));
  assert.deepEqual(methods, ["initialize", "prefetch", "prefetch", "initialize", "prefetch"]);
});

test("a memory provider can implement our methods; each of its failures counts as an empty answer", async () => {
  const client = scriptedClient({
    "object.call": ({ method }) => {
      if (method === "recall") throw new Error("offline");
      return method === "status" ? { ok: true, value: "3 notes" } : "block";
    },
  });
  const provider = memoryOf(["promptBlock", "recall", "status"], client);
  assert.equal(await provider.promptBlock(signal), "block");
  assert.equal(await provider.recall("x", signal), "");
  assert.deepEqual(await provider.status(signal), { ok: true, value: "3 notes" });
});

// ── context engines ─────────────────────────────────────────────────────────────────────────────────────────────────

const user = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const facts = { provider: "p", model: "m", contextTokens: 1000, contextSource: "config", vision: false };
const history: readonly Message[] = [
  user("one"),
  { role: "assistant", content: [], calls: [{ id: asId("c1"), name: "ls", args: {} }], stop: "calls" },
  { role: "tool", callId: asId("c1"), name: "ls", failed: false, content: [{ type: "text", text: "a" }] },
  user("two"),
];
const request: FitRequest = {
  history: history.map((message, index) => ({ entry: asId(`e${index}`), message })),
  size: { tokens: 900, estimated: false },
  fixedTokens: 10,
  model: facts,
  carry: { todos: [], files: [], approvals: [], processes: [] },
  why: "threshold",
};

function engineOf(methods: readonly string[], answer: (method: string, args: readonly unknown[]) => unknown) {
  const client = scriptedClient({ "object.call": ({ method, args }) => answer(method, args) });
  const parts = registration({ contextEngines: [{ id: "c1", name: "short", methods }] });
  // A plugin's engine calls the host's model from its own process.
  const session = {} as Parameters<ReturnType<typeof pluginEngines>[number]["create"]>[0];
  return only(pluginEngines(parts, client)).create(session);
}

test("a context engine written for Python Hermes receives messages in its own format and replaces the whole history", async () => {
  const engine = engineOf(["compress"], (_, [messages]) => {
    assert.deepEqual((messages as readonly object[])[2], {
      role: "tool",
      tool_call_id: "c1",
      name: "ls",
      content: "a",
    });
    return [{ role: "system", content: "summary" }, ...(messages as readonly object[]).slice(1)];
  });
  assert.equal(engine.threshold(facts), 750);
  const outcome = await engine.fit(request, signal);
  assert.ok("compaction" in outcome);
  assert.equal(outcome.compaction.covers, 4);
  assert.deepEqual(outcome.compaction.messages[0], user("summary"));
  assert.deepEqual(outcome.compaction.messages[2], history[2]);
});

test("a context engine can implement our methods, and compaction fails if it separates a call from its result", async () => {
  const compaction = (covers: number) => ({ compaction: { covers, messages: [user("summary")], mechanical: true } });
  const engine = engineOf(["fit", "threshold"], (method) => (method === "threshold" ? 500 : compaction(3)));
  assert.deepEqual(await engine.fit(request, signal), compaction(3));
  for (const answer of [compaction(2), compaction(9), {}, "no", { compaction: { covers: 1, messages: [{}] } }]) {
    const outcome = await engineOf(["fit"], () => answer).fit(request, signal);
    assert.ok("failed" in outcome && /context engine short failed/u.test(outcome.failed));
  }
});

// ── platforms ───────────────────────────────────────────────────────────────────────────────────────────────────────

test("a chat platform of a plugin receives and sends messages, and a message without an id counts as not sent", async () => {
  const inbound = { chat: { chatId: "7" }, messageId: "m1", from: { id: "anna" }, content: "hello", sentAt: 5 };
  const client = scriptedClient({
    "object.stream": (_, { onItem }) => {
      for (const item of [inbound, { chat: "?" }, null]) onItem?.(item);
    },
    "object.call": ({ method, args }) => {
      if (method !== "send") return { ok: true };
      const [{ chatId }] = args as unknown as readonly [{ readonly chatId: string }];
      return chatId === "7" ? { ok: true, value: { messageId: "m2" } } : { ok: true, value: {} };
    },
  });
  const parts = registration({
    platforms: [
      { id: "x", name: "matrix", label: "Matrix", messageChars: 100, edits: true, typing: false, requiredEnv: [] },
    ],
  });
  const platform = only(pluginPlatforms(parts, client));
  const received = await Array.fromAsync(platform.receive(signal));
  const chat = { platform: "matrix", chatId: "7" };
  assert.deepEqual(received, [
    { chat, messageId: "m1", from: { id: "matrix:anna" }, content: [{ type: "text", text: "hello" }], sentAt: 5 },
  ]);
  const content = [{ type: "text", text: "hi" }] as const;
  assert.deepEqual(await platform.send(chat, content, signal), { ok: true, value: { chat, messageId: "m2" } });
  assert.equal((await platform.send({ ...chat, chatId: "8" }, content, signal)).ok, false);
  assert.equal((await platform.edit?.({ chat, messageId: "m2" }, "x", signal))?.ok, true);
  assert.equal(platform.typing, undefined);
});

// ── prompt sections, secrets ────────────────────────────────────────────────────────────────────────────────────────

test("prompt sections of plugins are fenced, sorted by id and limited in size", async () => {
  const reports: string[] = [];
  const client = scriptedClient({
    "section.render": ({ id, info }) => (id === "long" ? "x".repeat(99) : info["model"]),
  });
  const section = (id: string, content?: string, position = "after_memory") => ({
    id,
    position,
    maxChars: 20,
    ...(content !== undefined && { content }),
  });
  const sections = pluginSections(
    registration({
      promptSections: [section("b", "second"), section("a"), section("long"), section("c", "first", "before_memory")],
    }),
    client,
    (sentence) => void reports.push(sentence),
  );
  assert.deepEqual(await renderSections(sections, { model: "m1" }, signal), {
    beforeMemory: "<!-- plugin section c -->\nfirst\n<!-- end of plugin section c -->",
    afterMemory:
      "<!-- plugin section a -->\nm1\n<!-- end of plugin section a -->\n\n" +
      "<!-- plugin section b -->\nsecond\n<!-- end of plugin section b -->",
  });
  assert.match(only(reports), /long .* more than 20 characters/u);
});

test("a secret source supplies only the secrets that were requested", async () => {
  const client = scriptedClient({ "object.call": () => ({ API_KEY: "k", PATH: "/evil", OTHER: 7 }) });
  const source = only(pluginSecretSources(registration({ secretSources: [{ id: "s", name: "vault" }] }), client));
  assert.deepEqual(await source.fetch(["API_KEY", "OTHER"], signal), { ok: true, value: { API_KEY: "k" } });
});

test("a plugin's backend returns JSON, and its failure carries the plugin's message", async () => {
  const client = scriptedClient({
    "object.call": ({ method, args }) => {
      if (method === "isAvailable") return true;
      if (JSON.stringify(args).includes("bad")) throw new Error("no quota");
      return { results: [] };
    },
  });
  const backends = [{ id: "b", kind: "search", name: "mine", title: "Mine", hasCheck: true }] as const;
  const backend = only(pluginBackends(registration({ backends }), client));
  assert.deepEqual([backend.name, backend.id, backend.kind], ["search:mine", "mine", "search"]);
  assert.equal(await backend.isAvailable(signal), true);
  assert.deepEqual(await backend.run({ query: "q" }, signal), { ok: true, value: { results: [] } });
  const failed = await backend.run({ query: "bad" }, signal);
  assert.match(failed.ok ? "" : failed.error.message, /no quota/u);
});
