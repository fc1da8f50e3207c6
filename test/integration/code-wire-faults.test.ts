// covers: src/code, src/runtime/code, src/runtime/environment, src/safety/isolation, src/tools/code
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createConnection } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";

import { codeRig } from "../support/code-rig.ts";
import { eventually } from "../support/eventually.ts";
import { commandLines } from "../support/process-list.ts";
import { missingPrograms } from "../support/system-programs.ts";

const skip = missingPrograms({ bwrap: "bubblewrap", python3: "python3" });
/** Scripts mostly wait. */
const options = { concurrency: 3, skip };

/** A client of the wire, without `hermes_tools`. */
const client = `
import json, os, socket, sys, time
def connect(token=None, hello=True):
    s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    s.settimeout(30)
    s.connect(os.environ["HERMES_RPC_SOCKET"])
    if hello: s.sendall(json.dumps({"token": token or os.environ["HERMES_RPC_TOKEN"]}).encode() + b"\\n")
    return s
def read(s):
    data = b""
    while not data.endswith(b"\\n"):
        part = s.recv(65536)
        if not part: return data.decode() or "closed"
        data += part
    return data.decode().strip()
`;

/** A file, because one token in a few hundred looks like a key and is masked in output, whatever its encoding. */
const saveToken = `
import os
from hermes_tools import write_file
write_file(path="token.txt", content=os.environ["HERMES_RPC_TOKEN"])`;

async function tokenOf(folder: string): Promise<string> {
  const file = join(folder, "token.txt");
  await eventually(() => existsSync(file) && readFileSync(file, "utf8") !== "");
  return readFileSync(file, "utf8").trim();
}

describe("the connection between a script and Hermes survives hostile use", options, () => {
  test("malformed lines on the script's connection are answered one by one, and calls continue", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const output = await rig.printed(`${client}
s = connect()
for line in [b"rubbish", b"[]", b"null", b"{}", b'{"id": "x", "tool": "read_file", "args": {}}', b'{"id": 1, "tool": 7, "args": {}}',
             b'{"id": 2, "tool": "read_file", "args": []}', b'{"id": 1e999, "tool": "read_file", "args": {"path": "a.txt"}}', b"\\xff\\xfe\\x00", b'{"__proto__": {"id": 1}}']:
    s.sendall(line + b"\\n")
    print(read(s)[:60])
s.sendall(json.dumps({"id": 5, "tool": "read_file", "args": {"path": "a.txt"}}).encode() + b"\\n")
print(read(s))`);
    const lines = output.split("\n");
    assert.equal(lines.length, 11, output);
    assert.match(lines.at(-1) ?? "", /"id":5.*hello/u);
    assert.equal(lines.slice(0, 7).filter((line) => line.includes("fault")).length, 7, output);
  });

  test("arguments that are nested too deeply are refused, and calls continue", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const output = await rig.printed(`${client}
s = connect()
deep = b"[" * 200000 + b"]" * 200000
s.sendall(b'{"id": 1, "tool": "read_file", "args": {"path": ' + deep + b'}}\\n')
print(read(s)[:200])
s.sendall(json.dumps({"id": 2, "tool": "read_file", "args": {"path": "a.txt"}}).encode() + b"\\n")
print(read(s))`);
    assert.match(output, /"id":2.*hello/u);
  });

  test("a line of 100 MB ends its connection, and a new one works", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const before = process.memoryUsage().rss;
    const output = await rig.printed(`${client}
s = connect()
block = b"x" * (1 << 20)
try:
    s.sendall(b'{"id": 1, "tool": "read_file", "args": {"path": "')
    for _ in range(100): s.sendall(block)
    s.sendall(b'"}}\\n')
except OSError as error: print("cut", type(error).__name__)
try: print(read(s)[:100])
except OSError as error: print("gone", type(error).__name__)
s = connect()
s.sendall(json.dumps({"id": 2, "tool": "read_file", "args": {"path": "a.txt"}}).encode() + b"\\n")
print(read(s))`);
    assert.match(output, /longer than|cut|gone/u);
    assert.match(output, /"id":2.*hello/u);
    assert.ok(process.memoryUsage().rss - before < 500 * 2 ** 20);
  });

  test("unfinished lines on many connections together stay within the limit of one line", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const before = process.memoryUsage().rss;
    // 20 × 40 MB; a limit per connection would let 100 of them use gigabytes.
    const output = await rig.printed(`${client}
block = b"x" * (1 << 20)
open_ones, cut = [], 0
for _ in range(20):
    s = connect()
    s.settimeout(5)
    open_ones.append(s)
    try:
        s.sendall(b'{"id": 1, "tool": "read_file", "args": {"path": "')
        for _ in range(40): s.sendall(block)
    except OSError: cut += 1
print("cut", cut)
for s in open_ones: s.close()
time.sleep(0.5)
s = connect()
s.sendall(json.dumps({"id": 2, "tool": "read_file", "args": {"path": "a.txt"}}).encode() + b"\\n")
print(read(s))`);
    assert.match(output, /"id":2.*hello/u);
    const grown = process.memoryUsage().rss - before;
    assert.ok(grown < 400 * 2 ** 20, `${Math.round(grown / 2 ** 20)} MB`);
  });

  test("a thousand connections and a flood of unread calls end with the script", async () => {
    await using rig = await codeRig({ settings: { "code_execution.timeout": 8 } });
    const before = process.memoryUsage().rss;
    const result = await rig.run(`${client}
kept = []
for _ in range(400):
    try: kept.append(connect())
    except OSError: pass
s = kept[0]
s.setblocking(False)
line = json.dumps({"id": 1, "tool": "no_such_tool" + "x" * 500, "args": {}}).encode() + b"\\n"
until = time.time() + 1
while time.time() < until:
    try: s.send(line * 100)
    except BlockingIOError: time.sleep(0.01)
print("flooded")`);
    assert.match(result.output, /flooded/u);
    assert.ok(process.memoryUsage().rss - before < 300 * 2 ** 20);
    assert.equal(await rig.printed(`print("next")`), "next");
  });

  test("if the script closes its connection, its calls fail and the script handles the error", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const output = await rig.printed(`
import os, hermes_tools
hermes_tools.read_file(path="a.txt")
for fd in range(3, 64):
    try: os.close(fd)
    except OSError: pass
try:
    print(hermes_tools.read_file(path="a.txt"))
except BaseException as error:
    print("failed", type(error).__name__)`);
    assert.match(output, /failed|hello/u);
  });

  test("connections with a wrong token, no token or the token of another run are refused", async () => {
    await using rig = await codeRig();
    const [token] = await Promise.all([tokenOf(rig.work), rig.printed(saveToken)]);
    assert.ok(token.length >= 40, token);
    const output = await rig.printed(`${client}
import base64
old = base64.b16decode("${Buffer.from(token).toString("hex").toUpperCase()}").decode()
for guess in ["", "x", old, old[:-1], [], {}, None, 0, True]:
    s = connect(hello=False)
    s.sendall(json.dumps({"token": guess}).encode() + b"\\n" + json.dumps({"id": 1, "tool": "terminal", "args": {"command": "echo reached"}}).encode() + b"\\n")
    print(read(s))
s = connect(hello=False)
s.sendall(json.dumps({"id": 1, "tool": "terminal", "args": {"command": "echo reached"}}).encode() + b"\\n")
print(read(s))`);
    const lines = output.split("\n");
    assert.equal(lines.length, 10);
    for (const line of lines) assert.match(line, /Unauthorized/u);
    assert.doesNotMatch(output, /reached/u);
  });

  test("another process on this machine cannot call tools, and no process list shows the token", async () => {
    await using rig = await codeRig({ files: { go: "" } });
    const running = rig.run(`${saveToken}
import time
from hermes_tools import read_file
while "error" in read_file(path="stop.txt"): time.sleep(1)`);
    const token = await tokenOf(rig.work);
    const sockets = readdirSync(tmpdir())
      .map((name) => join(tmpdir(), name, "files", "rpc.sock"))
      .filter((path) => existsSync(path));
    const replies = await Promise.all(
      sockets.map(
        (path) =>
          new Promise<string>((resolve) => {
            const socket = createConnection(path, () =>
              socket.write('{"token":"guess"}\n{"id":1,"tool":"read_file","args":{"path":"go"}}\n'),
            );
            let text = "";
            socket.on("data", (part) => (text += String(part)));
            socket.on("error", (error) => resolve(String(error)));
            socket.on("close", () => resolve(text));
          }),
      ),
    );
    const lines = commandLines();
    writeFileSync(join(rig.work, "stop.txt"), "now");
    await running;
    assert.ok(replies.length > 0, "no socket was there");
    for (const reply of replies) assert.match(reply, /Unauthorized|^$|ECONN|EACCES|ENOENT|EPIPE/u);
    assert.ok(token.length >= 40, token);
    assert.ok(!lines.some((line) => line.includes(token)));
  });

  test("tool calls after the end of the script have no effect", async () => {
    await using rig = await codeRig();
    const result = await rig.run(`
import os, threading, time
from hermes_tools import write_file
def later():
    time.sleep(2)
    write_file(path="late-thread.txt", content="x")
write_file(path="in-time.txt", content="x")
threading.Thread(target=later, daemon=True).start()
if os.fork() == 0:
    os.setsid()
    time.sleep(2)
    write_file(path="late-orphan.txt", content="x")
    os._exit(0)
os._exit(0)`);
    assert.equal(result.status, "success");
    assert.ok(existsSync(join(rig.work, "in-time.txt")));
    await rig.printed(`import time; time.sleep(3)`);
    assert.deepEqual(
      readdirSync(rig.work).filter((name) => name.startsWith("late")),
      [],
    );
  });

  test("the 51st call, unknown and excluded tools, recursion and background commands are refused", async () => {
    await using rig = await codeRig({ files: { "a.txt": "hello\n" } });
    const output = await rig.printed(`${client}
s = connect()
def call(tool, **args):
    s.sendall(json.dumps({"id": 1, "tool": tool, "args": args}).encode() + b"\\n")
    return json.loads(read(s))["result"]
for tool in ["execute_code", "delegate_task", "clarify", "memory", "todo", "no_such_tool", "__proto__", "constructor", "toString"]:
    print(tool, "error" in call(tool, code="print(1)", goal="x", question="x", action="add"))
print("background", "error" in call("terminal", command="echo x", background=True), "error" in call("terminal", command="echo x", pty=True))
results = [call("read_file", path="a.txt") for _ in range(60)]
good = [each for each in results if "error" not in each]
print(len(good), results[-1]["error"])`);
    const lines = output.split("\n");
    for (const line of lines.slice(0, -2)) assert.match(line, / True$/u);
    assert.equal(lines.at(-2), "background True True");
    assert.match(lines.at(-1) ?? "", /^50 .*limit/u);
  });

  test("replacing the hermes_tools module, by the script or a workspace file, gives no additional permissions", async () => {
    await using rig = await codeRig({
      files: {
        "hermes_tools.py": "raise SystemExit('the module of the workspace was used')\n",
        "json.py": "raise SystemExit('json of the workspace was used')\n",
      },
    });
    const output = await rig.printed(`
import sys, types, hermes_tools
print(hermes_tools.__file__)
try:
    open(hermes_tools.__file__, "w").write("evil")
    print("written")
except OSError as error: print("refused", error.errno)
sys.modules["hermes_tools"] = types.ModuleType("hermes_tools")
from hermes_tools import *`);
    assert.match(output, /refused/u);
    assert.doesNotMatch(output, /written|workspace was used/u);
    const forged = await rig.run(`
import hermes_tools
hermes_tools.terminal(command="echo x >forged.txt", background=True)`);
    assert.equal(existsSync(join(rig.work, "forged.txt")), false, JSON.stringify(forged));
  });
});
