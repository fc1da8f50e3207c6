// covers: src/plugins/runner
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock as clock } from "../../src/base/clock.ts";
import type { JsonObject } from "../../src/base/json.ts";
import { findPython } from "../../src/plugins/runner/python-runner.ts";
import { eventually } from "../support/eventually.ts";
import { startPythonPlugin } from "../support/python-plugin.ts";
import { tempHome } from "../support/temp-home.ts";

/** A plugin with one tool `t`. */
const withTool = (code: string) => `
import json
${code}
def register(ctx):
    ctx.register_tool("t", "set", {"description": "d", "parameters": {"type": "object", "properties": {}}}, t)
`;

/** Text that the model reads of a result. */
function shown(result: JsonObject): string {
  const { value, error } = result as { value?: { content: { text: string }[] }; error?: { message: string } };
  return error?.message ?? value?.content.map(({ text }) => text).join("\n") ?? "";
}

test("a tool runs with its arguments and the context of the call", async () => {
  await using home = await tempHome();
  await using plugin = startPythonPlugin(home.path, {
    "__init__.py": withTool(
      "def t(args, **kwargs):\n    return json.dumps({'sum': args['a'] + args['b'], 'facts': kwargs})",
    ),
  });
  const registration = await plugin.load();
  assert.deepEqual(registration["tools"], [
    {
      name: "t",
      toolset: "set",
      description: "d",
      inputSchema: { type: "object", properties: {} },
      emoji: "",
      requiresEnv: [],
      overrides: false,
      declaresEffects: false,
    },
  ]);
  const result = (await plugin.tool("t", { a: 1, b: 2 })) as { value: { data: JsonObject } };
  const facts = {
    task_id: "s1",
    session_id: "s1",
    tool_call_id: "c1",
    turn_id: "t1",
    parent_tool_call_id: null,
    cwd: home.path,
  };
  assert.deepEqual(result.value.data, { sum: 3, facts });
  assert.match(shown(await plugin.tool("missing", {})), /Plugin sample has no tool missing/u);
});

const handlers: readonly { readonly name: string; readonly code: string; readonly shown: string | RegExp }[] = [
  {
    name: "a dict",
    code: "def t(args, **kw): return {'result': 42, 'é': {1, 2}}",
    shown: '{"result": 42, "é": [1, 2]}',
  },
  { name: "a number", code: "def t(args, **kw): return 4.5", shown: "4.5" },
  { name: "a list with a number that JSON lacks", code: "def t(args, **kw): return [float('nan')]", shown: "[null]" },
  { name: "a cycle", code: "def t(args, **kw):\n    a = {}\n    a['a'] = a\n    return a", shown: /null/u },
  { name: "nothing", code: "def t(args, **kw): pass", shown: "The tool returned nothing." },
  { name: "plain text", code: "def t(args, **kw): return 'hello {'", shown: "hello {" },
  { name: "half a character", code: "def t(args, **kw): return '\\ud800'", shown: "\ud800" },
  { name: "no **kwargs", code: "def t(args): return 'got ' + args['x']", shown: "got y" },
  { name: "no parameter", code: "def t(): return 'none'", shown: "none" },
  { name: "one of the keywords", code: "def t(args, task_id=None): return task_id", shown: "s1" },
  { name: "a keyword-only one", code: "def t(args, *, session_id): return session_id", shown: "s1" },
  { name: "a method", code: "class C:\n    def t(self, args): return args['x']\nt = C().t", shown: "y" },
  { name: "a callable object", code: "class C:\n    def __call__(self, args): return args['x']\nt = C()", shown: "y" },
  {
    name: "a partial",
    code: "import functools\ndef f(a, args): return a + args['x']\nt = functools.partial(f, 'x')",
    shown: "xy",
  },
  { name: "a coroutine", code: "async def t(args, **kw): return args['x']", shown: "y" },
  {
    name: "an exception",
    code: "def t(args, **kw):\n    return json.dumps({'result': 1 / int(args.get('value', 0))})",
    shown: "Plugin sample: the tool t failed: ZeroDivisionError: division by zero (__init__.py, line 4)",
  },
  {
    name: "an exception in a coroutine",
    code: "async def t(args, **kw):\n    raise ValueError('no')",
    shown: "Plugin sample: the tool t failed: ValueError: no (__init__.py, line 4)",
  },
  {
    name: "an object",
    code: "def t(args, **kw): return object()",
    shown: /TypeError: the handler returned object; return a JSON string \(__init__\.py, line 3\)$/u,
  },
  { name: "sys.exit", code: "import sys\ndef t(args, **kw): sys.exit('bye')", shown: /SystemExit: bye/u },
];

test("common mistakes of plugin authors result in an answer, or in an error that names plugin, file and line", async () => {
  await using home = await tempHome();
  for (const { name, code, shown: expected } of handlers) {
    await using plugin = startPythonPlugin(home.path, { "__init__.py": withTool(code) });
    await plugin.load();
    const result = await plugin.tool("t", { x: "y" }).then(shown, (thrown: Error) => thrown.message);
    if (typeof expected === "string") assert.equal(result, expected, name);
    else assert.match(result, expected, name);
  }
});

test("JSON text with an error is a failure, and the multimodal envelope is content", async () => {
  await using home = await tempHome();
  await using plugin = startPythonPlugin(home.path, {
    "__init__.py": withTool(
      `def t(args, **kw):
    if args: return json.dumps({"error": "no such city", "city": "X"})
    return {"_multimodal": True, "content": [{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]}`,
    ),
  });
  await plugin.load();
  assert.deepEqual(await plugin.tool("t", { x: 1 }), {
    ok: false,
    error: { kind: "failed", message: "no such city", effect: "unknown", data: { city: "X" } },
  });
  assert.deepEqual(await plugin.tool("t", {}), {
    ok: true,
    value: {
      content: [
        { type: "text", text: "a" },
        { type: "image", mimeType: "image/png", data: "AAAA" },
      ],
    },
  });
});

const broken: readonly { readonly name: string; readonly files: Record<string, string>; readonly message: RegExp }[] = [
  {
    name: "syntax",
    files: { "__init__.py": "x = (\n" },
    message: /^Plugin sample: it cannot be imported: SyntaxError: .* \(__init__\.py, line 1\)$/u,
  },
  {
    name: "syntax elsewhere",
    files: { "__init__.py": "from . import b", "b.py": "\ndef x(:\n" },
    message: /SyntaxError: .* \(b\.py, line 2\)$/u,
  },
  {
    name: "import",
    files: { "__init__.py": "\nimport surely_not_there" },
    message: /ModuleNotFoundError: No module named 'surely_not_there' \(__init__\.py, line 2\)$/u,
  },
  {
    name: "no register",
    files: { "__init__.py": "x = 1" },
    message: /^Plugin sample: there is no function register\(ctx\) \(__init__\.py, line 1\)$/u,
  },
  {
    name: "register has another type",
    files: { "__init__.py": "register = 5" },
    message: /`register` is not a function but int \(__init__\.py, line 1\)$/u,
  },
  {
    name: "register without a parameter",
    files: { "__init__.py": "\ndef register(): pass" },
    message: /register\(ctx\) failed: TypeError: .* \(__init__\.py, line 2\)$/u,
  },
  {
    name: "a throw",
    files: { "__init__.py": "def register(ctx):\n    raise KeyError('x')" },
    message: /register\(ctx\) failed: KeyError: 'x' \(__init__\.py, line 2\)$/u,
  },
  {
    name: "exit",
    files: { "__init__.py": "import sys\nsys.exit(3)" },
    message: /SystemExit: 3 \(__init__\.py, line 2\)$/u,
  },
  {
    name: "a wrong schema",
    files: { "__init__.py": "def register(ctx):\n    ctx.register_tool('t', 's', {...}, print)" },
    message: /TypeError: register_tool\('t'\): schema must be a dict, not set \(__init__\.py, line 2\)$/u,
  },
  {
    name: "a wrong handler",
    files: { "__init__.py": "def register(ctx):\n    ctx.register_tool('t', 's', {}, 'x')" },
    message: /handler must be a function, not str \(__init__\.py, line 2\)$/u,
  },
  {
    name: "a wrong name",
    files: { "__init__.py": "def register(ctx):\n    ctx.register_tool('a b', 's', {}, print)" },
    message: /the name 'a b' must be/u,
  },
];

test("a plugin that cannot load reports the reason, with file and line", async () => {
  await using home = await tempHome();
  for (const { name, files, message } of broken) {
    await using plugin = startPythonPlugin(home.path, files);
    assert.match(await plugin.load().then(String, (thrown: Error) => thrown.message), message, name);
  }
});

test("handler.py, another entry file, and modules beside it are loaded, even with the same names in two plugins", async () => {
  await using home = await tempHome();
  const handler =
    "import tools\nfrom . import schemas\nfrom tools import NAME\ndef register(ctx):\n    ctx.register_tool('t', None, schemas.T, lambda args: tools.NAME + NAME)";
  const files = {
    "handler.py": handler,
    "tools.py": "from tools.registry import registry\nNAME = 'a'",
    "schemas.py": "T = {'description': 'd'}",
  };
  await using plugin = startPythonPlugin(home.path, files);
  await plugin.load();
  assert.equal(shown(await plugin.tool("t", {})), "aa");
  await using other = startPythonPlugin(home.path, {
    "code/entry.py":
      "from .tools import NAME\ndef register(ctx):\n    ctx.register_tool('t', None, {}, lambda args: NAME)",
    "code/tools.py": "NAME = 'b'",
  });
  await other.load({ entry: join(other.folder, "code", "entry.py") });
  assert.equal(shown(await other.tool("t", {})), "b");
});

test("a Python package is loaded by its entry point: a module, a function, or a function in a module", async () => {
  await using home = await tempHome();
  const site = join(home.path, "site");
  await mkdir(join(site, "my_package", "inner"), { recursive: true });
  const code =
    "from .words import WORD\ndef register(ctx):\n    ctx.register_tool('t', None, {}, lambda args: WORD)\nclass Setup:\n    def start(ctx):\n        register(ctx)\n";
  await writeFile(join(site, "my_package", "__init__.py"), code);
  await writeFile(join(site, "my_package", "words.py"), "WORD = 'hi'");
  await writeFile(join(site, "my_package", "inner", "__init__.py"), "from .. import register as setup");
  await writeFile(
    join(site, "alone.py"),
    "def register(ctx):\n    ctx.register_tool('t', None, {}, lambda args: 'hi')",
  );
  const folder = join(site, "my_package");
  for (const params of [
    { entry: "my_package", folder },
    { entry: "my_package:Setup.start", folder },
    { entry: "my_package.inner:setup", folder },
    { entry: "alone", folder: site },
  ]) {
    await using plugin = startPythonPlugin(home.path, {});
    await plugin.load(params);
    assert.equal(shown(await plugin.tool("t", {})), "hi", params.entry);
  }
});

test("everything that a plugin prints, at any level, goes to its log and never breaks the protocol", async () => {
  await using home = await tempHome();
  const code = `
import ctypes, os, subprocess, sys
print("at import")
def t(args, **kw):
    print("printed", flush=True)
    os.write(1, b"written\\n")
    ctypes.CDLL(None).puts(b"by C")
    ctypes.CDLL(None).fflush(None)
    subprocess.run(["sh", "-c", "echo by a program; echo '{}' >&3"], stderr=subprocess.DEVNULL)
    try:
        os.write(3, b"garbage\\n")
    except OSError:
        pass
    sys.stdout.write("\\ud800 half\\n")
    return "done"
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": withTool(code) });
  await plugin.load();
  assert.equal(shown(await plugin.tool("t", {})), "done");
  for (const text of ["at import", "printed", "written", "by C", "by a program", "\\ud800 half"])
    await eventually(() => plugin.output().includes(text));
});

test("requests run concurrently: slow ones do not delay others, and coroutines share one loop", async () => {
  await using home = await tempHome();
  const code = `
import asyncio, threading
gate = threading.Event()
loops = set()
def t(args, **kw):
    if args.get("open"):
        gate.set()
        return "opened"
    gate.wait(20)
    return "waited"
async def later(args, **kw):
    loops.add(id(asyncio.get_running_loop()))
    while not gate.is_set():
        await asyncio.sleep(0.01)
    return str(len(loops))
def register(ctx):
    for name, handler in (("t", t), ("later", later)):
        ctx.register_tool(name, "set", {}, handler)
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": code });
  await plugin.load();
  const waiting = [...Array(5).keys()].map(() => plugin.tool("t", {}));
  const coroutines = [...Array(5).keys()].map(() => plugin.tool("later", {}));
  assert.equal(shown(await plugin.tool("t", { open: true })), "opened");
  assert.deepEqual((await Promise.all(waiting)).map(shown), Array(5).fill("waited"));
  assert.deepEqual((await Promise.all(coroutines)).map(shown), Array(5).fill("1"));
});

test("a cancelled handler ends, and so does one that runs too long, on a thread and in the loop", async () => {
  await using home = await tempHome();
  const code = `
import asyncio, time
ended = []
def t(args, **kw):
    if args.get("ended"):
        return str(len(ended))
    try:
        while True:
            time.sleep(0.01)
    finally:
        ended.append(1)
async def later(args, **kw):
    try:
        await asyncio.sleep(60)
    finally:
        ended.append(1)
def register(ctx):
    for name, handler in (("t", t), ("later", later)):
        ctx.register_tool(name, "set", {}, handler)
`;
  await using plugin = startPythonPlugin(
    home.path,
    { "__init__.py": code },
    { env: { HERMES_PLUGIN_HANDLER_TIMEOUT_S: "0.3" } },
  );
  await plugin.load();
  for (const name of ["t", "later"]) {
    const refusal = await plugin.refusal("tool.run", { name, args: {}, call: {} });
    assert.equal(refusal, "Plugin sample: tool.run: it ran longer than 0.3 s and was cancelled");
  }
  await eventually(async () => shown(await plugin.tool("t", { ended: true })) === "2");
});

test("a cancelled request ends its handler, even one that waits in a system call, and still gets an answer", async () => {
  await using home = await tempHome();
  const code = `
import time
def wait(args):
    print("running", flush=True)
    try:
        time.sleep(60)
    finally:
        print("ended", flush=True)
def t(args, **kw):
    if args.get("quick"): return "still here"
    if args.get("swallow"):
        try:
            wait(args)
        except BaseException:
            return "swallowed"
    wait(args)
`;
  await using plugin = startPythonPlugin(home.path, { "__init__.py": withTool(code) });
  await plugin.load();
  for (const args of [{}, { swallow: true }]) {
    const times = (word: string) => plugin.output().split(word).length;
    const before = [times("running"), times("ended")];
    const cancel = plugin.begin("tool.run", { name: "t", args, call: {} });
    await eventually(() => times("running") > (before[0] ?? 0));
    cancel();
    await eventually(() => times("ended") > (before[1] ?? 0));
    assert.equal(shown(await plugin.tool("t", { quick: true })), "still here");
  }
});

test("the plugin's process ends with the connection, after handling pending messages and running its clean-up", async () => {
  await using home = await tempHome();
  const code = `
import atexit
seen = []
def watch(tool_name, **kw):
    seen.append(tool_name)
def register(ctx):
    ctx.register_hook("post_tool_call", watch)
    ctx.on_unload(lambda: print("unloaded", len(seen), flush=True))
    atexit.register(lambda: print("at exit", flush=True))
`;
  const plugin = startPythonPlugin(home.path, { "__init__.py": code });
  await plugin.load();
  plugin.notify("hook.notify", {
    events: ["a", "b", "c"].map((tool_name) => ({ id: "post_tool_call#1", args: { tool_name } })),
  });
  await plugin[Symbol.asyncDispose]();
  assert.equal(await plugin.exited, 0);
  assert.equal(plugin.output(), "unloaded 3\nat exit\n");
});

test("an answer that is too long is an error, and the plugin continues", async () => {
  await using home = await tempHome();
  const code = "def t(args, **kw): return 'x' * args.get('size', 1)";
  await using plugin = startPythonPlugin(home.path, { "__init__.py": withTool(code) });
  await plugin.load();
  const refusal = await plugin.refusal("tool.run", { name: "t", args: { size: 2 ** 25 }, call: {} });
  assert.equal(refusal, "Plugin sample: tool.run: ValueError: the message has 32 MB; the limit is 15 MB");
  assert.equal(shown(await plugin.tool("t", {})), "x");
});

test("the memory of the process is limited before the plugin's code runs", async () => {
  await using home = await tempHome();
  const code = "def t(args, **kw):\n    x = bytearray(2**29)\n    return 'got it'";
  await using plugin = startPythonPlugin(
    home.path,
    { "__init__.py": withTool(code) },
    { env: { HERMES_PLUGIN_MAX_MEMORY: String(2 ** 28) } },
  );
  await plugin.load();
  assert.match(shown(await plugin.tool("t", {})), /MemoryError/u);
});

test("findPython returns the real program behind a shim, and names what is missing", async () => {
  await using home = await tempHome();
  const deps = { clock, signal: new AbortController().signal };
  await mkdir(join(home.path, "shims"));
  const old = '#!/bin/sh\nprintf "2.7.18\\n/usr/bin/python2\\n"\n';
  await writeFile(join(home.path, "shims", "python"), old, { mode: 0o755 });
  const shims = join(home.path, "shims");
  const refused = await findPython({ PATH: shims }, deps);
  assert.ok(!refused.ok);
  assert.equal(
    refused.error,
    `Python plugins need Python 3.9 or newer: ${join(shims, "python")} is Python 2.7.18. Install python3 and run this again.`,
  );
  await writeFile(join(shims, "python3"), '#!/bin/sh\nexec /usr/bin/python3 "$@"\n', { mode: 0o755 });
  const python = await findPython({ PATH: `${shims}:/usr/bin` }, deps);
  assert.ok(python.ok);
  assert.equal(python.value.path, "/usr/bin/python3");
  const none = await findPython({ PATH: home.path }, deps);
  assert.ok(!none.ok && none.error.includes("PATH contains no python3"));
});

test("a flood of log messages is cut, and its length is logged", async () => {
  await using home = await tempHome();
  const code =
    "import logging, time\nlog = logging.getLogger('x')\ndef t(args, **kw):\n    for _ in range(100000): log.info('again')\n    time.sleep(1.1)\n    log.info('last')\n    return 'done'";
  await using plugin = startPythonPlugin(home.path, { "__init__.py": withTool(code) });
  await plugin.load();
  assert.equal(shown(await plugin.tool("t", {})), "done");
  const logged = plugin.notifications.map(({ params }) => String(params["message"]));
  assert.ok(logged.length < 50_000 && logged.at(-1) === "x: last");
  assert.ok(logged.some((text) => /^\d+ log messages were dropped$/u.test(text)));
});
