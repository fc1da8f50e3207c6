// covers: src/plugins/runner
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject, JsonValue } from "../../src/base/json.ts";
import { ok } from "../../src/base/result.ts";
import { readRegistration } from "../../src/plugins/registration/read-registration.ts";
import { pythonRunnerFolder } from "../../src/plugins/runner/python-runner.ts";
import { startPythonPlugin } from "../support/python-plugin.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";

const answering = (imports: string, answer: string) => `
import json
${imports}
def register(ctx):
    ctx.register_tool("t", "set", {}, lambda args, **kw: json.dumps(${answer}))
`;

async function answerOf(result: Promise<JsonObject>): Promise<JsonValue | undefined> {
  const { value, error } = (await result) as { value?: { data: JsonValue }; error?: { message: string } };
  return value?.data ?? error?.message;
}

test("plugins can import settings and paths from the modules of Python Hermes", async () => {
  await using home = await tempHome();
  const code = answering(
    "from hermes_constants import get_hermes_home, get_hermes_dir, display_hermes_home\nfrom hermes_cli.config import load_config, cfg_get, get_env_value, get_hermes_home as again, save_config\nimport hermes_cli.plugins",
    `[str(get_hermes_home()), str(again()), str(get_hermes_dir("new", "old")), cfg_get(load_config(), "a", "b", default=5), cfg_get({}, "x", default=6), get_env_value("KEY"), save_config({}), hermes_cli.plugins.PluginContext.__name__]`,
  );
  await using plugin = startPythonPlugin(
    home.path,
    { "__init__.py": code },
    { env: { KEY: "v" }, answer: async (method) => (method === "host.config" ? ok({ a: { b: 1 } }) : ok(null)) },
  );
  await plugin.load();
  const { path } = home;
  assert.deepEqual(await answerOf(plugin.tool("t", {})), [
    path,
    path,
    join(path, "new"),
    1,
    6,
    "v",
    null,
    "PluginContext",
  ]);
});

test("tools.registry registers tools and builds results, next to the plugin's own package of that name", async () => {
  await using home = await tempHome();
  const code = `
from tools.registry import registry, tool_error, tool_result
from .tools import NAME
from tools import NAME as again
from tools.more import MORE
import providers.mine
def t(args, **kw):
    if args: return tool_error("no é", code=4)
    return tool_result([NAME, again, MORE, providers.mine.NAME, registry.get_all_tool_names(), registry.get_schema("t")["description"]])
def register(ctx):
    registry.register(name="t", toolset="set", schema={"description": "d"}, handler=t, emoji="x")
`;
  await using plugin = startPythonPlugin(home.path, {
    "__init__.py": code,
    "tools/__init__.py": "NAME = 'own'",
    "tools/more.py": "MORE = 'more'",
    "providers/mine.py": "NAME = 'mine'",
  });
  await plugin.load();
  assert.deepEqual(await answerOf(plugin.tool("t", {})), ["own", "own", "more", "mine", ["t"], "d"]);
  assert.equal(await answerOf(plugin.tool("t", { x: 1 })), "no é");
});

test("a model provider registers its profile while it is imported; its hooks can be called", async () => {
  await using home = await tempHome();
  const code = `
from dataclasses import dataclass
from providers import register_provider
from providers.base import OMIT_TEMPERATURE, ProviderProfile
@dataclass
class Odd(ProviderProfile):
    suffix: str = "!"
    def prepare_messages(self, messages):
        return [{**one, "content": one["content"] + self.suffix} for one in messages]
    def build_api_kwargs_extras(self, *, reasoning_config=None, **context):
        return {"think": reasoning_config}, {"top": context.get("model")}
    def get_max_tokens(self, model):
        return 100 if model == "small" else self.default_max_tokens
    def fetch_models(self, *, api_key=None, base_url=None, timeout=8.0):
        return ["a", "b"]
register_provider(Odd(name="odd", aliases=("od",), display_name="Odd", env_vars=("ODD_KEY",), base_url="https://odd.example/v1",
    default_headers={"X-A": "1"}, fixed_temperature=OMIT_TEMPERATURE, fallback_models=("m",), api_mode="chat_completions"))
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": code });
  const read = readRegistration(await plugin.load(), plugin.folder);
  assert.ok(read.ok);
  const [profile] = read.value.providers;
  assert.deepEqual(profile, {
    id: "providers:odd",
    name: "odd",
    aliases: ["od"],
    displayName: "Odd",
    description: "",
    signupUrl: "",
    apiMode: "chat_completions",
    envVars: ["ODD_KEY"],
    baseUrl: "https://odd.example/v1",
    modelsUrl: "",
    authType: "api_key",
    defaultHeaders: { "X-A": "1" },
    fields: {
      supports_health_check: true,
      supports_vision: false,
      supports_vision_tool_messages: true,
      supports_vision_user_messages: false,
      supports_prompt_cache_key: false,
      fallback_models: ["m"],
      hostname: "",
      fixed_temperature: "omit",
      default_max_tokens: null,
      default_aux_model: "",
      suffix: "!",
    },
    hooks: ["build_api_kwargs_extras", "fetch_models", "get_max_tokens", "prepare_messages"],
    streams: false,
  });
  const call = (method: string, args: JsonValue[], kwargs: JsonObject = {}) =>
    plugin.request("object.call", { id: "providers:odd", method, args, kwargs });
  assert.deepEqual(await call("prepare_messages", [[{ role: "user", content: "a" }]]), [
    { role: "user", content: "a!" },
  ]);
  assert.deepEqual(await call("build_api_kwargs_extras", [], { reasoning_config: { effort: "low" }, model: "m" }), [
    { think: { effort: "low" } },
    { top: "m" },
  ]);
  assert.equal(await call("get_max_tokens", ["small"]), 100);
  assert.deepEqual(await call("fetch_models", [], { api_key: "k" }), ["a", "b"]);
  assert.equal(await call("get_hostname", []), "odd.example");
});

test("a memory provider without register(ctx), and a folder of hooks with handle(event_type, context), are loaded", async () => {
  await using home = await tempHome();
  const memory = `
from agent.memory_provider import MemoryProvider
class Mine(MemoryProvider):
    @property
    def name(self): return "mine"
    def is_available(self): return True
    def initialize(self, session_id, **kwargs): pass
    def get_tool_schemas(self): return []
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": memory });
  const { memoryProviders } = (await plugin.load()) as { memoryProviders: JsonObject[] };
  assert.deepEqual(
    memoryProviders.map(({ name }) => name),
    ["mine"],
  );
  await using other = await tempHome();
  const code = "async def handle(event_type, context):\n    return [event_type, context]";
  await using hooks = startPythonPlugin(other.path, { "handler.py": code });
  await hooks.load();
  const args = { event_type: "session:start", context: { a: 1 } };
  assert.deepEqual(await hooks.request("hook.run", { id: "handle", args }), ["session:start", { a: 1 }]);
});

test("packages that are installed for the interpreter can be imported", async () => {
  await using home = await tempHome();
  const environment = join(home.path, "environment");
  await runProgram("/usr/bin/python3", ["-m", "venv", "--without-pip", environment]);
  const python = join(environment, "bin", "python3");
  const { stdout } = await runProgram(python, ["-c", "import site; print(site.getsitepackages()[0])"]);
  await mkdir(join(stdout.trim(), "tidy"), { recursive: true });
  await writeFile(join(stdout.trim(), "tidy", "__init__.py"), "WORD = 'installed'");
  const files = { "__init__.py": answering("import tidy", "[tidy.WORD]") };
  await using plugin = startPythonPlugin(home.path, files, { python });
  await plugin.load();
  assert.deepEqual(await answerOf(plugin.tool("t", {})), ["installed"]);
});

test("HTTP requests go to the proxy that Hermes names", async () => {
  await using home = await tempHome();
  const socket = join(home.path, "proxy");
  const heads: string[] = [];
  const server = createServer((client) =>
    client.once("data", (data) => {
      heads.push(String(data).split("\r\n")[0] ?? "");
      client.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi");
    }),
  );
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const code = answering("from urllib.request import urlopen", "[urlopen('http://weather.example/x').read().decode()]");
  await using plugin = startPythonPlugin(home.path, { "__init__.py": code });
  await plugin.load({ proxySocket: socket });
  assert.deepEqual(await answerOf(plugin.tool("t", {})), ["hi"]);
  assert.deepEqual(heads, ["GET http://weather.example/x HTTP/1.1"]);
  await new Promise((resolve) => server.close(resolve));
});

test("our yaml module reads and writes like PyYAML", async () => {
  const ran = await runProgram("/usr/bin/python3", [
    join(import.meta.dirname, "..", "support", "compare-yaml.py"),
    pythonRunnerFolder(),
  ]);
  assert.deepEqual([ran.code, ran.stdout, ran.stderr], [0, "", ""]);
});

test("logging output reaches the log of Hermes, with and without the real logging module", async () => {
  await using home = await tempHome();
  const code = `
import json
import logging
from logging import getLogger, INFO
import sys
log = logging.getLogger(__name__)
def register(ctx):
    log.debug("hidden")
    log.warning("%s is %d", "this", 1)
    log.info("by %(name)s", {"name": "Ann"})
    log.isEnabledFor(INFO)
    ctx.register_tool("t", "set", {}, t)
def t(args, **kw):
    import logging.handlers
    assert isinstance(log, logging.Logger) and log is not None and isinstance(getLogger("other"), logging.Logger)
    try:
        1 / 0
    except ZeroDivisionError:
        log.exception("failed")
    log.setLevel("ERROR")
    log.warning("hidden too")
    logging.getLogger("other").info("seen")
    return json.dumps([log.name, logging.handlers.RotatingFileHandler.__name__])
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": code });
  await plugin.load();
  assert.deepEqual(await answerOf(plugin.tool("t", {})), ["hermes_plugins.sample", "RotatingFileHandler"]);
  const logged = plugin.notifications.map(({ params }) => [params["level"], String(params["message"]).split("\n")[0]]);
  assert.deepEqual(logged, [
    ["warn", "hermes_plugins.sample: this is 1"],
    ["info", "hermes_plugins.sample: by Ann"],
    ["error", "hermes_plugins.sample: failed"],
    ["info", "other: seen"],
  ]);
});

test("attempts that the sandbox refuses are reported once, and no other errors are", async () => {
  await using home = await tempHome();
  const code = `
import json, os, socket, subprocess
def t(args, **kw):
    for attempt in (
        lambda: open("/hermes-test-missing/missing.txt").read(),
        lambda: open("/hermes-test-missing/missing.txt").read(),
        lambda: open("/hermes-test-missing/new.txt", "w"),
        lambda: os.listdir("/hermes-test-missing"),
        lambda: os.rename("/hermes-test-missing/a", "/hermes-test-missing/b"),
        lambda: subprocess.run(["surely-not-there", "push"]),
        lambda: socket.create_connection(("127.0.0.1", 1)),
        lambda: socket.getaddrinfo("evil.invalid", 80),
        lambda: socket.getaddrinfo("api.invalid", 80),
        lambda: open(__file__).read(),
        lambda: open("/usr/bin/env", "rb").read(),
        lambda: open("data.txt", "w").write("x"),
        lambda: open("/tmp/" + os.path.basename(${JSON.stringify(home.path)}) + "/scratch", "w").write("x"),
    ):
        try: attempt()
        except OSError: pass
    return "done"
def register(ctx):
    ctx.register_tool("t", "set", {}, t)
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": code });
  const permissions = { read: [], write: [], net: ["api.invalid"], env: [], exec: false, tools: [] };
  await plugin.load({ permissions });
  await plugin.tool("t", {});
  const reported = plugin.notifications.flatMap(({ method, params }) =>
    method === "denied" ? [`${String(params["permission"])} ${String(params["target"])}`] : [],
  );
  assert.deepEqual(reported, [
    "read /hermes-test-missing/missing.txt",
    "write /hermes-test-missing/new.txt",
    "read /hermes-test-missing",
    "write /hermes-test-missing/a",
    "write /hermes-test-missing/b",
    "exec surely-not-there",
    "net evil.invalid",
  ]);
});
