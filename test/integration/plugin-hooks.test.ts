// covers: src/plugins, src/runtime/plugins, src/kernel
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { test } from "node:test";

import { parsedObject } from "../../src/base/json.ts";
import { eventually } from "../support/eventually.ts";
import { say } from "../support/obedient-model.ts";
import { lastWords, wireRuntime } from "../support/wire-runtime.ts";

const echo = (words: string) => ({ calls: [{ name: "terminal", args: { command: `echo ${words}` } }] });

/** Writes the files of plugins into the home: paths and contents. */
function files(contents: Readonly<Record<string, string>>): (home: string) => Promise<void> {
  return async (home) => {
    for (const [name, text] of Object.entries(contents)) {
      const path = join(home, name);
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text);
    }
  };
}

/** The lines of a file, as soon as it has that many. */
async function lines(path: string, count: number): Promise<readonly Record<string, unknown>[]> {
  const read = async () => (await readFile(path, "utf8").catch(() => "")).split("\n").slice(0, -1);
  await eventually(async () => (await read()).length >= count);
  return (await read()).map((line) => parsedObject(line));
}

const guard = `
import json, os
from hermes_constants import get_hermes_home

LOG = os.path.join(str(get_hermes_home()), "plugin-data", "guard", "log.jsonl")

def guard(tool_name, args, **kwargs):
    command = args.get("command", "")
    if "push" in command:
        return {"action": "block", "message": "no pushing"}
    if "crash" in command:
        os._exit(3)

def log(**kwargs):
    with open(LOG, "a") as file:
        file.write(json.dumps(kwargs) + "\\n")

def safer(tool_name, args, **kwargs):
    if args.get("command") == "echo plain":
        return {"args": {**args, "command": "echo changed"}, "reason": "test"}

def shout(tool_name, args, next_call, **kwargs):
    return next_call(args).replace("changed", "CHANGED")

def register(ctx):
    ctx.register_hook("pre_tool_call", guard)
    ctx.register_hook("post_tool_call", log)
    ctx.register_hook("on_session_finalize", log)
    ctx.register_middleware("tool_request", safer)
    ctx.register_middleware("tool_execution", shout)
`;

test("hooks and middleware of a Python plugin block, observe and change calls, and a crashing policy blocks", async () => {
  const turns = [echo("crash"), echo("push"), echo("plain"), { text: "Done." }];
  const prepare = files({
    "plugins/guard/plugin.yaml": "name: guard\nversion: 1.0.0\n",
    "plugins/guard/__init__.py": guard,
  });
  await using at = await wireRuntime(turns, { plugins: { enabled: ["guard"] } }, prepare);
  const session = await at.runtime.openSession({});
  await say(session, "go");
  const [, crashed, pushed, changed] = at.server.requests.map(lastWords);
  assert.match(pushed ?? "", /no pushing/u);
  assert.match(changed ?? "", /CHANGED/u);
  assert.match(crashed ?? "", /policy hook of plugin guard failed/u);
  await session[Symbol.asyncDispose]();
  const logged = await lines(join(at.home, "plugin-data", "guard", "log.jsonl"), 4);
  assert.deepEqual(
    logged.filter(({ tool_name: name }) => name === "terminal").map(({ status }) => status),
    ["blocked", "blocked", "ok"],
  );
  assert.deepEqual(logged.find(({ status }) => status === "ok")?.["middleware_trace"], [
    { name: "plugin guard", reason: "test" },
  ]);
  assert.equal(logged.at(-1)?.["session_id"], session.id);
});

const watcher = `
import { appendFileSync } from "node:fs";
import { definePlugin } from "hermes-agent-ts/plugin";

export default definePlugin({
  setup: ({ dataDir }) => ({
    hooks: {
      beforeToolCall: ({ args }) => (String(args.command).includes("push") ? { block: "not that" } : undefined),
      afterToolCall: ({ call, status }) => appendFileSync(dataDir + "/log.jsonl", JSON.stringify({ name: call.name, status }) + "\\n"),
    },
    middleware: {
      async toolExecution(call, next) {
        const result = await next({ ...call.args, command: String(call.args.command).replace("plain", "changed") });
        return result;
      },
    },
  }),
});
`;

test("hooks and middleware of a TypeScript plugin work in a session", async () => {
  const turns = [echo("push"), echo("plain"), { text: "Done." }];
  const prepare = files({
    "plugins/watcher/plugin.yaml": "name: watcher\nversion: 1.0.0\n",
    "plugins/watcher/index.ts": watcher,
  });
  await using at = await wireRuntime(turns, { plugins: { enabled: ["watcher"] } }, prepare);
  const session = await at.runtime.openSession({});
  await say(session, "go");
  const [, pushed, changed] = at.server.requests.map(lastWords);
  assert.match(pushed ?? "", /not that/u);
  assert.match(changed ?? "", /changed/u);
  await session[Symbol.asyncDispose]();
  assert.deepEqual(await lines(join(at.home, "plugin-data", "watcher", "log.jsonl"), 2), [
    { name: "terminal", status: "blocked" },
    { name: "terminal", status: "ok" },
  ]);
});

const notePython = `
import json, os
from hermes_constants import get_hermes_home

async def handle(event_type, context):
    with open(os.path.join(str(get_hermes_home()), "plugin-data", "hooks+py", "log.jsonl"), "a") as file:
        file.write(json.dumps({"event": event_type, **context}) + "\\n")
`;

const noteTypeScript = `
import { appendFileSync } from "node:fs";

export async function handle(type: string, context: Record<string, unknown>): Promise<void> {
  appendFileSync(process.env["HERMES_HOME"] + "/plugin-data/hooks+ts/log.jsonl", JSON.stringify({ event: type, ...context }) + "\\n");
}
`;

test("hook folders get events of sessions and turns, in Python and TypeScript", async () => {
  const yaml = (events: string) => `name: note\ndescription: Notes\nevents: [${events}]\n`;
  const prepare = files({
    "hooks/py/HOOK.yaml": yaml('"agent:*", "session:end"'),
    "hooks/py/handler.py": notePython,
    "hooks/ts/HOOK.yaml": yaml('"session:start", "agent:step"'),
    "hooks/ts/handler.ts": noteTypeScript,
  });
  const settings = { plugins: { enabled: ["hooks/py", "hooks/ts"] } };
  await using at = await wireRuntime([echo("hi"), { text: "Done." }], settings, prepare);
  const session = await at.runtime.openSession({});
  await say(session, "go");
  await session[Symbol.asyncDispose]();
  const data = join(at.home, "plugin-data");
  const python = await lines(join(data, "hooks+py", "log.jsonl"), 5);
  assert.deepEqual(
    python.map(({ event }) => event),
    ["agent:start", "agent:step", "agent:step", "agent:end", "session:end"],
  );
  assert.deepEqual([python[0]?.["message"], python[3]?.["response"]], ["go", "Done."]);
  assert.deepEqual(python[1]?.["tool_names"], ["terminal"]);
  const typed = await lines(join(data, "hooks+ts", "log.jsonl"), 3);
  assert.deepEqual(
    typed.map(({ event, platform }) => [event, platform]),
    [
      ["session:start", "library"],
      ["agent:step", "library"],
      ["agent:step", "library"],
    ],
  );
});
