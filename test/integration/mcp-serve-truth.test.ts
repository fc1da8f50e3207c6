// covers: src/mcp/serve, src/runtime/mcp, src/tools
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { parsedJson } from "../../src/base/json.ts";
import type { Effect } from "../../src/contracts/tool/effect.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { connectOverStreams, servedRig, type ServedRig } from "../support/served-rig.ts";

type Arguments = Readonly<Record<string, unknown>>;

/** Calls of every tool that is served by default, in an order in which they succeed. */
const calls: readonly (readonly [string, Arguments])[] = [
  ["read_file", { path: "a.txt" }],
  ["search_files", { pattern: "hello" }],
  ["write_file", { path: "b.txt", content: "one\n" }],
  ["patch", { path: "b.txt", old_string: "one", new_string: "two" }],
  ["terminal", { command: "echo hi" }],
  ["process", { action: "list" }],
  ["checkpoint", { action: "list" }],
  ["checkpoint", { action: "create", name: "here" }],
  ["checkpoint", { action: "diff", checkpoint: "1" }],
  ["checkpoint", { action: "restore", checkpoint: "1" }],
  ["memory", { target: "memory" }],
  ["memory", { target: "memory", action: "add", content: "The build is slow." }],
  ["memory", { target: "memory", action: "remove", old_text: "The build" }],
  ["session_search", {}],
  ["session_search", { query: "cats" }],
  ["skills_list", {}],
  ["skill_view", { name: "tidy-up" }],
  ["skill_manage", { action: "create", name: "mine", content: "---\nname: mine\ndescription: Mine\n---\nDo it.\n" }],
  ["conversations_list", {}],
  ["conversation_get", { session_id: "none" }],
  ["messages_read", { session_id: "none" }],
  ["attachments_fetch", { session_id: "none", message_id: "none" }],
  ["events_poll", {}],
  ["events_wait", { timeout_ms: 0 }],
  ["permissions_list_open", {}],
  ["permissions_respond", { id: "none", decision: "deny" }],
];

async function prepared(settings = {}): Promise<ServedRig> {
  const rig = await servedRig(settings);
  const folder = join(rig.home, "skills", "tidy-up");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), "---\nname: tidy-up\ndescription: Tidies\n---\nSort the files.\n");
  await writeFile(join(rig.cwd, "a.txt"), "hello\n");
  return rig;
}

test("tool hints match the recorded effects of every tool, and structured content matches the text", async () => {
  await using rig = await prepared();
  const one = await connectOverStreams(rig.serve());
  const { tools } = await one.client.listTools();
  assert.deepEqual(
    tools.map(({ name }) => name),
    [...new Set(calls.map(([name]) => name))].toSorted(),
    "this test calls every served tool",
  );
  const promising = tools.filter(({ outputSchema }) => outputSchema).map(({ name }) => name);
  assert.deepEqual(promising, ["checkpoint", "memory", "patch", "search_files", "terminal", "write_file"]);
  const structured = new Set<string>();
  for (const [name, args] of calls) {
    // The client itself compares structured content with an output schema, where there is one.
    const result = await one.client.callTool({ name, arguments: args });
    if (Object.values(args).includes("none")) continue;
    assert.ok(!result.isError, `${name}: ${JSON.stringify(result)}`);
    const [part] = result.content;
    if (result.structuredContent === undefined) continue;
    structured.add(name);
    assert.ok(part?.type === "text" && result.content.length === 1);
    const asText = { text: part.text };
    assert.deepEqual(result.structuredContent, parsedJson(part.text) ?? asText);
  }
  for (const name of ["read_file", "search_files", "write_file", "patch", "terminal", "memory", "checkpoint"])
    assert.ok(structured.has(name), `${name} returns data`);
  await one[Symbol.asyncDispose]();

  const effects = await recordedEffects(rig);
  for (const { name, annotations = {} } of tools) {
    const kinds = effects.get(name) ?? [];
    assert.ok(effects.has(name) || name === "permissions_respond", `${name} is recorded`);
    if (annotations.readOnlyHint) assert.deepEqual(except(kinds, "read"), [], `${name} only reads`);
    else assert.equal(annotations.destructiveHint, true, `${name}: changes may destroy`);
    if (annotations.openWorldHint === false)
      assert.deepEqual(except(kinds, "read", "write", "delete", "move", "state"), [], `${name} stays here`);
    assert.equal(annotations.idempotentHint, undefined, `${name}: nothing is known about a second call`);
  }
});

test("settings that let a tool do more than it declares remove its hints", async () => {
  await using rig = await prepared({ skills: { inline_shell: true }, memory: { provider: "http" } });
  await using one = await connectOverStreams(rig.serve());
  const { tools } = await one.client.listTools();
  for (const name of ["skill_view", "memory"])
    assert.deepEqual(tools.find((tool) => tool.name === name)?.annotations, {
      readOnlyHint: false,
      destructiveHint: true,
    });
});

test("a shortened result still matches the output schema of its tool", async () => {
  await using rig = await prepared({ tool_output: { result_chars: 300 } });
  await using one = await connectOverStreams(rig.serve());
  await one.client.listTools();
  // The client rejects a result that does not match.
  const long = await one.client.callTool({ name: "terminal", arguments: { command: "seq 1 1000" } });
  assert.ok(!long.isError);
  assert.deepEqual(Object.keys(long.structuredContent ?? {}), ["text"]);
});

test("neither the text nor the structured content of a result contains a secret", async () => {
  await using rig = await prepared();
  const secret = `ghp_${"a1B2".repeat(9)}`;
  await writeFile(join(rig.cwd, "keys.txt"), `GITHUB_TOKEN=${secret}\n`);
  await using one = await connectOverStreams(rig.serve());
  const read = await one.client.callTool({ name: "read_file", arguments: { path: "keys.txt" } });
  assert.ok(read.structuredContent);
  assert.ok(!JSON.stringify(read).includes(secret));
});

async function recordedEffects(rig: ServedRig): Promise<ReadonlyMap<string, readonly Effect["kind"][]>> {
  await using store = await openSessionStore(join(rig.home, "sessions.db"), { clock: systemClock });
  const kinds = new Map<string, Effect["kind"][]>();
  for (const { id } of await store.list({ source: "mcp", limit: 10 }, { id: "mcp:Test-Client" }))
    for (const entry of await store.path(id)) {
      if (entry.type !== "planned") continue;
      const { tool, effects } = entry.call;
      kinds.set(tool, [...(kinds.get(tool) ?? []), ...effects.map(({ kind }) => kind)]);
    }
  return kinds;
}

function except(kinds: readonly Effect["kind"][], ...harmless: readonly Effect["kind"][]) {
  return kinds.filter((kind) => !harmless.includes(kind));
}
