// covers: src/providers, src/runtime
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { type Clock, systemClock } from "../../src/base/clock.ts";
import { sourceFlags } from "../support/child-process.ts";
import { ask, modelsRig } from "../support/models-rig.ts";
import { runProgram } from "../support/run-program.ts";
import { type AgentScript, type AgentStep, type ScriptedAgent, writeAgent } from "../support/scripted-agent/script.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");
const call = (name: string, args: object) => `<tool_call>${JSON.stringify({ name, arguments: args })}</tool_call>`;
const says = (...texts: readonly string[]) => ({ steps: texts.map((text): AgentStep => ({ text })) });

interface Scene extends AsyncDisposable {
  readonly agent: ScriptedAgent;
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  hermes(...args: readonly string[]): ReturnType<typeof runProgram>;
}

/** The bundle with its own home, and a program that plays a script. */
async function scene(script: AgentScript, more: Readonly<Record<string, string>> = {}): Promise<Scene> {
  const temp = await tempHome();
  const agent = await writeAgent(join(temp.path, "agent"), script);
  const folder = join(temp.path, "work");
  await mkdir(folder);
  await mkdir(join(temp.path, ".hermes"), { mode: 0o700 });
  await writeFile(join(temp.path, ".hermes", "config.yaml"), "agent: {api_max_retries: 0}\n");
  const env = { HOME: temp.path, HERMES_HOME: join(temp.path, ".hermes"), ...agent.env, ...more };
  return {
    agent,
    folder,
    env,
    hermes: (...args) => runProgram(process.execPath, [bundle, ...args], { cwd: folder, env, timeoutMs: 60_000 }),
    [Symbol.asyncDispose]: () => temp[Symbol.asyncDispose](),
  };
}

/** Models in this process, with the program of a script. */
async function rigOf(
  script: AgentScript,
  config = "agent: {api_max_retries: 0}\n",
  env: Readonly<Record<string, string>> = {},
  clock: Clock = systemClock,
) {
  const temp = await tempHome();
  const agent = await writeAgent(temp.path, script);
  const rig = await modelsRig(
    `model: copilot-acp\n${config}`,
    { PATH: process.env.PATH ?? "", ...agent.env, ...env },
    clock,
  );
  return {
    agent,
    models: rig.models,
    /** Simulates the exit of Hermes. */
    end: () => rig.models[Symbol.asyncDispose](),
    async [Symbol.asyncDispose]() {
      await rig[Symbol.asyncDispose]();
      await temp[Symbol.asyncDispose]();
    },
  };
}

/** A process that has ended but was not waited for does not count. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^\d+ \(.*\) Z/u.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

async function nothingLeft(agent: ScriptedAgent): Promise<void> {
  const notes = await agent.notes();
  const pids = notes.flatMap(({ pid, child }) => (child === undefined ? [pid] : [pid, child]));
  for (let wait = 0; wait < 6_000 && pids.some(isAlive); wait++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  assert.deepEqual(pids.filter(isAlive), []);
  for (const { started } of notes) if (started) assert.equal(existsSync(started.cwd), false, "its folder stays");
}

const errorOf = ({ end }: Awaited<ReturnType<typeof ask>>) => (end?.type === "error" ? end.error : undefined);

test("a program calls a tool in its text, Hermes runs it, and the next prompt contains the result", async () => {
  await using at = await scene({
    prompts: [
      { steps: [{ thought: "hm" }, ...cutUp(`I look.\n${call("read_file", { path: "a.txt" })}`)] },
      says("It says: ", "forty-two."),
    ],
  });
  await writeFile(join(at.folder, "a.txt"), "the number is 42\n");
  const result = await at.hermes("-m", "copilot-acp/x", "-z", "what is in a.txt?");
  assert.equal(result.code, 0, result.stderr);
  assert.equal(result.stdout.trim(), "It says: forty-two.");
  assert.doesNotMatch(result.stdout + result.stderr, /<\/?tool_call/u);
  const prompts = (await at.agent.prompts()).filter((text) => text.includes("what is in a.txt?"));
  assert.match(prompts[1] ?? "", /result of call 1: "read_file"\]\n[\s\S]*the number is 42/u);
  const starts = (await at.agent.notes()).flatMap(({ started, pid }) => (started ? [pid] : []));
  assert.equal(new Set(starts).size, 1, "one program serves the whole conversation");
  await nothingLeft(at.agent);
});

test("the program runs in an empty folder, with its own tokens and no other keys", async () => {
  await using at = await scene(
    { prompts: [says("ok")] },
    {
      GH_TOKEN: "gho_mine",
      OPENAI_API_KEY: "sk-other-0123456789",
      HERMES_SECRET_THING: "x",
      EDITOR: "vi",
      COPILOT_ALLOW_ALL: "true",
    },
  );
  const result = await at.hermes("model", "test", "copilot-acp/gpt-x", "--json");
  assert.equal(result.code, 0, result.stdout + result.stderr);
  const [{ started } = {}] = await at.agent.notes();
  assert.deepEqual(started?.files, []);
  const { GH_TOKEN, OPENAI_API_KEY, HERMES_SECRET_THING, EDITOR, COPILOT_MODEL, COPILOT_ALLOW_ALL } =
    started?.env ?? {};
  assert.deepEqual(
    [GH_TOKEN, OPENAI_API_KEY, HERMES_SECRET_THING, EDITOR, COPILOT_MODEL, COPILOT_ALLOW_ALL],
    ["gho_mine", undefined, undefined, "vi", "gpt-x", "false"],
  );
  const { usage, costUsd } = JSON.parse(result.stdout) as {
    usage: { estimated: boolean; costUsd: number };
    costUsd?: number;
  };
  assert.deepEqual([usage.estimated, usage.costUsd, costUsd], [true, 0, undefined]);
});

test("actions that the program starts itself are refused and do not become calls", async () => {
  const options = [
    { optionId: "yes", kind: "allow_once", name: "Allow" },
    { optionId: "no", kind: "reject_once", name: "Reject" },
  ];
  await using at = await rigOf({
    prompts: [
      {
        steps: [
          { tool: "Read ~/.ssh/id_rsa" },
          { ask: "session/request_permission", params: { toolCall: { toolCallId: "t1" }, options } },
          { ask: "session/request_permission", params: { options: options.slice(0, 1) } },
          { ask: "fs/read_text_file", params: { path: "/etc/passwd" } },
          { ask: "terminal/create", params: { command: "id" } },
          { text: "I may not." },
        ],
      },
    ],
  });
  const reply = await ask(at.models);
  assert.equal(reply.text, "I may not.");
  const { end } = reply;
  assert.ok(end?.type === "finish");
  assert.deepEqual(end.message.calls, []);
  assert.match(end.message.reasoning ?? "", /wants to use its own tool: Read ~\/\.ssh\/id_rsa/u);
  const answers = (await at.agent.notes()).flatMap(({ answer }) => (answer ? [answer] : []));
  assert.deepEqual(
    answers.map(({ result, error }) => result ?? (error as { code: number }).code),
    [{ outcome: { outcome: "selected", optionId: "no" } }, { outcome: { outcome: "cancelled" } }, -32_601, -32_601],
  );
  const greeting = (await at.agent.notes()).find(({ method }) => method === "initialize")?.params;
  assert.deepEqual(greeting?.["clientCapabilities"], {
    fs: { readTextFile: false, writeTextFile: false },
    terminal: false,
  });
});

for (const [stop, expected] of [
  ["end_turn", "end"],
  ["max_tokens", "length"],
  ["max_turn_requests", "length"],
  ["refusal", "refused"],
] as const) {
  test(`the stop reason ${stop} means ${expected}`, async () => {
    await using at = await rigOf({ prompts: [{ ...says("x"), stop }] });
    const { end } = await ask(at.models);
    assert.equal(end?.type === "finish" && end.message.stop, expected);
  });
}

const asks = (error: object): AgentScript => ({ prompts: [{ steps: [], error }] });
for (const [what, script, kind, words] of [
  [
    "not signed in",
    { newSession: { error: { code: -32_000, message: "Authentication required" } } },
    "auth",
    /copilot login/u,
  ],
  [
    "a limit of requests",
    asks({
      code: -32_603,
      message: "Internal error",
      data: { details: "You've reached your rate limit. Try again in 20s" },
    }),
    "rate_limited",
    /rate limit/u,
  ],
  [
    "a model that it does not know",
    asks({ code: -32_602, message: "Invalid model 'x'" }),
    "not_found",
    /Invalid model/u,
  ],
  ["an unknown method", asks({ code: -32_601, message: "Method not found" }), "invalid_request", /Method not found/u],
  ["another protocol", { initialize: { protocolVersion: 9 } }, "not_found", /version 9/u],
  [
    "a program that stops by itself",
    { prompts: [{ steps: [{ text: "a" }], stop: "cancelled" }] },
    "server",
    /cancelled/u,
  ],
  [
    "a wrong option",
    { first: [{ stderr: "error: unknown option '--acp'\n" }, { exit: 1 }] },
    "not_found",
    /exit code 1 before it sent any output: error: unknown option '--acp'/u,
  ],
  [
    "an end in the middle",
    { prompts: [{ steps: [{ text: "a" }, { stderr: "\u001B[31mout of \u001B[0mmemory\n" }, { exit: 3 }] }] },
    "network",
    /exit code 3 before its answer was complete: out of memory/u,
  ],
  [
    "a kill in the middle",
    { prompts: [{ steps: [{ text: "a" }, { child: true }, { kill: true }] }] },
    "network",
    /signal SIGKILL/u,
  ],
  [
    "nothing but noise",
    { prompts: [{ steps: [{ line: "noise\n".repeat(300) }, { hang: true }] }] },
    "malformed",
    /not JSON-RPC/u,
  ],
] as const satisfies readonly (readonly [string, AgentScript, string, RegExp])[]) {
  test(`${what} is an error with a hint`, async () => {
    await using at = await rigOf(script);
    const error = errorOf(await ask(at.models));
    assert.equal(error?.kind, kind, error?.message);
    assert.match(error?.message ?? "", words);
    await at.end();
    await nothingLeft(at.agent);
  });
}

test("secrets in the program's error messages are not shown", async () => {
  const key = "gho_0123456789abcdefghijABCDEFGHIJ012345";
  await using at = await rigOf({ first: [{ stderr: `bad token ${key}` }, { exit: 1 }] }, undefined, { GH_TOKEN: key });
  const error = errorOf(await ask(at.models));
  assert.match(error?.message ?? "", /bad token/u);
  assert.doesNotMatch(error?.message ?? "", /gho_0123456789abc/u);
});

test("greetings and warnings between the protocol messages are ignored", async () => {
  await using at = await rigOf({
    first: [{ line: "Welcome to the program!" }],
    prompts: [{ steps: [{ line: "{ not json" }, { text: "a" }, { line: "[]" }, { text: "b" }] }],
  });
  assert.equal((await ask(at.models)).text, "ab");
});

test("a program that exits during a request is restarted for the next attempt", async () => {
  const script = { prompts: [{ steps: [{ text: "lost" }, { exit: 1 }] }, says("again")] };
  const fast = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 10, run) };
  await using at = await rigOf(script, "agent: {api_max_retries: 1}\n", {}, fast);
  const reply = await ask(at.models);
  assert.equal(reply.text, "again");
  assert.match(reply.decisions[0] ?? "", /^retry/u);
});

test("a program that exits while idle is replaced without an error", async () => {
  await using at = await rigOf({ prompts: [says("one"), says("two")] });
  assert.equal((await ask(at.models)).text, "one");
  const [{ pid } = { pid: 0 }] = await at.agent.notes();
  process.kill(pid, "SIGKILL");
  const again = await ask(at.models);
  assert.equal(again.text, "two");
  assert.deepEqual(again.decisions, []);
});

test("the named model is selected if the program offers models", async () => {
  const models = { currentModelId: "a", availableModels: [{ modelId: "a" }, { modelId: "b" }] };
  const option = { id: "llm", category: "model", type: "select", options: [{ value: "b" }, { value: "c" }] };
  const chosen = async (model: string, newSession: object) => {
    await using at = await rigOf({ newSession, prompts: [says("ok")] });
    const client = at.models.client({ provider: "copilot-acp", model });
    assert.ok(client.ok);
    const error = errorOf(await ask(client.value));
    if (error) return error.message;
    const notes = await at.agent.notes();
    return notes.flatMap(({ method, params }) => (method?.startsWith("session/set") ? [[method, params]] : []));
  };
  const named = (match: unknown) => JSON.stringify(match).replaceAll(/"s\d+-1"/gu, '"s"');
  assert.equal(named(await chosen("b", { models })), '[["session/set_model",{"sessionId":"s","modelId":"b"}]]');
  assert.equal(
    named(await chosen("c", { configOptions: [option] })),
    '[["session/set_config_option",{"sessionId":"s","configId":"llm","value":"c"}]]',
  );
  assert.match(named(await chosen("z", { models })), /has no model z; it offers a, b/u);
  assert.equal(named(await chosen("default", { models })), "[]");
  assert.equal(named(await chosen("z", {})), "[]");
});

test("a program that can delete sessions deletes them at the end", async () => {
  await using at = await rigOf({
    initialize: { agentCapabilities: { sessionCapabilities: { close: {}, delete: {} } } },
    prompts: [says("ok")],
  });
  await ask(at.models);
  await ask(at.models);
  const methods = (await at.agent.notes()).flatMap(({ method }) => method ?? []);
  const talk = ["session/new", "session/prompt"];
  assert.deepEqual(methods.slice(0, 6), ["initialize", ...talk, "session/delete", ...talk]);
});

for (const [what, isDeaf] of [
  ["obeys it", false],
  ["ignores it", true],
] as const) {
  test(`an interrupt ends the stream when the program ${what}`, async () => {
    await using at = await rigOf({
      isDeaf,
      prompts: [{ steps: [{ child: true }, { text: "a" }, { hang: true }] }, says("next")],
    });
    const stop = new AbortController();
    const client = at.models.client();
    assert.ok(client.ok);
    const messages = [{ role: "user", content: [{ type: "text", text: "x" }] }] as const;
    for await (const event of client.value.stream({ system: [], messages, tools: [] }, stop.signal)) {
      if (event.type === "text") stop.abort();
      if (event.type === "error") assert.equal(event.error.kind, "aborted");
    }
    assert.equal((await ask(at.models)).text, "next", "it can be asked again");
    const starts = (await at.agent.notes()).filter(({ started }) => started);
    assert.ok(starts.length <= 2);
    await at.end();
    assert.ok((await at.agent.notes()).some(({ method }) => method === "session/cancel"));
    await nothingLeft(at.agent);
  });
}

test("a program that sends nothing can be interrupted", async () => {
  await using at = await rigOf({ isDeaf: true, first: [{ hang: true }] });
  const stop = new AbortController();
  const asking = ask(at.models, {}, stop.signal);
  while ((await at.agent.notes()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  stop.abort();
  assert.equal(errorOf(await asking)?.kind, "aborted");
  await at.end();
  await nothingLeft(at.agent);
});

test("a silent program is abandoned after a minute", async () => {
  const fast = { ...systemClock, after: (ms: number, run: () => void) => systemClock.after(ms / 100, run) };
  await using at = await rigOf({ first: [{ hang: true }] }, undefined, {}, fast);
  const error = errorOf(await ask(at.models));
  assert.deepEqual([error?.kind, /sent nothing for 60 s/u.test(error?.message ?? "")], ["stalled", true]);
  await at.end();
  await nothingLeft(at.agent);
});

test("an idle program does not keep Hermes running, and ends with it", async () => {
  await using at = await scene({ prompts: [says("ok")] });
  const root = join(import.meta.dirname, "..", "..");
  const code = `
    import { loadConfig } from "./src/config/load.ts";
    import { openModels } from "./src/runtime/models/models.ts";
    import { systemClock as clock } from "./src/base/clock.ts";
    import { silentLog as log } from "./src/base/log/log.ts";
    const config = await loadConfig({ env: process.env, cwd: process.cwd() });
    const client = openModels(config.value, { clock, log }).client({ provider: "copilot-acp" });
    const messages = [{ role: "user", content: [{ type: "text", text: "x" }] }];
    const asked = client.value.stream({ system: [], messages, tools: [] }, new AbortController().signal);
    for await (const event of asked) if (event.type === "text") console.log(event.delta);`;
  const result = await runProgram(process.execPath, [...sourceFlags, "--input-type=module", "-e", code], {
    cwd: root,
    env: at.env,
  });
  assert.deepEqual([result.code, result.stdout], [0, "ok\n"], result.stderr);
  await nothingLeft(at.agent);
});

test("a reader that disconnects stops the program's work", async () => {
  await using at = await rigOf({ prompts: [{ steps: [{ text: "a" }, { hang: true }] }] });
  const client = at.models.client();
  assert.ok(client.ok);
  const messages = [{ role: "user", content: [{ type: "text", text: "x" }] }] as const;
  for await (const event of client.value.stream({ system: [], messages, tools: [] }, new AbortController().signal))
    if (event.type === "text") break;
  await at.end();
  await nothingLeft(at.agent);
});

test("a silent program is abandoned after the configured time", async () => {
  await using at = await rigOf(
    { prompts: [{ steps: [{ stderr: "waiting for the network" }, { hang: true }] }] },
    "agent: {api_max_retries: 0}\nproviders: {copilot-acp: {stale_timeout_seconds: 0.5}}\n",
  );
  const error = errorOf(await ask(at.models));
  assert.equal(error?.kind, "stalled");
  assert.match(error?.message ?? "", /sent nothing[\s\S]*waiting for the network/u);
});

test("parallel requests each have their own program", async () => {
  await using at = await rigOf({ prompts: [{ steps: [{ waitMs: 200 }, { text: "ok" }] }] });
  const reply = await Promise.all([ask(at.models), ask(at.models), ask(at.models)]);
  assert.deepEqual(
    reply.map(({ text }) => text),
    ["ok", "ok", "ok"],
  );
});

test("Ctrl-C at the terminal leaves no process of the program", async () => {
  await using at = await scene({
    isDeaf: true,
    prompts: [{ steps: [{ child: true }, { text: "begun" }, { hang: true }] }],
  });
  const child = spawn(process.execPath, [bundle, "-m", "copilot-acp", "-z", "hello"], {
    cwd: at.folder,
    env: { ...process.env, ...at.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  while (!(await at.agent.notes()).some(({ child: pid }) => pid !== undefined))
    await new Promise((resolve) => setTimeout(resolve, 20));
  child.kill("SIGINT");
  const [code] = (await once(child, "close")) as [number | null];
  assert.equal(code, 130);
  await nothingLeft(at.agent);
});

test("without the program, Hermes explains how to install it, and a fallback model answers", async () => {
  await using at = await scene({ prompts: [says("ok")] }, { HERMES_COPILOT_ACP_COMMAND: "/nowhere/copilot" });
  const result = await at.hermes("-m", "copilot-acp", "-z", "hello");
  assert.equal(result.code, 1);
  assert.match(result.stderr, /no program \/nowhere\/copilot[\s\S]*npm install/u);
  const listed = await at.hermes("model", "list", "--all");
  assert.match(listed.stdout, /copilot-acp +not here/u);
  assert.deepEqual(await at.agent.notes(), []);
});

test("a program of the same name in the project is not used", async () => {
  await using at = await scene({}, { HERMES_COPILOT_ACP_COMMAND: "" });
  const tools = join(at.folder, "node_modules", ".bin");
  await mkdir(tools, { recursive: true });
  await writeFile(join(tools, "copilot"), `#!/bin/sh\ntouch "${at.folder}/was-run"\n`, { mode: 0o755 });
  const env = { ...at.env, PATH: `${tools}:/usr/bin:/bin` };
  const options = { cwd: at.folder, env, timeoutMs: 60_000 };
  const result = await runProgram(process.execPath, [bundle, "-m", "copilot-acp", "-z", "hello"], options);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /copilot is not on PATH/u);
  assert.equal(existsSync(join(at.folder, "was-run")), false);
});

test("the model list shows the program without starting it, and its commands need no key", async () => {
  await using at = await scene({ prompts: [says("ok")] });
  assert.match((await at.hermes("model", "list", "--all")).stdout, /copilot-acp +no key needed +default/u);
  const used = await at.hermes("model", "use", "copilot-acp/gpt-5.5");
  assert.equal(used.code, 0, used.stderr);
  assert.doesNotMatch(used.stdout, /note:/u);
  assert.match((await at.hermes("auth", "test", "copilot-acp")).stderr, /needs no key/u);
  assert.match((await at.hermes("auth", "add", "copilot-acp")).stderr, /needs no key/u);
  assert.deepEqual(await at.agent.notes(), [], "nothing was started");
  const config = await readFile(join(at.env["HERMES_HOME"] ?? "", "config.yaml"), "utf8");
  assert.match(config, /provider: copilot-acp/u);
});

test("a conversation with the program is recorded and replayed", async () => {
  await using at = await scene({
    prompts: [says(call("write_file", { path: "b.txt", content: "hi" })), says("written")],
  });
  const answer = await at.hermes("-m", "copilot-acp", "--yolo", "-z", "write it", "--record", "r.jsonl");
  assert.equal(answer.code, 0, answer.stderr);
  const before = (await at.agent.notes()).length;
  const played = await at.hermes("replay", "r.jsonl");
  assert.equal(played.code, 0, played.stderr);
  assert.match(played.stderr, /as recorded/u);
  assert.equal((await at.agent.notes()).length, before);
});

test("the program works as a fallback for a model that cannot answer", async () => {
  await using at = await rigOf(
    { prompts: [says("from the program")] },
    "agent: {api_max_retries: 0}\nfallback_providers: [{provider: copilot-acp, model: default}]\n",
  );
  const client = at.models.client({ provider: "custom", model: "m", at: { base_url: "http://127.0.0.1:9/v1" } });
  assert.ok(client.ok);
  const reply = await ask(client.value);
  assert.equal(reply.text, "from the program");
  assert.match(reply.decisions.at(-1) ?? "", /falling back to copilot-acp\/default/u);
});

/** Splits the text as a stream might. */
function cutUp(text: string): readonly AgentStep[] {
  return (text.match(/[\s\S]{1,7}/gu) ?? []).map((piece) => ({ text: piece }));
}
