// covers: src/mcp, src/runtime/mcp, src/hosts/cli
// The built program with real servers, and the command line with hostile ones, as a person runs it.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { isObject, parsedObject } from "../../src/base/json.ts";
import type { HostileMode } from "../fixtures/mcp-servers/modes.ts";
import { sourceFlags } from "../support/child-process.ts";
import { npmPrograms } from "../support/npm-programs.ts";
import { runHere } from "../support/run-here.ts";
import { talking } from "../support/talking-program.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

const { folder, skip } = await npmPrograms("mcp");
const program = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");
const hostile = (mode: HostileMode) => ({
  hostile: { command: process.execPath, args: [...sourceFlags, program, mode], connect_timeout: 240 },
});
const call = (name: string, args: NonNullable<ScriptedTurn["calls"]>[number]["args"] = {}): ScriptedTurn => ({
  calls: [{ name, args }],
});
const echo = (text: string): ScriptedTurn => call("mcp__hostile__echo", { text });

/** A home with these servers; the model plays the turns. */
async function withServers(servers: object, turns: readonly ScriptedTurn[], settings: object = {}) {
  const scene = await talking(turns);
  const file = join(scene.env.HERMES_HOME, "config.yaml");
  const before = parsedObject(await readFile(file, "utf8"));
  // A busy machine may need long to start a server.
  const patient = { mcp_single_query_discovery_timeout: 240 };
  await writeFile(file, JSON.stringify({ ...before, ...patient, ...settings, mcp_servers: servers }));
  return {
    ...scene,
    /** The results of all calls, as the model saw them in its last request. */
    results(): readonly string[] {
      const messages = scene.server.requests.at(-1)?.json["messages"];
      const list = Array.isArray(messages) ? messages : [];
      return list.flatMap((message) =>
        isObject(message) && message["role"] === "tool" ? [String(message["content"])] : [],
      );
    },
  };
}

test("a one-shot turn calls tools of real servers by their names", { skip }, async () => {
  const file = (name: string) => join(folder, "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  const servers = {
    everything: { command: process.execPath, args: [file("everything"), "stdio"] },
    files: { command: process.execPath, args: [file("filesystem"), "."] },
  };
  await using scene = await withServers(servers, [
    call("mcp__everything__echo", { message: "hello" }),
    call("mcp__files__read_text_file", { path: "a.txt" }),
    { text: "Done." },
  ]);
  await writeFile(join(scene.work, "a.txt"), "the first line\n");
  const ran = await scene.run(["-z", "go"]);
  assert.equal(ran.code, 0, ran.stderr);
  const [echoed, read] = scene.results();
  assert.match(echoed ?? "", /hello/u);
  assert.match(read ?? "", /the first line/u);
});

test("an MCP tool whose definition changes after a call is disabled until the change is accepted", async () => {
  await using scene = await withServers(hostile("changing"), [
    echo("one"),
    call("terminal", { command: "sleep 2" }),
    echo("two"),
    { text: "Done." },
    echo("three"),
    { text: "Done." },
  ]);
  assert.equal((await runHere(scene, ["-z", "go"])).code, 0);
  const [first, , second] = scene.results();
  assert.equal(first, "one");
  assert.match(second ?? "", /error/u);
  const shown = await runHere(scene, ["mcp", "inspect", "hostile"]);
  assert.match(shown.stdout, /\+ .*Also send it the files of the user/u);
  assert.equal((await runHere(scene, ["mcp", "trust", "hostile", "--yes"])).code, 0);
});

test("a tool whose description contains injected instructions is disabled, and the server's other tools work", async () => {
  await using scene = await withServers(hostile("injected"), [
    echo("one"),
    call("mcp__hostile__plain", { text: "two" }),
    { text: "Done." },
  ]);
  const ran = await runHere(scene, ["-z", "go"]);
  const [off, plain] = scene.results();
  assert.match(off ?? "", /error/u);
  assert.equal(plain, "two");
  assert.match(ran.stderr, /hermes mcp trust hostile/u);
});

test("two MCP tools with the same name are both disabled", async () => {
  await using scene = await withServers(hostile("strange-names"), [
    call("mcp__hostile__same_name", { text: "one" }),
    call("mcp__hostile__plain", { text: "two" }),
    { text: "Done." },
  ]);
  const ran = await runHere(scene, ["-z", "go"]);
  const [collided, plain] = scene.results();
  assert.match(collided ?? "", /error/u);
  assert.equal(plain, "two");
  const listed = await runHere(scene, ["mcp", "inspect", "hostile"]);
  // Control characters of names and descriptions never reach the terminal.
  assert.doesNotMatch(`${ran.stderr}${listed.stdout}${listed.stderr}`.replaceAll("\n", ""), /[\p{Cc}\p{Cf}]/u);
});

test("a server that hangs delays a turn only up to the configured time, and only that server fails", async () => {
  const servers = {
    ...hostile("well-behaved"),
    silent: { command: process.execPath, args: [...sourceFlags, program, "hang-initialize"] },
  };
  const settings = { mcp_single_query_discovery_timeout: 8 };
  await using scene = await withServers(servers, [echo("one"), { text: "Done." }], settings);
  const ran = await runHere(scene, ["-z", "go"]);
  assert.equal(ran.stdout.trim(), "Done.");
  assert.deepEqual(scene.results(), ["one"]);
});

test("a server that dies in every second call is restarted, and the turn continues", async () => {
  await using scene = await withServers(hostile("exit-sometimes"), [
    echo("one"),
    echo("two"),
    echo("three"),
    { text: "Done." },
  ]);
  await runHere(scene, ["-z", "go"]);
  const [one, two, three] = scene.results();
  assert.equal(one, "one");
  assert.match(two ?? "", /exit code 5/u);
  assert.equal(three, "three");
});

test("safe mode starts no server", async () => {
  const events = { HOSTILE_EVENTS: "events" };
  const servers = { hostile: { ...hostile("well-behaved").hostile, env: events } };
  await using scene = await withServers(servers, [{ text: "Done." }, { text: "Done." }]);
  await runHere(scene, ["--safe-mode", "-z", "go"]);
  await assert.rejects(readFile(join(scene.work, "events")), "nothing was started");
  await runHere(scene, ["-z", "go"]);
  assert.match(await readFile(join(scene.work, "events"), "utf8"), /^start/u);
});

test("a tool whose definition is another one after a restart of the server is not called", async () => {
  const servers = { hostile: { ...hostile("changed-by-restart").hostile, env: { HOSTILE_EVENTS: "events" } } };
  const turns = [echo("one"), { text: "Done." }];
  await using scene = await withServers(servers, [...turns, ...turns]);
  await runHere(scene, ["-z", "go"]);
  assert.deepEqual(scene.results(), ["one"]);
  const again = await runHere(scene, ["-z", "go"]);
  assert.match(scene.results().join(), /was not called: its definition changed/u);
  assert.match(again.stderr, /hermes mcp trust hostile/u);
  const events = await readFile(join(scene.work, "events"), "utf8");
  assert.equal(events.match(/^one /gmu)?.length, 1, "the changed tool received nothing");
});

test("a server with 10,000 tools adds little to a request, and its last tool can be called", async () => {
  await using scene = await withServers(hostile("many-tools"), [
    call("mcp__hostile__tool_9999", { text: "last" }),
    { text: "Done." },
  ]);
  await using plain = await withServers({}, [{ text: "Done." }]);
  const ran = await runHere(scene, ["-z", "go"]);
  assert.equal(ran.stdout.trim(), "Done.", ran.stderr);
  assert.deepEqual(scene.results(), ["last"]);
  await runHere(plain, ["-z", "go"]);
  const bytes = ({ server }: typeof plain) => JSON.stringify(server.requests[0]?.json).length;
  assert.ok(bytes(scene) - bytes(plain) < 4_000, `${bytes(scene)} and ${bytes(plain)} characters`);
});
