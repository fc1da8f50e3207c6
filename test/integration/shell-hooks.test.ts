// covers: src/plugins/shell-hooks, src/runtime/plugins/open-shell-hooks.ts, src/operations/plugins, src/hosts/cli
import assert from "node:assert/strict";
import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, parsedObject } from "../../src/base/json.ts";
import { chatTerminal } from "../support/chat-terminal.ts";
import { eventually } from "../support/eventually.ts";
import { runHere } from "../support/run-here.ts";
import { type Ran, runProgram } from "../support/run-program.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const bundle = join(import.meta.dirname, "..", "..", "dist", "hermes.js");

interface Bench extends AsyncDisposable {
  readonly path: string;
  hermes(args: readonly string[], env?: Record<string, string>): Promise<Ran>;
  /** The built program. */
  program(args: readonly string[]): Promise<Ran>;
  /** Calls a tool without a session: the same dispatcher. */
  call(tool: string, args: object): Promise<Ran>;
  script(name: string, body: string): Promise<string>;
}

async function bench(hooks: object, more: object = {}): Promise<Bench> {
  const home = await tempHome();
  await writeFile(join(home.path, "config.yaml"), JSON.stringify({ hooks, isolation: { mode: "off" }, ...more }));
  const work = join(home.path, "work");
  await mkdir(work);
  const own = { HERMES_HOME: home.path, HOME: home.path, PATH: process.env["PATH"] ?? "", MY_TOKEN: "t0ken" };
  const hermes: Bench["hermes"] = (args, env = {}) => runHere({ work, env: { ...own, ...env } }, args);
  return {
    path: home.path,
    hermes,
    program: (args) => runProgram(process.execPath, [bundle, ...args], { cwd: work, env: own }),
    call: (tool, args) => hermes(["tools", "call", tool, "--args", JSON.stringify(args)]),
    async script(name, body) {
      const path = join(home.path, name);
      await writeFile(path, `#!/bin/sh\n${body}\n`);
      await chmod(path, 0o755);
      return path;
    },
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

const guard = (command = "./guard.sh", timeout = 60) => ({
  pre_tool_call: [{ matcher: "terminal", command, timeout }],
});
const echo = { command: "echo done" };
const outputOf = ({ stdout, stderr }: { readonly stdout: string; readonly stderr: string }) => stdout + stderr;

test("a policy hook that was not accepted blocks its calls, and the message explains how to accept it", async () => {
  await using at = await bench(guard());
  await at.script("guard.sh", "exit 0");
  const blocked = await at.call("terminal", echo);
  assert.match(blocked.stdout + blocked.stderr, /You have not accepted this program/u);
  assert.match(blocked.stderr, /hermes hooks accept/u);
  assert.ok(!blocked.stdout.includes("done\\n"));
  const other = await at.call("todo", { todos: [] });
  assert.doesNotMatch(other.stdout, /not accepted/u);
  assert.equal((await at.hermes(["hooks", "accept"])).code, 2);
  assert.equal((await at.hermes(["hooks", "accept", "-y"])).code, 0);
  assert.match((await at.call("terminal", echo)).stdout, /done/u);
});

test("an edited script must be accepted again; revoke removes the consent", async () => {
  await using at = await bench(guard());
  await at.script("guard.sh", "exit 0");
  await at.hermes(["hooks", "accept", "-y"]);
  await at.script("guard.sh", "exit 0 # edited");
  assert.match(outputOf(await at.call("terminal", echo)), /changed since you accepted it/u);
  assert.match((await at.hermes(["hooks", "list"])).stdout, /changed/u);
  assert.equal((await at.hermes(["hooks", "doctor"])).code, 1);
  await at.hermes(["hooks", "accept", "-y"]);
  assert.equal((await at.hermes(["hooks", "doctor"])).code, 0);
  assert.equal((await at.hermes(["hooks", "revoke", "./guard.sh"])).code, 0);
  assert.match(outputOf(await at.call("terminal", echo)), /not accepted/u);
});

for (const [name, body, reason] of [
  ["a non-zero exit", "echo 'no way' >&2; exit 3", /exit code 3: no way/u],
  ["a timeout", "sleep 600", /no answer within 2 s/u],
  ["a crash", "kill -9 $$", /exit code -1/u],
  ["output that is not JSON", "echo fine", /not JSON/u],
  ["an answer of another shape", "echo '[1]'", /malformed answer/u],
  ["a block", `echo '{"decision":"block","reason":"never push"}'`, /never push/u],
  ["the original's block", `echo '{"action":"block","message":"never push"}'`, /never push/u],
] as const) {
  test(`${name} of a policy hook blocks the call`, async () => {
    const limitSeconds = name === "a timeout" ? 2 : 60;
    await using at = await bench(guard("./guard.sh", limitSeconds), { hooks_auto_accept: true });
    await at.script("guard.sh", body);
    const blocked = await at.call("terminal", echo);
    assert.match(outputOf(blocked), reason);
    assert.doesNotMatch(blocked.stdout, /done/u);
  });
}

test("with policy: false, a failure of a shell hook is reported and the call runs", async () => {
  await using at = await bench(
    { pre_tool_call: [{ command: "./guard.sh", policy: false }] },
    { hooks_auto_accept: true },
  );
  await at.script("guard.sh", "exit 3");
  const { stdout, stderr } = await at.call("terminal", echo);
  assert.match(stdout, /done/u);
  assert.match(stderr, /The shell hook \.\/guard\.sh \(pre_tool_call\) failed: exit code 3/u);
});

test("a hook receives the event as JSON, without a shell and without secrets", async () => {
  await using at = await bench({ pre_tool_call: [{ command: `./log.sh "a b" '$HOME;ls'` }] });
  await at.script("log.sh", `cat > "$HOME/seen.json"; printf '%s|' "$@" > "$HOME/args"; env > "$HOME/env"`);
  await at.hermes(["tools", "call", "terminal", "--args", JSON.stringify(echo)], { HERMES_ACCEPT_HOOKS: "1" });
  const seen = parsedObject(await readFile(join(at.path, "seen.json"), "utf8"));
  assert.deepEqual(
    [seen["hook_event_name"], seen["tool_name"], seen["cwd"]],
    ["pre_tool_call", "terminal", join(at.path, "work")],
  );
  const { tool_input: input, extra } = seen;
  assert.ok(isObject(input) && input["command"] === "echo done");
  assert.ok(isObject(extra) && typeof extra["tool_call_id"] === "string" && typeof extra["task_id"] === "string");
  assert.equal(await readFile(join(at.path, "args"), "utf8"), "a b|$HOME;ls|");
  assert.doesNotMatch(await readFile(join(at.path, "env"), "utf8"), /t0ken/u);
});

test("observing shell hooks run in parallel to the call, in order, and finish before the program ends", async () => {
  await using at = await bench({ post_tool_call: [{ command: "./log.sh" }] }, { hooks_auto_accept: true });
  await at.script("log.sh", `sleep 0.2; cat >> "$HOME/log"`);
  await at.program(["tools", "call", "terminal", "--args", JSON.stringify(echo)]);
  const [line] = (await readFile(join(at.path, "log"), "utf8")).trim().split("\n");
  const { extra } = parsedObject(line ?? "");
  assert.ok(isObject(extra) && extra["status"] === "ok" && String(extra["result"]).includes("done"));
});

test("list, test and doctor print JSON; an unknown event and an unterminated quote are reported", async () => {
  await using at = await bench({ ...guard(), pre_tool_cal: [{ command: "x" }], on_session_end: [{ command: "'x" }] });
  await at.script("guard.sh", `cat > /dev/null; echo '{"action":"allow"}'`);
  await at.hermes(["hooks", "accept", "-y"]);
  const listed = parsedObject((await at.hermes(["hooks", "list", "--json"])).stdout);
  assert.match(JSON.stringify(listed), /there is no event of this name\. Did you mean pre_tool_call/u);
  assert.match(JSON.stringify(listed), /has a quote that is not closed/u);
  const tried = (await at.hermes(["hooks", "test", "pre_tool_call", "--json"])).stdout;
  assert.match(tried, /"answer":\{"action":"allow"\}/u);
  const none = (await at.hermes(["hooks", "test", "pre_tool_call", "--for-tool", "read_file"])).stdout;
  assert.match(none, /No shell hook runs at pre_tool_call for this call/u);
});

test("a project file cannot add hooks", async () => {
  await using at = await bench({});
  const project = join(at.path, "work", ".hermes");
  await mkdir(project);
  await writeFile(
    join(project, "config.yaml"),
    JSON.stringify({ hooks: guard("touch /tmp/x"), hooks_auto_accept: true }),
  );
  await at.hermes(["trust", "-y"]);
  assert.match((await at.hermes(["hooks", "list"])).stdout, /No shell hook is configured/u);
});

test("the chat asks about a shell hook that was not accepted, and accepting takes effect immediately", async () => {
  await using at = await bench(guard());
  await at.script("guard.sh", `echo '{"decision":"block","reason":"the guard says no"}'`);
  const model = scriptedModel([{ calls: [{ name: "terminal", args: echo }] }, { text: "Stopped." }]);
  await using chat = chatTerminal([], { home: at.path, model });
  await chat.until(/The shell hook \.\/guard\.sh decides about tool calls at pre_tool_call[^]*\[y\/N\]/u);
  chat.type("y\r");
  await chat.until("Accepted.");
  chat.type("go\r");
  await chat.until("Stopped.");
  assert.match(JSON.stringify(model.requests.at(-1)), /the guard says no/u);
});

test("--accept-hooks accepts hooks for a script, and command hooks of a chat see slash commands", async () => {
  await using at = await bench({ pre_llm_call: [{ command: "./context.sh" }], commandRun: [{ command: "./log.sh" }] });
  await at.script("context.sh", `echo '{"context":"the word is zebra"}'`);
  await at.script("log.sh", `cat >> "${at.path}/log"`);
  const model = scriptedModel([{ text: "Read." }]);
  await using chat = chatTerminal(["--accept-hooks"], { home: at.path, model });
  chat.type("go\r");
  await chat.until("Read.");
  assert.match(JSON.stringify(model.requests[0]), /the word is zebra/u);
  chat.type("/help\r");
  await eventually(async () => /"command":"help"/u.test(await readFile(join(at.path, "log"), "utf8").catch(() => "")));
});
