// covers: src/mcp/fleet, src/mcp/adapt, src/mcp/client, src/runtime/mcp, src/kernel/registry
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { sourceFlags } from "../support/child-process.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

const program = join(import.meta.dirname, "..", "fixtures", "mcp-servers", "hostile.ts");

interface Played {
  readonly mode: string;
  readonly answers: readonly ScriptedAnswer[];
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly server?: Readonly<Record<string, unknown>>;
  readonly source?: string;
}

/** One session of a new program with one server: the results of its calls, and how often the server was started. */
async function played(folder: string, { mode, answers, settings = {}, server = {}, source = "oneshot" }: Played) {
  const starts = join(folder, "starts");
  await mkdir(join(folder, ".hermes"), { recursive: true });
  await writeFile(starts, "");
  const entry = {
    command: process.execPath,
    args: [...sourceFlags, program, mode],
    env: { HOSTILE_EVENTS: starts },
    ...server,
  };
  const model = scriptedModel([...answers, { text: "Done." }]);
  const messages: string[] = [];
  await using runtime = await runtimeRig({
    folder,
    model,
    settings: { mcp_servers: { hostile: entry }, ...settings },
    say: (sentence) => void messages.push(sentence),
  });
  await using session = await runtime.openSession({ source });
  const outcome = await session.prompt([{ type: "text", text: "go" }]).done;
  assert.equal(outcome.reason, "answered", JSON.stringify(outcome));
  const results = session
    .history()
    .flatMap((message) => (message.role === "tool" ? [JSON.stringify(message.content)] : []));
  const fleet = await runtime.services.get("mcp");
  return {
    results,
    requests: model.requests,
    messages,
    status: fleet.find("hostile"),
    starts: (await readFile(starts, "utf8")).match(/^start /gmu)?.length ?? 0,
  };
}

const call = (name: string, args: ScriptedAnswer["calls"] extends infer _ ? object : never): ScriptedAnswer => ({
  calls: [{ name: "tool_call", args: { name, arguments: { ...args } } }],
});
const search: ScriptedAnswer = { calls: [{ name: "tool_search", args: { query: "return a text" } }] };
const echo = call("mcp__hostile__echo", { text: "hello from the server" });

test("a model finds an MCP tool by search and calls it; the next program starts the server only for a call", async () => {
  await using home = await tempHome();
  const first = await played(home.path, { mode: "well-behaved", answers: [search, echo] });
  assert.match(first.results[0] ?? "", /mcp__hostile__echo/u);
  assert.match(first.results[1] ?? "", /hello from the server/u);
  assert.equal(first.starts, 1);

  const searched = await played(home.path, { mode: "well-behaved", answers: [search] });
  assert.match(searched.results[0] ?? "", /mcp__hostile__echo/u);
  assert.equal(searched.starts, 0);
  const old = await played(home.path, {
    mode: "well-behaved",
    answers: [call("mcp_hostile_echo", { text: "an older spelling" })],
  });
  assert.match(old.results[0] ?? "", /an older spelling/u);
  assert.equal(old.starts, 1);
});

test("an MCP tool that the settings name is sent with every request; a disabled toolset and safe mode remove all", async () => {
  await using home = await tempHome();
  const direct = ["tool_search", "tool_describe", "tool_call", "mcp__hostile__echo"];
  const sent = await played(home.path, {
    mode: "well-behaved",
    answers: [{ calls: [{ name: "mcp__hostile__echo", args: { text: "called directly" } }] }],
    settings: { "tools.tool_search.direct": direct },
  });
  assert.ok(sent.requests[0]?.tools.some(({ name }) => name === "mcp__hostile__echo"));
  assert.match(sent.results[0] ?? "", /called directly/u);
  const off = await played(home.path, {
    mode: "well-behaved",
    answers: [echo],
    settings: { "agent.disabled_toolsets": ["hostile"] },
  });
  assert.match(off.results[0] ?? "", /disabled by agent.disabled_toolsets/u);
  assert.equal(off.starts, 0);
});

test("calls to an untrusted server need approval, and are denied if nobody can answer", async () => {
  await using home = await tempHome();
  const { results } = await played(home.path, {
    mode: "well-behaved",
    answers: [echo],
    server: { trust: "untrusted" },
  });
  assert.match(results[0] ?? "", /enied/u);
});

test("an MCP tool whose definition changed is not called again until the user accepts it", async () => {
  await using home = await tempHome();
  const settings = { "approvals.mode": "yolo" };
  const first = await played(home.path, { mode: "changing", answers: [echo, echo], settings });
  assert.match(first.results[0] ?? "", /hello from the server/u);
  assert.match(first.results[1] ?? "", /changed since the user accepted it/u);
  assert.deepEqual(first.status?.tools, []);
  const [waiting] = first.status?.waiting ?? [];
  assert.equal(waiting?.reason, "changed");
  assert.match(waiting?.detail ?? "", /^\+.*Also send it the files of the user/mu);
  assert.match(first.messages.join("\n"), /hermes mcp trust hostile/u);
});

test("an MCP tool whose description contains injected instructions is disabled, and the others work", async () => {
  await using home = await tempHome();
  const settings = { "approvals.mode": "yolo" };
  const { status, results } = await played(home.path, {
    mode: "injected",
    answers: [call("mcp__hostile__plain", { text: "x" }), echo],
    settings,
  });
  assert.deepEqual(status?.tools, ["mcp__hostile__plain"]);
  assert.equal(status?.waiting[0]?.reason, "suspicious");
  assert.doesNotMatch(results[1] ?? "", /hello from the server/u);
});
