// covers: src/plugins/runner
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { err, ok } from "../../src/base/result.ts";
import { hookFacts, originalHookNames } from "../../src/contracts/host/hook.ts";
import { readRegistration } from "../../src/plugins/registration/read-registration.ts";
import { eventually } from "../support/eventually.ts";
import { type PythonPluginOptions, startPythonPlugin } from "../support/python-plugin.ts";
import { tempHome } from "../support/temp-home.ts";

/** Starts a plugin whose `register(ctx)` has this body, after this code; the host keeps all of its registration. */
async function startWith(home: string, body: string, code = "", options: PythonPluginOptions = {}) {
  const lines = body.trim().split("\n");
  const source = `import json\n${code}\ndef register(ctx):\n${lines.map((line) => `    ${line}`).join("\n")}\n`;
  const plugin = startPythonPlugin(
    home,
    {
      "plugin.yaml": "name: sample\nauthor: Ann\nkind: backend\nprovides_tools: [t]\n",
      "__init__.py": source,
      "skill.md": "x",
      "skills/a/SKILL.md": "x",
    },
    options,
  );
  const registration = await plugin.load({ options: { unit: { name: "C" } }, profile: "work" });
  const read = readRegistration(registration, plugin.folder);
  assert.ok(read.ok);
  return Object.assign(plugin, { registration: read.value });
}

/** The result of a tool `t` that returns `answer`, in a plugin whose code may use `ctx`. */
const answering = (answer: string) => `global context
context = ctx
ctx.register_tool("t", "set", {}, lambda args, **kw: json.dumps(${answer}))`;

async function answerOf(plugin: Awaited<ReturnType<typeof startWith>>): Promise<JsonValue | undefined> {
  const { value, error } = (await plugin.tool("t", {})) as { value?: { data: JsonValue }; error?: { message: string } };
  return value?.data ?? error?.message;
}

test("the plugin context has its own manifest, profile_name, plugin_id, data_dir and get_config", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    answering(
      `[ctx.manifest.name, ctx.manifest.version, ctx.manifest.key, ctx.manifest.author, ctx.manifest.kind, ctx.manifest.provides_tools, ctx.manifest.requires_env, ctx.profile_name, ctx.plugin_id, ctx.get_config("unit.name"), ctx.get_config("other", 5), str(ctx.data_dir)]`,
    ),
  );
  assert.deepEqual(await answerOf(plugin), [
    "sample",
    "1.0.0",
    "sample",
    "Ann",
    "backend",
    ["t"],
    [],
    "work",
    "sample",
    "C",
    5,
    join(home.path, "plugin-data", "sample"),
  ]);
});

test("register_tool accepts every parameter of Python Hermes, by position and by name", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
handler = lambda args, **kw: "x"
ctx.register_tool("a", "one", {"description": "d"}, handler, lambda: True, ["KEY"], False, "better", "🧮", True)
ctx.register_tool(name="b", schema={"type": "function", "function": {"description": "e", "parameters": {"properties": {"x": {"type": "string"}}}}}, handler=handler, check_fn=check)
ctx.register_tool(name="c", schema={"properties": {}}, handler=handler, check_fn=lambda: 1 / 0)
assert ctx.register_tool("a", "two", {}, handler) is None
ctx.register_tool("d", "one", {}, handler).dispose()
`,
    "async def check():\n    return True",
  );
  const { tools, warnings } = plugin.registration;
  assert.deepEqual(
    tools.map((tool) => [tool.name, tool.toolset, tool.description, tool.emoji, tool.requiresEnv, tool.overrides]),
    [
      ["a", "one", "better", "🧮", ["KEY"], true],
      ["b", "sample", "e", "⚡", [], false],
      ["c", "sample", "", "⚡", [], false],
    ],
  );
  assert.deepEqual(
    tools.map(({ isAvailable }) => isAvailable),
    [true, true, false],
  );
  assert.deepEqual(tools[1]?.inputSchema, { type: "object", properties: { x: { type: "string" } } });
  assert.deepEqual(warnings, ["register_tool: a is already in the toolset one; the first one is kept"]);
});

test("register_hook accepts every hook name, and suggests the nearest name for an unknown one", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
from hermes_cli.plugins import VALID_HOOKS
for name in sorted(VALID_HOOKS): ctx.register_hook(name, lambda **kw: kw.get("x"))
ctx.register_hook("pre_tool_cal", print)
ctx.register_hook("kanban_task_claimed", print)
ctx.register_hook("before-tool-call", print)
`,
  );
  const { hooks, warnings, unsupported } = plugin.registration;
  assert.deepEqual(
    Object.fromEntries(hooks.slice(0, -1).map(({ original, hook }) => [original, hook])),
    Object.fromEntries(Object.entries(originalHookNames)),
  );
  for (const { hook, mayAnswer } of hooks) {
    assert.equal(mayAnswer, hookFacts[hook as keyof typeof hookFacts].kind === "interceptor", hook);
  }
  assert.equal(hooks.find(({ original }) => original === "before-tool-call")?.hook, "beforeToolCall");
  assert.deepEqual(warnings, ["register_hook: there is no hook 'pre_tool_cal'. Did you mean pre_tool_call?"]);
  assert.deepEqual(unsupported, [{ member: "hook kanban_task_claimed", detail: "not supported by this host" }]);
});

test("a pre_tool_call hook that returns nothing is an observer; one that may answer is a policy, unless declared otherwise", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
for callback in (watches, watches_too, answers, chooses, waits, delegates):
    ctx.register_hook("pre_tool_call", callback)
ctx.register_hook("pre_tool_call", watches, policy=True)
ctx.register_hook("pre_tool_call", answers, policy=False)
ctx.register_hook("transform_tool_result", answers)
`,
    `
def watches(tool_name, **kw):
    print(tool_name)
def watches_too(tool_name, **kw):
    if tool_name: return
    return None
def answers(tool_name, **kw):
    if tool_name == "x":
        return {"action": "block", "message": "no"}
def chooses(tool_name, **kw):
    return "a" if tool_name else None
async def waits(**kw):
    return {"action": "block", "message": "no"}
def wrapper(function):
    return lambda **kw: function(**kw)
delegates = wrapper(answers)
`,
  );
  assert.deepEqual(
    plugin.registration.hooks.map(({ mayAnswer, isPolicy }) => [mayAnswer, isPolicy]),
    [
      [false, false],
      [false, false],
      [true, true],
      [true, true],
      [true, true],
      [true, true],
      [true, true],
      [true, false],
      [true, false],
    ],
  );
});

test("hooks get the keyword arguments that they accept, and the schema version", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
for callback in (everything, fewer, one, none, positional, later, fails):
    ctx.register_hook("pre_tool_call", callback)
`,
    `
def everything(**kw): return kw
def fewer(tool_name, task_id="?"): return [tool_name, task_id]
def one(event): return event["tool_name"]
def none(): return "none"
def positional(tool_name, args, /, task_id): return [tool_name, args, task_id]
async def later(tool_name, **kw): return tool_name
def fails(**kw): return kw["missing"]
`,
  );
  const args = { tool_name: "terminal", args: { a: 1 }, task_id: "s1" };
  const run = (index: number) => plugin.request("hook.run", { id: `pre_tool_call#${index}`, args });
  assert.deepEqual(await run(1), { ...args, telemetry_schema_version: "hermes.observer.v1" });
  assert.deepEqual(await run(2), ["terminal", "s1"]);
  assert.equal(await run(3), "terminal");
  assert.equal(await run(4), "none");
  assert.deepEqual(await run(5), ["terminal", { a: 1 }, "s1"]);
  assert.equal(await run(6), "terminal");
  assert.equal(
    await plugin.refusal("hook.run", { id: "pre_tool_call#7", args }),
    "Plugin sample: hook.run: KeyError: 'missing' (__init__.py, line 9)",
  );
});

test("an observer that fails is logged, and the next one still runs, in order", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `ctx.register_hook("post_tool_call", fails)\nctx.register_hook("post_tool_call", writes)`,
    `import logging
def fails(**kw): raise ValueError("no")
def writes(tool_name, **kw): logging.getLogger("mine").warning("saw %s", tool_name)`,
  );
  const events = ["a", "b"].flatMap((tool_name) =>
    [1, 2].map((index) => ({ id: `post_tool_call#${index}`, args: { tool_name } })),
  );
  plugin.notify("hook.notify", { events });
  const logged = () =>
    plugin.notifications.flatMap(({ method, params }) => (method === "log" ? [String(params["message"])] : []));
  await eventually(() => logged().length === 4);
  assert.deepEqual(logged(), [
    "Plugin sample: hook: ValueError: no (__init__.py, line 3)",
    "mine: saw a",
    "Plugin sample: hook: ValueError: no (__init__.py, line 3)",
    "mine: saw b",
  ]);
});

test("register_middleware rewrites requests and wraps calls with a next_call that works once", async () => {
  await using home = await tempHome();
  const next: unknown[] = [];
  const answer: PythonPluginOptions["answer"] = async (method, params) => {
    next.push([method, params]);
    if (params["token"] === "model") return ok({ choices: [{ message: { content: "hi" } }] });
    return ok({ result: "r" });
  };
  await using plugin = await startWith(
    home.path,
    `
ctx.register_middleware("tool_request", rewrite)
ctx.register_middleware("tool_execution", wrap)
ctx.register_middleware("tool_execution", wrap_async)
ctx.register_middleware("tool_execution", twice)
ctx.register_middleware("llm_execution", blocks)
ctx.register_middleware("llm_execution", edits)
ctx.register_middleware("tool_reqest", rewrite)
`,
    `
from hermes_cli.middleware import LLMExecutionBlocked
def rewrite(args, tool_name, **kw): return {"args": {**args, "by": tool_name, "v": kw["middleware_schema_version"]}}
def wrap(args, next_call, **kw): return ["wrapped", next_call({**args, "more": 1})]
async def wrap_async(next_call, **kw): return ["async", await next_call()]
def twice(next_call, **kw):
    next_call()
    next_call()
def blocks(request, next_call, **kw): raise LLMExecutionBlocked("too dear")
def edits(request, next_call, **kw):
    response = next_call(request)
    response.choices[0].message.content += "!"
    return response
`,
    { answer },
  );
  const run = (id: string, kind: string, payload: JsonObject) => ({ id, kind, payload, token: "k" });
  const payload = { args: { a: 1 }, tool_name: "t" };
  assert.deepEqual(await plugin.request("middleware.run", run("tool_request#1", "tool_request", payload)), {
    args: { a: 1, by: "t", v: "hermes.middleware.v1" },
  });
  assert.deepEqual(await plugin.request("middleware.run", run("tool_execution#2", "tool_execution", payload)), [
    "wrapped",
    { result: "r" },
  ]);
  assert.deepEqual(await plugin.request("middleware.run", run("tool_execution#3", "tool_execution", payload)), [
    "async",
    { result: "r" },
  ]);
  assert.match(
    await plugin.refusal("middleware.run", run("tool_execution#4", "tool_execution", payload)),
    /RuntimeError: Middleware 'tool_execution' callback twice called next_call\(\) more than once.*line 9\)$/u,
  );
  assert.deepEqual(await plugin.request("middleware.run", run("llm_execution#5", "llm_execution", { request: {} })), {
    action: "block",
    message: "too dear",
    metadata: {},
  });
  const edited = { id: "llm_execution#6", kind: "llm_execution", payload: { request: {} }, token: "model" };
  assert.deepEqual(await plugin.request("middleware.run", edited), { choices: [{ message: { content: "hi!" } }] });
  assert.deepEqual(next.slice(0, 3), [
    ["next", { token: "k", payload: { a: 1, more: 1 } }],
    ["next", { token: "k" }],
    ["next", { token: "k" }],
  ]);
  assert.deepEqual(plugin.registration.warnings, [
    "register_middleware: there is no kind 'tool_reqest'. Did you mean tool_request?",
  ]);
});

test("register_command adds a slash command that keeps its state", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_command("/My Notes", notes, description="keeps notes", args_hint="[text]")
ctx.register_command("later", later)
ctx.register_command(" ", notes)
`,
    "kept = []\ndef notes(raw_args):\n    kept.append(raw_args)\n    return ', '.join(kept)\nasync def later(args, session_id): return session_id",
  );
  assert.deepEqual(plugin.registration.commands, [
    { name: "my-notes", aliases: [], summary: "keeps notes", args: "[text]" },
    { name: "later", aliases: [], summary: "Plugin command", args: "" },
  ]);
  assert.equal(await plugin.request("command.run", { name: "my-notes", args: "a" }), "a");
  assert.equal(await plugin.request("command.run", { name: "my-notes", args: "b" }), "a, b");
  assert.equal(await plugin.request("command.run", { name: "later", args: "", sessionId: "s9" }), "s9");
  assert.deepEqual(plugin.registration.warnings, ["register_command: the name is empty"]);
});

test("register_cli_command parses with argparse and prints to the user", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `ctx.register_cli_command("notes", "Keeps notes", setup, run)`,
    `
import sys
def setup(parser):
    parser.add_argument("--count", type=int, default=1)
    parser.add_argument("word")
def run(args):
    print(args.word * args.count)
    print("warning", file=sys.stderr)
    return 3`,
  );
  assert.deepEqual(plugin.registration.cliCommands, [
    { name: "notes", summary: "Keeps notes", usage: "hermes notes [-h] [--count COUNT] word" },
  ]);
  const run = (...args: string[]) => plugin.request("cli.run", { name: "notes", args, columns: 60 });
  const printed = () =>
    plugin.notifications.splice(0).flatMap(({ method, params }) => (method === "print" ? [params] : []));
  assert.equal(await run("ab", "--count", "2"), 3);
  assert.deepEqual(printed(), [
    { text: "abab\n", isError: false },
    { text: "warning\n", isError: true },
  ]);
  assert.equal(await run("--count", "x"), 2);
  assert.match(
    printed()
      .map(({ text }) => text)
      .join(""),
    /usage: hermes notes .*\n.*invalid int value: 'x'/su,
  );
  assert.equal(await run("--help"), 0);
});

test("dispatch_tool is a nested call of the running call, even from coroutines and threads", async () => {
  await using home = await tempHome();
  const calls: unknown[] = [];
  const answer: PythonPluginOptions["answer"] = async (method, params) => {
    calls.push([method, params]);
    return params["name"] === "bad"
      ? ok({ ok: false, error: { kind: "denied", message: "not allowed", effect: "none" } })
      : ok({ ok: true, value: { content: [{ type: "text", text: "listed" }] } });
  };
  await using plugin = await startWith(
    home.path,
    `
global context
context = ctx
ctx.register_tool("t", "set", {}, lambda args, **kw: json.dumps([ctx.dispatch_tool("ls", {"p": 1}), ctx.dispatch_tool("bad", {})]))
ctx.register_tool("later", "set", {}, later)
`,
    `async def later(args, **kw): return context.dispatch_tool("ls", {})`,
    { answer },
  );
  assert.deepEqual(await answerOf(plugin), ["listed", '{"error": "not allowed"}']);
  await plugin.request("tool.run", { name: "later", args: {}, call: { sessionId: "s2", callId: "c2" } });
  assert.deepEqual(calls, [
    ["host.callTool", { name: "ls", args: { p: 1 }, callId: "c1", sessionId: "s1" }],
    ["host.callTool", { name: "bad", args: {}, callId: "c1", sessionId: "s1" }],
    ["host.callTool", { name: "ls", args: {}, callId: "c2", sessionId: "s2" }],
  ]);
});

test("inject_message returns whether the message was accepted", async () => {
  await using home = await tempHome();
  const calls: unknown[] = [];
  const answer: PythonPluginOptions["answer"] = async (_, params) => {
    calls.push(params);
    return params["role"] === "user" ? ok(true) : err("no chat is open");
  };
  await using plugin = await startWith(
    home.path,
    answering(
      `[ctx.inject_message("hi"), ctx.inject_message("hi", "system"), ctx.inject_message("hi", session_key="k")]`,
    ),
    "",
    { answer },
  );
  assert.deepEqual(await answerOf(plugin), [true, false, true]);
  assert.deepEqual(calls, [
    { content: "hi", role: "user", sessionId: "s1" },
    { content: "hi", role: "system", sessionId: "s1" },
    { content: "hi", role: "user", sessionId: "k" },
  ]);
});

test("register_skill checks name and path", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
from pathlib import Path
here = Path(__file__).parent
ctx.register_skill("guide", here / "skill.md", "a guide")
ctx.register_skill("more", here / "skills" / "a", frontmatter={"description": "d"})
ctx.register_skill("gone", here / "skill.md").dispose()
ctx.register_skill("outside", "/etc/passwd")
for name, path in (("a:b", here / "skill.md"), ("a b", here / "skill.md"), ("x", here / "none.md")):
    try:
        ctx.register_skill(name, path)
        raise SystemExit("taken: " + name)
    except (ValueError, FileNotFoundError):
        pass
`,
  );
  assert.deepEqual(plugin.registration.skills, [
    { name: "guide", path: join(plugin.folder, "skill.md"), description: "a guide" },
    { name: "more", path: join(plugin.folder, "skills", "a"), description: "d" },
  ]);
  assert.equal(plugin.registration.warnings.length, 1);
});

test("register_system_prompt_section applies the limits of Python Hermes", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_system_prompt_section("a.b", "text", max_chars=100)
ctx.register_system_prompt_section("made", lambda info: f"for {info['model']}")
ctx.register_system_prompt_section("long", "x" * 101, max_chars=100)
for id, content, options in (("A", "x", {}), ("-a", "x", {}), ("x" * 129, "x", {}), ("a.b", "x", {}), ("c", "x", {"position": "first"}), ("c", "x", {"max_chars": 4001}), ("c", 5, {})):
    try:
        ctx.register_system_prompt_section(id, content, **options)
        raise SystemExit(id)
    except (ValueError, TypeError):
        pass
for index in range(40): ctx.register_system_prompt_section(f"s{index}", "x")
`,
  );
  const { promptSections, warnings } = plugin.registration;
  assert.deepEqual(promptSections.slice(0, 2), [
    { id: "a.b", position: "after_memory", maxChars: 100, content: "text" },
    { id: "made", position: "after_memory", maxChars: 4000 },
  ]);
  assert.equal(promptSections.length, 32);
  assert.equal(warnings[0], "register_system_prompt_section: long has 101 characters and is skipped; the limit is 100");
  assert.equal(await plugin.request("section.render", { id: "made", info: { model: "m" } }), "for m");
});

test("register_context_engine and register_memory_provider accept objects of the right class; the first engine wins", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_context_engine(object())
ctx.register_context_engine(Engine("one"))
ctx.register_context_engine(Engine("two"))
ctx.register_memory_provider(Memory())
ctx.register_memory_provider("x")
`,
    `
from agent.context_engine import ContextEngine
from agent.memory_provider import MemoryProvider
class Engine(ContextEngine):
    def __init__(self, name): self._name = name
    @property
    def name(self): return self._name
    def update_from_response(self, usage): self.last_prompt_tokens = usage["prompt_tokens"]
    def should_compress(self, prompt_tokens=None): return prompt_tokens > 10
    def compress(self, messages, current_tokens=None): return messages[-1:]
class Memory(MemoryProvider):
    name = "mine"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): self.session = session_id
    def get_tool_schemas(self): return []
    def prefetch(self, query, *, session_id=""): return f"{query} in {self.session}"
`,
  );
  const { contextEngines, memoryProviders, warnings } = plugin.registration;
  assert.deepEqual(contextEngines, [
    {
      id: "contextEngines:one",
      name: "one",
      methods: ["compress", "should_compress", "update_from_response"],
    },
  ]);
  assert.deepEqual(memoryProviders, [
    {
      id: "memoryProviders:mine",
      name: "mine",
      methods: ["get_tool_schemas", "initialize", "is_available", "prefetch"],
    },
  ]);
  assert.equal(warnings.length, 3);
  const call = (id: string, method: string, args: JsonValue[], kwargs: JsonObject = {}) =>
    plugin.request("object.call", { id, method, args, kwargs });
  const kwargs = { current_tokens: 5, focus_topic: "x" };
  assert.deepEqual(await call("contextEngines:one", "compress", [[1, 2]], kwargs), [2]);
  await call("contextEngines:one", "update_from_response", [{ prompt_tokens: 7 }]);
  assert.equal(await call("contextEngines:one", "last_prompt_tokens", []), 7);
  await call("memoryProviders:mine", "initialize", ["s1"], { hermes_home: "/h", platform: "cli" });
  assert.equal(await call("memoryProviders:mine", "prefetch", ["q"], { session_id: "s1" }), "q in s1");
});

test("register_secret_source fetches values by name", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `ctx.register_secret_source(Vault())\nctx.register_secret_source(Broken())\nctx.register_secret_source(object())`,
    `
from agent.secret_sources.base import FetchResult, SecretSource
class Vault(SecretSource):
    name = "vault"
    def fetch(self, cfg, home_path): return FetchResult(secrets={"A": "1", "B": cfg["unit"]["name"], "home": str(home_path)})
class Broken(SecretSource):
    name = "broken"
    def fetch(self, cfg, home_path): return FetchResult(error="locked")
`,
  );
  const fetch = { method: "fetch", args: [["A", "B", "C"]], kwargs: {} };
  assert.deepEqual(await plugin.request("object.call", { id: "secretSources:vault", ...fetch }), { A: "1", B: "C" });
  assert.match(await plugin.refusal("object.call", { id: "secretSources:broken", ...fetch }), /RuntimeError: locked/u);
  assert.equal(plugin.registration.warnings.length, 1);
});

test("register_auxiliary_task adds a model slot with defaults", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_auxiliary_task("scores", display_name="Scores", description="d", defaults={"timeout": 5})
for key in ("", "a-b", 5):
    try:
        ctx.register_auxiliary_task(key, display_name="x", description="x")
        raise SystemExit(str(key))
    except ValueError:
        pass
`,
  );
  assert.deepEqual(plugin.registration.auxiliaryTasks, [
    {
      key: "scores",
      displayName: "Scores",
      description: "d",
      defaults: { provider: "auto", model: "", base_url: "", api_key: "", timeout: 5, extra_body: {} },
    },
  ]);
});

test("llm.complete and complete_structured return text, data, usage and audit, even for coroutines", async () => {
  await using home = await tempHome();
  const calls: unknown[] = [];
  const answer: PythonPluginOptions["answer"] = async (_, params) => {
    calls.push(params);
    if (params["model"] === "big") return err("plugins.entries.sample.llm.allow_model_override is not set");
    const data = params["schema"] === undefined ? {} : { data: { score: 1 } };
    return ok({ text: "hi", provider: "p", model: "m", usage: { input: 3, output: 4, costUsd: 0.5 }, ...data });
  };
  await using plugin = await startWith(
    home.path,
    `
def complete(args, **kw):
    plain = ctx.llm.complete([{"role": "user", "content": [{"type": "text", "text": "q"}]}], max_tokens=5, purpose="test")
    made = ctx.llm.complete_structured(instructions="score", input=[{"type": "text", "text": "x"}], json_schema={"type": "object"})
    faults = []
    for options in ({"model": "big"}, {"agent_id": "x"}):
        try:
            ctx.llm.complete([{"role": "user", "content": "q"}], **options)
        except Exception as error:
            faults.append(str(error))
    return [plain.text, plain.provider, plain.model, plain.usage.total_tokens, plain.usage.cost_usd, plain.audit["purpose"], made.parsed, made.content_type, faults]
async def later(args, **kw):
    return (await ctx.llm.acomplete([{"role": "user", "content": "q"}])).text
ctx.register_tool("t", "set", {}, complete)
ctx.register_tool("later", "set", {}, later)
`,
    "",
    { answer },
  );
  assert.deepEqual(await answerOf(plugin), [
    "hi",
    "p",
    "m",
    7,
    0.5,
    "test",
    { score: 1 },
    "json",
    [
      "plugins.entries.sample.llm.allow_model_override is not set",
      "Plugin 'sample' cannot choose agent_id for a completion: not supported by this host",
    ],
  ]);
  assert.deepEqual(calls.slice(0, 2), [
    { messages: [{ role: "user", content: "q" }], maxTokens: 5, purpose: "test" },
    { messages: [{ role: "user", content: "score\n\nx" }], schema: { type: "object" } },
  ]);
  assert.match(JSON.stringify(await plugin.tool("later", {})), /"hi"/u);
});

test("subagent_lifecycle lists the children of the session and cannot start one", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    answering(
      `[ctx.subagent_lifecycle.list(), ctx.subagent_lifecycle.status("a"), ctx.subagent_lifecycle.status("x"), ctx.subagent_lifecycle.launch("goal")]`,
    ),
    "",
    { answer: async (method) => (method === "host.subagents" ? ok([{ id: "a", state: "running" }]) : err("no")) },
  );
  const child = { id: "a", state: "running" };
  assert.deepEqual(await answerOf(plugin), [[child], child, null, null]);
});

test("unsupported and unknown members of the context raise an error that names them", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_dashboard_auth_provider(object())
assert ctx.register_slack_action_handler("id", print) is None
try:
    ctx.register_slack_action_handler("", print)
    raise SystemExit("taken")
except ValueError:
    pass
assert not ctx.something_new
assert ctx.something_new("x").__class__ is type(None)
assert ctx.platform_actions.add_reaction("x") is None
`,
  );
  const detail = "not supported by this host";
  assert.deepEqual(
    plugin.registration.unsupported,
    [
      "register_dashboard_auth_provider",
      "register_slack_action_handler",
      "something_new",
      "platform_actions",
      "platform_actions.add_reaction",
    ].map((member) => ({ member, detail })),
  );
});

test("providers of search, browsers, images, video and speech become backends", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
for one in (Web(), Pages(), Cloud(), Paint(), Film(), Voice(), Ear()):
    getattr(ctx, f"register_{one.member}_provider")(one)
ctx.register_tts_provider(object())
`,
    `
from agent.web_search_provider import WebSearchProvider
from agent.browser_provider import BrowserProvider
from agent.image_gen_provider import ImageGenProvider
from agent.video_gen_provider import VideoGenProvider
from agent.tts_provider import TTSProvider
from agent.transcription_provider import TranscriptionProvider

class Web(WebSearchProvider):
    name = "mine"
    display_name = "My search"
    member = "web_search"
    def is_available(self): return False
    def search(self, query, limit=5):
        if query == "bad": return {"success": False, "error": "no quota"}
        return {"success": True, "data": {"web": [{"url": "https://a.test/" + query, "title": str(limit)}]}}

class Pages(WebSearchProvider):
    name = "pages"
    member = "web_search"
    async def extract(self, urls, **options):
        return [{"url": url, "content": "text"} for url in urls]

class Cloud(BrowserProvider):
    name = "cloud"
    member = "browser"
    def create_session(self, task_id): return {"cdp_url": "ws://b.test/1", "bb_session_id": "s1"}
    def close_session(self, session_id): return session_id == "s1"

class Paint(ImageGenProvider):
    name = "paint"
    member = "image_gen"
    def default_model(self): return "brush"
    def generate(self, prompt, aspect_ratio="landscape", *, image_url=None, reference_image_urls=None):
        return {"success": True, "image": f"https://i.test/{prompt}/{aspect_ratio}/{image_url}/{len(reference_image_urls)}"}

class Film(VideoGenProvider):
    name = "film"
    member = "video_gen"
    def generate(self, prompt, **options): return {"success": True, "video": f"https://v.test/{prompt}/{options['duration']}"}

class Voice(TTSProvider):
    name = "voice"
    member = "tts"
    def synthesize(self, text, output_path, *, voice=None, speed=None, **extra):
        with open(output_path, "w") as file: file.write(f"{text} {voice} {speed}")
        return output_path

class Ear(TranscriptionProvider):
    name = "ear"
    member = "transcription"
    def transcribe(self, file_path, *, language=None):
        with open(file_path) as file: return {"success": True, "transcript": file.read() + " " + str(language)}
`,
  );
  const { backends, warnings } = plugin.registration;
  assert.deepEqual(
    backends.map(({ kind, name, title }) => `${kind} ${name} ${title}`),
    [
      "search mine My search",
      "extract pages pages",
      "browser cloud cloud",
      "image paint paint",
      "video film film",
      "speech voice voice",
      "transcription ear ear",
    ],
  );
  assert.deepEqual(warnings, ["register_tts_provider: object does not inherit from TTSProvider and is ignored"]);
  const call = (id: string, method: string, ...args: JsonValue[]) =>
    plugin.request("object.call", { id: `backends:${id}`, method, args, kwargs: {} });
  assert.equal(await call("search:mine", "isAvailable"), false);
  assert.equal(await call("extract:pages", "isAvailable"), true);
  assert.deepEqual(await call("search:mine", "run", { query: "q", limit: 3 }), {
    results: [{ url: "https://a.test/q", title: "3" }],
  });
  const refused = { id: "backends:search:mine", method: "run", args: [{ query: "bad" }], kwargs: {} };
  assert.match(await plugin.refusal("object.call", refused), /no quota/u);
  assert.deepEqual(await call("extract:pages", "run", { urls: ["https://a.test/"] }), {
    results: [{ url: "https://a.test/", content: "text" }],
  });
  assert.deepEqual(await call("browser:cloud", "run", { action: "open" }), { cdp_url: "ws://b.test/1", id: "s1" });
  assert.deepEqual(await call("browser:cloud", "run", { action: "close", id: "s1" }), {});
  const image_urls = ["https://x.test/1", "https://x.test/2"];
  assert.deepEqual(await call("image:paint", "run", { prompt: "cat", aspect_ratio: "square", image_urls }), {
    images: [{ url: "https://i.test/cat/square/https://x.test/1/1" }],
    model: "brush",
  });
  assert.deepEqual(await call("video:film", "run", { prompt: "sea", duration: 4 }), {
    videos: [{ url: "https://v.test/sea/4" }],
    model: "",
  });
  const spoken = (await call("speech:voice", "run", {
    text: "hi",
    voice: "ann",
    speed: 1.5,
    format: "wav",
  })) as JsonObject;
  assert.equal(Buffer.from(JSON.stringify(spoken["base64"]).slice(1, -1), "base64").toString(), "hi ann 1.5");
  const base64 = Buffer.from("words").toString("base64");
  assert.deepEqual(await call("transcription:ear", "run", { base64, format: "wav", language: "en" }), {
    text: "words en",
  });
});

test("register_platform connects a Python Hermes adapter that receives messages and sends answers", async () => {
  await using home = await tempHome();
  await using plugin = await startWith(
    home.path,
    `
ctx.register_platform(name="echo", label="Echo", adapter_factory=Echo, check_fn=lambda: True, required_env=["TOKEN"],
                      max_message_length=100, env_enablement_fn=lambda: {"channel": "#a"}, emoji="x", platform_hint="h")
`,
    `
import asyncio
from gateway.platforms.base import BasePlatformAdapter, SendResult
from gateway.platforms.event import MessageEvent, MessageType
from gateway.config import Platform, PlatformConfig
class Echo(BasePlatformAdapter):
    def __init__(self, config: PlatformConfig):
        super().__init__(config, Platform("echo"))
        self.channel = config.extra["channel"]
    async def connect(self, *, is_reconnect=False):
        self._mark_connected()
        asyncio.create_task(self.talk())
        return True
    async def talk(self):
        source = self.build_source(chat_id=self.channel, chat_type="group", user_id="u1", user_name="Ann")
        await self.handle_message(MessageEvent(text="hello", message_type=MessageType.TEXT, source=source, message_id="m1"))
    async def disconnect(self):
        print("gone", flush=True)
        self._mark_disconnected()
    async def send(self, chat_id, content, reply_to=None, metadata=None):
        if content == "bad": return SendResult(success=False, error="refused")
        return SendResult(success=True, message_id=f"{chat_id} {content} {metadata}")
    async def get_chat_info(self, chat_id): return {"name": chat_id, "type": "dm"}
`,
  );
  assert.deepEqual(plugin.registration.platforms, [
    {
      id: "platforms:echo",
      name: "echo",
      label: "Echo",
      messageChars: 100,
      edits: false,
      typing: false,
      requiredEnv: ["TOKEN"],
    },
  ]);
  const id = "platforms:echo";
  const stop = plugin.begin("object.stream", { id, method: "receive", args: [], stream: "x" });
  await eventually(() => plugin.notifications.some(({ method }) => method === "object.item"));
  assert.deepEqual(plugin.notifications.find(({ method }) => method === "object.item")?.params, {
    stream: "x",
    item: {
      chat: { platform: "echo", chatId: "#a" },
      messageId: "m1",
      from: { id: "u1", name: "Ann" },
      content: [{ type: "text", text: "hello" }],
      sentAt: null,
    },
  });
  const send = (text: string) =>
    plugin.request("object.call", {
      id,
      method: "send",
      args: [{ platform: "echo", chatId: "#a", threadId: "7" }, [{ type: "text", text }]],
      kwargs: {},
    });
  assert.deepEqual(await send("hi"), { ok: true, value: { messageId: "#a hi {'thread_id': '7'}" } });
  assert.deepEqual(await send("bad"), { ok: false, error: { kind: "refused", message: "refused" } });
  stop();
  await eventually(() => plugin.output().includes("gone"));
});
