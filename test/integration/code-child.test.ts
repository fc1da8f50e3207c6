// covers: src/code/child
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

import type { JsonObject } from "../../src/base/json.ts";
import type { ScriptTool } from "../../src/contracts/code/code-run.ts";
import type { ScriptCall } from "../../src/contracts/code/wire.ts";
import { startScriptHost } from "../support/script-host.ts";

const readFile: ScriptTool = {
  name: "read_file",
  description: "Read a text file. Long files are cut.",
  inputSchema: {
    type: "object",
    properties: {
      limit: { type: "integer", default: 2000 },
      path: { type: "string" },
      encoding: { type: "string", enum: ["utf8", "latin1"] },
    },
    required: ["path"],
    additionalProperties: false,
  },
};
const searchFiles: ScriptTool = {
  name: "search_files",
  alias: "search",
  description: "Search.",
  inputSchema: { type: "object", properties: { pattern: { type: "string" } }, required: ["pattern"] },
};

test("a Python script calls tools with their own arguments", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "python",
    `from hermes_tools import read_file, search
import hermes_tools
print(read_file("a"), read_file("b", limit=5), read_file(path="c", limit=2000, encoding="utf8"), search("x"))
print(hermes_tools.read_file.__doc__, hermes_tools.read_file.__annotations__["limit"])`,
    [readFile, searchFiles],
  );
  assert.deepEqual(run, {
    code: 0,
    stdout:
      "{'path': 'a'} {'path': 'b', 'limit': 5} {'path': 'c', 'encoding': 'utf8'} {'pattern': 'x'}\n" +
      "Read a text file. int\n",
    stderr: "",
  });
});

test("a TypeScript script calls tools with positional arguments, named arguments and both", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "typescript",
    `import { read_file, search } from "hermes_tools";
import * as all from "hermes_tools";
import tools from "hermes_tools";
const first: unknown = await read_file("a");
const rest = await Promise.all([read_file("b", 5), read_file({ path: "c", limit: 7 }), read_file("d", { encoding: "utf8" }), search("x"), all.search("y"), tools.search("z")]);
console.log(JSON.stringify([first, ...rest]));`,
    [readFile, searchFiles],
  );
  assert.deepEqual([run.code, run.stderr], [0, ""]);
  assert.deepEqual(JSON.parse(run.stdout), [
    { path: "a" },
    { path: "b", limit: 5 },
    { path: "c", limit: 7 },
    { path: "d", encoding: "utf8" },
    { pattern: "x" },
    { pattern: "y" },
    { pattern: "z" },
  ]);
});

test("tool names without an import, and top-level await, work in both languages", async () => {
  await using host = await startScriptHost();
  const python = await host.run("python", 'print(read_file("a"), shell_quote("a b"))', [readFile]);
  assert.deepEqual(python, { code: 0, stdout: "{'path': 'a'} 'a b'\n", stderr: "" });
  const typescript = await host.run("typescript", 'console.log(await read_file("a"), shell_quote("a b"));', [readFile]);
  assert.deepEqual(typescript, { code: 0, stdout: "{ path: 'a' } 'a b'\n", stderr: "" });
  const awaited = await host.run("python", 'print(await aio.read_file("a"))', [readFile]);
  assert.deepEqual(awaited, { code: 0, stdout: "{'path': 'a'}\n", stderr: "" });
});

/** Answers only when `count` calls are waiting, so a script with sequential calls never ends. */
function together(count: number) {
  const waiting: (() => void)[] = [];
  return ({ args }: ScriptCall) =>
    new Promise<JsonObject>((resolve) => {
      waiting.push(() => resolve(args));
      if (waiting.length === count) for (const reply of waiting.splice(0)) reply();
    });
}

test("calls of threads, asyncio and Promise.all run concurrently", async () => {
  await using host = await startScriptHost(together(20));
  const threads = await host.run(
    "python",
    `from concurrent.futures import ThreadPoolExecutor
from hermes_tools import read_file
with ThreadPoolExecutor(20) as pool:
    print(sum(int(each["path"]) for each in pool.map(lambda n: read_file(str(n)), range(20))))`,
    [readFile],
  );
  assert.deepEqual(threads, { code: 0, stdout: "190\n", stderr: "" });
  const loop = await host.run(
    "python",
    `import asyncio
from hermes_tools import aio
async def main():
    done = await asyncio.gather(*(aio.read_file(str(n)) for n in range(20)))
    print([each["path"] for each in done] == [str(n) for n in range(20)])
asyncio.run(main())`,
    [readFile],
  );
  assert.deepEqual(loop, { code: 0, stdout: "True\n", stderr: "" });
  const helper = await host.run(
    "python",
    `from hermes_tools import parallel, read_file
print(sum(int(each["path"]) for each in parallel([lambda n=n: read_file(str(n)) for n in range(20)], limit=20)))`,
    [readFile],
  );
  assert.deepEqual(helper, { code: 0, stdout: "190\n", stderr: "" });
  const promises = await host.run(
    "typescript",
    `import { parallel, read_file } from "hermes_tools";
const all = await Promise.all(Array.from({ length: 20 }, (_, n) => read_file(String(n))));
const again = await parallel(Array.from({ length: 20 }, (_, n) => () => read_file(String(n))), 20);
console.log(all.length, again.map((each) => each.path).join("") === all.map((each) => each.path).join(""));`,
    [readFile],
  );
  assert.deepEqual(promises, { code: 0, stdout: "20 true\n", stderr: "" });
});

test("more threads than connections wait for their turn", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "python",
    `from hermes_tools import parallel, read_file
print(sum(int(each["path"]) for each in parallel([lambda n=n: read_file(str(n)) for n in range(300)], limit=100)))`,
    [readFile],
  );
  assert.deepEqual(run, { code: 0, stdout: "44850\n", stderr: "" });
});

test("threads share a connection, and a long request gets its own", async () => {
  const used = new Map<Socket, string[]>();
  await using host = await startScriptHost(({ args }, connection) => {
    const { path } = args;
    if (typeof path !== "string") return undefined;
    used.set(connection, [...(used.get(connection) ?? []), path.slice(0, 4)]);
    // The long reply arrives in several parts, with short ones around it.
    return path === "long" ? "é".repeat(300_000) : path.length;
  });
  const run = await host.run(
    "python",
    `import os
from hermes_tools import parallel, read_file
paths = ["x" * (n % 7) for n in range(200)] + ["long", "y" * 5000]
found = parallel([lambda path=path: read_file(path) for path in paths])
print(found[:200] == [n % 7 for n in range(200)], len(found[200]), found[201], read_file("main"))
def forked():
    child = os.fork()
    if child == 0:
        os._exit(read_file("from a fork"))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) if hasattr(os, "waitstatus_to_exitcode") else os.waitpid(child, 0)[1] >> 8
print(parallel([forked, lambda: read_file("beside")]))`,
    [readFile],
  );
  assert.deepEqual(run, { code: 0, stdout: "True 300000 5000 4\n[11, 6]\n", stderr: "" });
  const [busiest = [], ...others] = [...used.values()].toSorted((a, b) => b.length - a.length);
  assert.equal(busiest.filter((path) => !["yyyy", "main", "from"].includes(path)).length, 202);
  assert.deepEqual(others.flat().toSorted(), ["from", "main", "yyyy"]);
});

test("a thread that has to read sends its own request first", async () => {
  const held = new Map<unknown, () => void>();
  const order: unknown[] = [];
  const waiting: readonly unknown[] = ["first", "left", "right"];
  await using host = await startScriptHost(async ({ args }) => {
    order.push(args["path"]);
    if (waiting.includes(args["path"])) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held.set(args["path"], resolve);
      // Both arrive before one of them is answered, so both threads are awake afterwards.
      if (held.has("left") && held.has("right")) for (const side of ["left", "right"]) held.get(side)?.();
      await promise;
    }
    if (args["path"] === "release") held.get("first")?.();
    return args;
  });
  // A request waits until its thread has to read, never only for a moment.
  const run = await host.run(
    "python",
    `import os, threading, time
import hermes_rpc
from hermes_tools import read_file
hermes_rpc.MAX_DELAY = 3600
found = {}
def start(path):
    thread = threading.Thread(target=lambda: found.update({path: read_file(path)}), daemon=True)
    thread.start()
    return thread
def until(holds):
    for _ in range(20000):
        if holds(): return
        time.sleep(0.001)
    print("never")
    os._exit(1)
first = start("first")
until(lambda: hermes_rpc._shared and hermes_rpc._shared._is_read)
sides = [start("left"), start("right")]
for side in sides: side.join()
last = start("last")
until(lambda: hermes_rpc._shared._unsent)
read_file("release")
until(lambda: not first.is_alive() and not last.is_alive())
print(sorted(found))`,
    [readFile],
  );
  assert.deepEqual(run, { code: 0, stdout: "['first', 'last', 'left', 'right']\n", stderr: "" });
  assert.deepEqual(order.slice(-2), ["release", "last"]);
});

test("if a shared connection is lost, all its calls fail, and the next call opens another", async () => {
  let calls = 0;
  await using host = await startScriptHost(({ args }, connection) => {
    if (++calls < 8) return undefined;
    if (calls === 8) return void connection.destroy();
    return args;
  });
  const run = await host.run(
    "python",
    `from hermes_tools import AgentDisconnected, parallel, read_file
def lost():
    try: return read_file("a")
    except AgentDisconnected: return "lost"
print(parallel([lost] * 8), parallel([lambda: read_file("b")] * 3))`,
    [readFile],
  );
  assert.equal(run.stderr, "");
  assert.equal(run.stdout, `[${Array(8).fill("'lost'").join(", ")}] [${Array(3).fill("{'path': 'b'}").join(", ")}]\n`);
});

test("a lost connection to the host raises an error, and a wrong token is refused", async () => {
  await using host = await startScriptHost((_call, connection) => void connection.destroy());
  const python = await host.run(
    "python",
    'from hermes_tools import read_file, retry\ntry:\n  retry(lambda: read_file("a"))\nexcept RuntimeError as e: print(e)',
    [readFile],
  );
  assert.deepEqual(python, { code: 0, stdout: "Agent process disconnected\n", stderr: "" });
  const typescript = await host.run("typescript", 'try { await read_file("a") } catch (e) { console.log(e.message) }', [
    readFile,
  ]);
  assert.deepEqual(typescript, { code: 0, stdout: "Agent process disconnected\n", stderr: "" });

  await using other = await startScriptHost(undefined, { HERMES_RPC_TOKEN: "wrong" });
  const refused = await other.run("python", "read_file('a')", [readFile]);
  assert.match(refused.stderr, /Unauthorized RPC request/);
  const refusedToo = await other.run("typescript", "await read_file('a')", [readFile]);
  assert.match(refusedToo.stderr, /Unauthorized RPC request/);
  assert.deepEqual(other.calls, []);
});

test("a forked process, and a process that a script starts, have their own connections", async () => {
  await using host = await startScriptHost();
  const run = await host.run(
    "python",
    `import os, subprocess, sys
from hermes_tools import read_file
read_file("first")
child = os.fork()
for n in range(50): assert read_file(str(n))["path"] == str(n)
if child == 0: os._exit(0)
print(os.waitpid(child, 0)[1])
print(subprocess.run([sys.executable, "-c", "from hermes_tools import read_file; print(read_file('sub'))"],
    env={**os.environ, "PYTHONPATH": os.path.dirname(__file__)}, capture_output=True, text=True).stdout)`,
    [readFile],
  );
  assert.deepEqual(run, { code: 0, stdout: "0\n{'path': 'sub'}\n\n", stderr: "" });
});

test("the script helpers json_parse, shell_quote, retry and parallel work", async () => {
  let failures = 0;
  await using host = await startScriptHost(() => (++failures % 3 === 0 ? "good" : { error: "busy" }));
  const python = await host.run(
    "python",
    String.raw`from hermes_tools import *
print(json_parse('{"a": "x\ny"}'), json_parse({"b": 1}), shell_quote("it's"))
print(retry(lambda: read_file("a"), delay=0), retry(lambda: read_file("a"), max_attempts=1))
tries = []
def fail():
    tries.append(1)
    raise ValueError("no")
try: retry(fail, 2, 0)
except ValueError: print(len(tries))
try: parallel([fail, lambda: 1])
except ValueError as e: print(e)
print(parallel([]), parallel([lambda: 1, lambda: 2], limit=1))`,
    [readFile],
  );
  assert.deepEqual(python, {
    code: 0,
    stdout: `{'a': 'x\\ny'} {'b': 1} 'it'"'"'s'\ngood {'error': 'busy'}\n2\nno\n[] [1, 2]\n`,
    stderr: "",
  });
  failures = 0;
  const typescript = await host.run(
    "typescript",
    String.raw`import { json_parse, parallel, read_file, retry, shell_quote } from "hermes_tools";
console.log(JSON.stringify([json_parse('{"a": "x\n\\"y"}'), shell_quote("it's"), shell_quote("plain.txt")]));
console.log(await retry(() => read_file("a"), 3, 0), await retry(() => read_file("a"), 1));
await retry(() => { throw new Error("no") }, 2, 0).catch((e) => console.log(e.message));
console.log(await parallel([Promise.resolve(1), () => 2, async () => 3], 1));
await parallel([Promise.reject(new Error("late")), () => 2]).catch((e) => console.log(e.message));`,
    [readFile],
  );
  assert.deepEqual(typescript, {
    code: 0,
    stdout: `[{"a":"x\\n\\"y"},"'it'\\"'\\"'s'","plain.txt"]\ngood { error: 'busy' }\nno\n[ 1, 2, 3 ]\nlate\n`,
    stderr: "",
  });
});

const hostile = `"""; import os; os._exit(9)\n'''\\" */ process.exit(9) /* \${process.exit(9)} \` </script> \u2028\u0000\ud800 😀`;
const hostileTools: readonly ScriptTool[] = [
  { name: "mcp__git-hub__list.issues", description: hostile, inputSchema: {} },
  {
    name: "class",
    description: "",
    inputSchema: {
      type: "object",
      properties: { from: {}, "max-results": {}, self: {}, _call: {} },
      required: ["from"],
    },
  },
  {
    name: "delete",
    description: hostile,
    inputSchema: { properties: { [hostile]: { type: "string", default: hostile, enum: [hostile, "b"] } } },
  },
  { name: "_call", description: "x", inputSchema: { type: "string" } },
  {
    name: "__all__",
    description: "x",
    inputSchema: { $ref: "#/$defs/loop", $defs: { loop: { $ref: "#/$defs/loop" } } },
  },
  {
    name: "isinstance",
    description: "x",
    inputSchema: {
      anyOf: [{ properties: { a: { type: ["string", "null"] } }, required: ["a"] }, { properties: { b: {} } }],
    },
  },
  {
    name: "dict",
    description: "x",
    inputSchema: {
      $ref: "#/$defs/T",
      $defs: {
        T: { type: "object", properties: { x: { $ref: "#/$defs/N" } } },
        N: { type: "integer", default: 1e300 },
      },
    },
  },
  {
    name: "retry",
    description: "x",
    inputSchema: {
      properties: { args: { type: "array", items: { type: "object" }, default: [{ a: null, b: [true] }] } },
    },
  },
  {
    name: "9lives",
    description: "x",
    inputSchema: {
      type: "object",
      properties: { "": {}, __proto__x: {}, constructor: {}, "more arguments": {} },
      additionalProperties: true,
    },
  },
  { name: "naïve tool", description: "x", inputSchema: null as never },
];

test("unusual tools and hostile texts produce valid code without side effects", async () => {
  await using host = await startScriptHost();
  const python = await host.run(
    "python",
    String.raw`import hermes_tools as t
print(t.mcp__git_hub__list_issues(repo="a"), t.class_("x", max_results=3, self=4), t.delete(), t._call_(a=1))
print(t.t_all__(q=1), t.isinstance(a=None, b=2), t.dict(5), t.dict(), t.retry_(), t.t_9lives(**{"z": 1, "_": 2}))
print(t.call_tool("naïve tool", {"x": 1}), t.na_ve_tool(y=2))
assert t.read_file("a") == {"path": "a"}`,
    [...hostileTools, readFile],
  );
  assert.deepEqual([python.code, python.stderr], [0, ""]);
  assert.deepEqual(
    host.calls.map(({ tool, args }) => [tool, args]),
    [
      ["mcp__git-hub__list.issues", { repo: "a" }],
      ["class", { from: "x", "max-results": 3, self: 4 }],
      ["delete", {}],
      ["_call", { a: 1 }],
      ["__all__", { q: 1 }],
      ["isinstance", { b: 2 }],
      ["dict", { x: 5 }],
      ["dict", {}],
      ["retry", {}],
      ["9lives", { z: 1, "": 2 }],
      ["naïve tool", { x: 1 }],
      ["naïve tool", { y: 2 }],
      ["read_file", { path: "a" }],
    ],
  );
  host.calls.length = 0;
  const typescript = await host.run(
    "typescript",
    String.raw`import * as t from "hermes_tools";
await t.mcp__git_hub__list_issues({ repo: "a" });
await t.class_("x", { "max-results": 3 });
await t.delete_();
await t.isinstance(null);
await t.t_9lives({ z: 1 });
await t.call_tool("naïve tool", { x: 1 });
await t.read_file("a");`,
    [...hostileTools, readFile],
  );
  assert.deepEqual([typescript.code, typescript.stderr], [0, ""]);
  assert.deepEqual(
    host.calls.map(({ tool, args }) => [tool, args]),
    [
      ["mcp__git-hub__list.issues", { repo: "a" }],
      ["class", { from: "x", "max-results": 3 }],
      ["delete", {}],
      ["isinstance", { a: null }],
      ["9lives", { z: 1 }],
      ["naïve tool", { x: 1 }],
      ["read_file", { path: "a" }],
    ],
  );
});

test("a traceback shows only the lines of the script", async () => {
  await using host = await startScriptHost();
  const failed = await host.run("python", "def f():\n    return 1 / 0\nf()\n");
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /^Traceback \(most recent call last\):\n {2}File "script\.py", line 3, in <module>\n {4}f\(\)/,
  );
  const unreadable = await host.run("python", "x = (\n");
  assert.match(unreadable.stderr, /^ {2}File "script\.py", line 1\n[^]*SyntaxError/);
  const thrown = await host.run(
    "typescript",
    "interface A { b: string }\nconst a: A = { b: '' };\nthrow new Error(`no${a.b}`);",
  );
  assert.equal(thrown.code, 1);
  assert.match(thrown.stderr, /script\.ts:3/);
  const wrong = await host.run("typescript", "const a: = 1;");
  assert.match(wrong.stderr, /^script\.ts:1\n[^]*SyntaxError/);
  assert.deepEqual(await host.run("python", "print('a'); exit(3)"), { code: 3, stdout: "a\n", stderr: "" });
  assert.deepEqual(await host.run("typescript", "enum A { B }\nconsole.log(A.B); process.exit(3)"), {
    code: 3,
    stdout: "0\n",
    stderr: "",
  });
});

test("a script that does not compile does not affect later ones", async () => {
  await using host = await startScriptHost();
  const deep = await host.run("typescript", "(".repeat(200_000));
  assert.match(deep.stderr, /cannot read this script/);
  assert.equal((await host.run("typescript", "const a: number = 1; console.log(a)")).stdout, "1\n");
});

test("packages of a virtual environment and modules of the current folder can be imported", async () => {
  const folder = mkdtempSync(join(tmpdir(), "hermes-venv-"));
  try {
    execFileSync("python3", ["-m", "venv", "--without-pip", join(folder, "env")]);
    const [packages = ""] = globSync(join(folder, "env", "lib", "*", "site-packages"));
    writeFileSync(join(packages, "from_venv.py"), "import sys\nprefix = sys.prefix\n");
    await using host = await startScriptHost(undefined, { PATH: join(folder, "env", "bin") });
    writeFileSync(join(host.folder, "from_here.py"), "name = 'here'\n");
    writeFileSync(join(host.folder, "json.py"), "raise SystemExit('replaced')\n");
    writeFileSync(join(host.folder, "other.ts"), "export const name: string = 'here';\n");
    const run = await host.run(
      "python",
      "import from_venv, from_here, json, sys\nprint(from_venv.prefix, from_here.name, 'site' in sys.modules)",
    );
    assert.deepEqual(run, { code: 0, stdout: `${join(folder, "env")} here True\n`, stderr: "" });
    const fast = await host.run("python", "import sys, subprocess, copy\nprint('site' in sys.modules)");
    assert.deepEqual(fast, { code: 0, stdout: "False\n", stderr: "" });
    const typescript = await host.run("typescript", 'import { name } from "./other.ts";\nconsole.log(name)');
    assert.deepEqual(typescript, { code: 0, stdout: "here\n", stderr: "" });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
