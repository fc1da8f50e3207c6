// covers: src/code, src/runtime/code, src/tools/code, src/safety, src/environments
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, type JsonObject } from "../../src/base/json.ts";
import { findProgram } from "../../src/base/process/find-program.ts";
import { runHere } from "../support/run-here.ts";
import { runProgram } from "../support/run-program.ts";
import { tempHome } from "../support/temp-home.ts";
import { startModelServer } from "../support/wire-servers/model-server.ts";

const program = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

interface HermesOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** A project with a file and a key, and the built program. */
async function scene() {
  const folder = await tempHome();
  const [work, home] = [join(folder.path, "work"), join(folder.path, "home")];
  await mkdir(join(work, "src"), { recursive: true });
  await mkdir(home, { mode: 0o700 });
  await writeFile(join(work, "a.txt"), "hello\n");
  await writeFile(join(work, ".env"), "PASSWORD=swordfish\n");
  const env = {
    HOME: folder.path,
    HERMES_HOME: home,
    MARKER_OF_HOST: "unseen",
    GITHUB_TOKEN: "ghp_secret",
    TEST_KEY: "k1",
  };

  async function hermes(line: readonly string[], { input = "", env: more }: HermesOptions = {}) {
    // Variables of the environment are the business of the program.
    if (more === undefined) return runHere({ work, env }, line, input);
    return runProgram(process.execPath, [program, ...line], { cwd: work, env: { ...env, ...more }, input });
  }

  return {
    work,
    home,
    folder: folder.path,
    hermes,
    /** The result of a script. */
    async run(
      code: string,
      more: {
        readonly args?: JsonObject;
        readonly set?: readonly string[];
        readonly env?: Readonly<Record<string, string>>;
        readonly isApproved?: boolean;
      } = {},
    ) {
      const settings = (more.set ?? []).flatMap((each) => ["--set", each]);
      const line = [
        "tools",
        "call",
        "execute_code",
        "--args",
        "-",
        ...(more.isApproved ? ["--approve"] : []),
        ...settings,
      ];
      const ran = await hermes(line, {
        input: JSON.stringify({ code, ...more.args }),
        ...(more.env && { env: more.env }),
      });
      return { ...ran, result: resultOf(ran.stdout) };
    },
    /** PATH without any sandbox. */
    async bare() {
      const bin = join(folder.path, "bin");
      await mkdir(bin);
      const python = await runProgram("python3", ["-c", "import sys; print(sys.executable)"]);
      await symlink(python.stdout.trim(), join(bin, "python3"));
      for (const name of ["sh", "bash", "git"]) await symlink(findProgram([name], process.env) ?? "", join(bin, name));
      return bin;
    },
    [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose](),
  };
}

/** A text of the result. */
function textIn(result: JsonObject, key: string): string {
  const value = result[key];
  return typeof value === "string" ? value : JSON.stringify(value ?? "");
}

function resultOf(stdout: string): JsonObject {
  try {
    const value: unknown = JSON.parse(stdout);
    // Parsed from JSON.
    return isObject(value) ? (value as JsonObject) : {};
  } catch {
    return {};
  }
}

test("a Python script calls tools, and sees neither keys, home, host nor network", async () => {
  await using at = await scene();
  const { result } = await at.run(`
import os, socket
from hermes_tools import read_file, search, terminal, write_file
print(read_file("a.txt")["content"], [m for m in search("hello")["matches"]][0]["path"])
write_file("made.txt", "by a tool")
terminal("cd src"); print(terminal("pwd")["output"].strip())
def attempt(name, f):
    try: print(name, repr(f()))
    except OSError as e: print(name, type(e).__name__)
attempt("key", lambda: open(".env").read())
attempt("write", lambda: open("b.txt", "w"))
attempt("home", lambda: os.listdir(os.environ["HERMES_HOME"]))
attempt("net", lambda: socket.create_connection(("127.0.0.1", 22), 1))
print("temp", open(os.path.join(os.environ["TMPDIR"], "t"), "w").write("x"))
print("host", "MARKER_OF_HOST" in open("/proc/1/environ").read(), "GITHUB_TOKEN" in os.environ, len([p for p in os.listdir("/proc") if p.isdigit()]) < 5)
`);
  assert.equal(result["status"], "success", JSON.stringify(result));
  const lines = textIn(result, "output").trim().split("\n");
  assert.match(lines[0] ?? "", /1\|hello .*a\.txt$/u);
  assert.equal(lines[1], join(at.work, "src"));
  assert.deepEqual(lines.slice(2), [
    "key PermissionError",
    "write OSError",
    "home FileNotFoundError",
    "net ConnectionRefusedError",
    "temp 1",
    "host False False True",
  ]);
  assert.equal(await readFile(join(at.work, "made.txt"), "utf8"), "by a tool");
  assert.equal(existsSync(join(at.work, "b.txt")), false);
  assert.deepEqual(
    Object.keys(result).filter((key) => key !== "output"),
    [
      "status",
      "exit_code",
      "tool_calls_made",
      "duration_seconds",
      "stdout_truncated",
      "stdout_bytes_captured",
      "stdout_bytes_total",
      "stdout_bytes_omitted",
    ],
  );
  assert.equal(result["tool_calls_made"], 5);
});

test("a TypeScript script calls tools in parallel; errors name its lines", async () => {
  await using at = await scene();
  const { result } = await at.run(
    `import { read_file, terminal } from "hermes_tools";
interface Read { readonly content: string }
const reads: Read[] = await Promise.all([1, 2, 3].map(() => read_file({ path: "a.txt" }) as Promise<Read>));
console.log(reads.map(({ content }) => content).join());
console.log(await terminal({ command: "sleep 9", background: true } as never));
throw new Error("on line 6");`,
    { args: { language: "typescript" } },
  );
  assert.equal(result["status"], "error");
  assert.equal(result["exit_code"], 1);
  assert.match(textIn(result, "output"), /^1\|hello,1\|hello,1\|hello\n/u);
  assert.match(textIn(result, "output"), /background cannot be used in execute_code/u);
  assert.match(textIn(result, "errors"), /script\.ts:6[\s\S]*on line 6/u);
});

test("without a sandbox the result has a note, and a script that can do harm needs approval as a whole", async () => {
  await using at = await scene();
  const path = await at.bare();
  const harmless = await at.run("print(sum(range(10)))", { env: { PATH: path } });
  assert.equal(harmless.result["output"], "45\n");
  assert.match(textIn(harmless.result, "warning"), /ran without a sandbox, because bubblewrap/u);
  const harmful = await at.run("import shutil\nshutil.rmtree('src')", { env: { PATH: path } });
  assert.deepEqual(harmful.result, {});
  assert.match(harmful.stderr, /Denied: execute_code was not run: [\s\S]*shutil\.rmtree/u);
  assert.equal(existsSync(join(at.work, "src")), true);
  const tools = await at.run("from hermes_tools import read_file\nprint(read_file('a.txt')['content'])", {
    env: { PATH: path },
  });
  assert.equal(tools.result["output"], "1|hello\n", JSON.stringify(tools));
});

test("in strict mode a script sees only its temporary folder", async () => {
  await using at = await scene();
  const code = `import os\nprint(os.getcwd(), os.path.exists(${JSON.stringify(join(at.folder, "work", "a.txt"))}))`;
  const { result } = await at.run(code, { set: ["code_execution.mode=strict"] });
  assert.equal(result["output"], "/tmp False\n", JSON.stringify(result));
});

test("the active Python environment runs scripts; in strict mode the Python on PATH does", async () => {
  await using at = await scene();
  const venv = join(at.folder, "venv");
  assert.equal((await runProgram("python3", ["-m", "venv", "--without-pip", venv])).code, 0);
  const env = { VIRTUAL_ENV: venv };
  const code = "import site, sys\nprint(sys.executable)";
  const active = await at.run(code, { env });
  assert.match(textIn(active.result, "output"), new RegExp(`^${venv}/bin/python`, "u"));
  const strict = await at.run(code, { env, set: ["code_execution.mode=strict"] });
  assert.equal(strict.result["status"], "success");
  assert.doesNotMatch(textIn(strict.result, "output"), new RegExp(venv, "u"));
});

test("long script output keeps its first 40 % and last 60 %, and a file has all of it", async () => {
  await using at = await scene();
  const code =
    "import sys\nfor i in range(20000): print('line', i, '\\033[31mred\\033[0m')\nsys.stderr.write('e' * 50000 + 'the end')\nsys.exit(3)";
  const { result } = await at.run(code);
  assert.equal(result["status"], "error");
  assert.equal(result["exit_code"], 3);
  assert.equal(result["stdout_truncated"], true);
  assert.equal(result["stdout_bytes_captured"], 50_000);
  assert.equal(result["stdout_bytes_omitted"], Number(result["stdout_bytes_total"]) - 50_000);
  const output = textIn(result, "output");
  assert.match(output, /^line 0 red\n/u);
  assert.match(output, /\nline 19999 red\n$/u);
  const cut = output.indexOf("bytes left out");
  assert.ok(cut > 10_000 && cut < output.length / 2, String(cut));
  const all = await readFile(textIn(result, "full_output_path"), "utf8");
  assert.equal(all.split("\n").length, 20_001);
  assert.ok(textIn(result, "errors").length < 10_200);
  assert.match(textIn(result, "errors"), /the end$/u);
});

test("calls, time, memory, processes and disk space of a script are limited, and nothing is left behind", async () => {
  await using at = await scene();
  const calls = await at.run(
    "from hermes_tools import read_file\nfor _ in range(3): print(read_file('a.txt').get('error'))",
    {
      set: ["code_execution.max_tool_calls=2"],
    },
  );
  assert.match(textIn(calls.result, "output"), /^None\nNone\nTool call limit reached \(2\)/u);
  const time = await at.run(
    "import signal, time\nsignal.signal(signal.SIGTERM, lambda *_: print('asked to end', flush=True))\nwhile True: time.sleep(1)",
    // On a busy machine, the interpreter alone can need more than a second.
    { set: ["code_execution.timeout=5"] },
  );
  assert.equal(time.result["status"], "timeout");
  assert.equal(time.result["output"], "asked to end\n");
  assert.match(textIn(time.result, "errors"), /ended after 5 s, its time limit/u);
  const memory = await at.run("x = [b'x' * 10_000_000 for _ in range(100)]", {
    set: ["code_execution.max_memory_mb=200"],
  });
  assert.equal(memory.result["status"], "error");
  assert.match(JSON.stringify(memory.result), /memory/u);
  const processes = await at.run(
    "import os, time\nfor _ in range(40):\n    if os.fork() == 0: time.sleep(60); os._exit(0)\ntime.sleep(60)",
    { set: ["code_execution.max_processes=20"] },
  );
  assert.match(textIn(processes.result, "errors"), /started more than 20 processes/u);
  const disk = await at.run(
    "import os, time\nfor i in range(5): open(os.path.join(os.environ['TMPDIR'], str(i)), 'wb').write(b'x' * 900_000)\ntime.sleep(60)",
    { set: ["code_execution.max_disk_mb=1"] },
  );
  assert.match(textIn(disk.result, "errors"), /stored more than 1 MB/u);
});

test("a process that leaves its session ends with the script, confined or not", async () => {
  await using at = await scene();
  const code = `
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execvp("sleep", ["sleep", "${process.pid}.5"])
    os._exit(0)
time.sleep(0.2)
print("left")`;
  const path = await at.bare();
  await symlink(findProgram(["sleep"], process.env) ?? "", join(path, "sleep"));
  for (const more of [{}, { env: { PATH: path }, isApproved: true }]) {
    const { result, stderr } = await at.run(code, more);
    assert.equal(result["output"], "left\n", JSON.stringify(result) + stderr);
    const left = await runProgram("pgrep", ["-f", `sleep ${process.pid}.5`]);
    assert.equal(left.stdout, "");
  }
});

test("in a chat the model runs a script, its cd persists, and the script's calls stay out of the history", async () => {
  await using at = await scene();
  const code =
    "from hermes_tools import terminal\nterminal('cd src')\nprint('moved', len(terminal('echo inner-secret-output')['output']))";
  await using server = await startModelServer({
    protocol: "openai-chat",
    keys: ["k1"],
    turns: [
      { calls: [{ name: "execute_code", args: { code } }] },
      { calls: [{ name: "terminal", args: { command: "pwd" } }] },
      { text: "Done." },
    ],
  });
  const config = {
    model: { default: "m1", provider: "custom", base_url: server.url, key_env: "TEST_KEY" },
    auxiliary: { title_generation: { enabled: false } },
  };
  await writeFile(join(at.home, "config.yaml"), JSON.stringify(config));
  const ran = await at.hermes(["-z", "go"]);
  assert.match(ran.stdout, /Done\./u, ran.stderr);
  const last = JSON.stringify(server.requests.at(-1)?.json);
  assert.match(last, /moved 20/u);
  assert.ok(last.includes(join(at.work, "src")), last.slice(-2_000));
  assert.equal(last.includes("inner-secret-output\\\\n"), false);
});
