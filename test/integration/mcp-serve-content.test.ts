// covers: src/mcp/serve, src/runtime/mcp, src/kernel/registry, src/runtime/contributions.ts
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { localPrincipal } from "../../src/hosts/local-principal.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { eventually } from "../support/eventually.ts";
import { connectOverStreams, servedRig } from "../support/served-rig.ts";

const fixtures = join(import.meta.dirname, "..", "fixtures", "mcp-conformance");

test("the served MCP content has skills as prompts and resources, and project rules as resources", async () => {
  await using rig = await servedRig();
  const folder = join(rig.home, "skills", "tidy-up");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), "---\nname: tidy-up\ndescription: Tidies a folder\n---\nSort the files.\n");
  await writeFile(join(rig.cwd, "AGENTS.md"), "Use tabs.\n");
  await using one = await connectOverStreams(rig.serve());
  const { prompts } = await one.client.listPrompts();
  assert.equal(prompts.find(({ name }) => name === "tidy-up")?.description, "Tidies a folder");
  const prompt = await one.client.getPrompt({ name: "tidy-up", arguments: { request: "the desk" } });
  assert.match(JSON.stringify(prompt.messages), /the desk[^]*Sort the files/u);
  const skill = await one.client.readResource({ uri: "skill://tidy-up" });
  assert.match(JSON.stringify(skill.contents), /Sort the files/u);
  const rules = await one.client.readResource({ uri: "context:///AGENTS.md" });
  assert.match(JSON.stringify(rules.contents), /Use tabs/u);
  await assert.rejects(one.client.readResource({ uri: "context:///../secret" }), /no resource/u);
});

test("a subscribed client is notified of changed skills and rules, and no longer after it unsubscribes", async () => {
  await using rig = await servedRig();
  const skill = join(rig.home, "skills", "tidy-up", "SKILL.md");
  const rules = join(rig.cwd, "AGENTS.md");
  const write = (body: string) => writeFile(skill, `---\nname: tidy-up\ndescription: Tidies\n---\n${body}\n`);
  await mkdir(join(skill, ".."), { recursive: true });
  await write("Sort.");
  await writeFile(rules, "Use tabs.\n");
  const updated: string[] = [];
  await using one = await connectOverStreams(rig.serve(), {
    prepare: (client) =>
      client.setNotificationHandler("notifications/resources/updated", ({ params }) => void updated.push(params.uri)),
  });
  const [ofSkill, ofRules] = ["skill://tidy-up", "context:///AGENTS.md"];
  for (const uri of [ofSkill, ofRules]) await one.client.subscribeResource({ uri });
  await write("Sort by name.");
  await eventually(() => updated.includes(ofSkill));
  assert.deepEqual(new Set(updated), new Set([ofSkill]), "the rules are as they were");
  await one.client.unsubscribeResource({ uri: ofSkill });
  const before = updated.length;
  await write("Sort by age.");
  await writeFile(rules, "Use spaces.\n");
  await eventually(() => updated.includes(ofRules));
  assert.deepEqual(updated.slice(before), [ofRules]);
});

test("a client learns of skills and rules that arrive and of those that are deleted", async () => {
  await using rig = await servedRig();
  const news: string[] = [];
  await using one = await connectOverStreams(rig.serve(), {
    prepare(client) {
      for (const list of ["prompts", "resources"] as const)
        client.setNotificationHandler(`notifications/${list}/list_changed`, () => void news.push(list));
    },
  });
  const { prompts, resources } = one.client.getServerCapabilities() ?? {};
  assert.deepEqual([prompts, resources], [{ listChanged: true }, { listChanged: true, subscribe: true }]);
  await one.client.listPrompts();
  await one.client.listResources();
  const folder = join(rig.home, "skills", "tidy-up");
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, "SKILL.md"), "---\nname: tidy-up\ndescription: Tidies\n---\nSort.\n");
  await eventually(() => news.length === 2, "one skill is a prompt and a resource");
  assert.deepEqual(new Set(news.splice(0)), new Set(["prompts", "resources"]));
  assert.ok((await one.client.listPrompts()).prompts.some(({ name }) => name === "tidy-up"));
  await writeFile(join(rig.cwd, "AGENTS.md"), "Use tabs.\n");
  await eventually(() => news.length > 0);
  assert.deepEqual(news.splice(0), ["resources"], "rules are resources only");
  await rm(folder, { recursive: true });
  await eventually(() => news.length === 2);
});

test("the user's own tools, resources and prompts are served, with all kinds of content", async () => {
  await using rig = await servedRig({}, fixtures);
  await using one = await connectOverStreams(rig.serve({ toolsets: ["conformance"] }), {
    capabilities: { sampling: {} },
    prepare: (client) =>
      client.setRequestHandler("sampling/createMessage", async () => ({
        role: "assistant",
        model: "of the client",
        content: { type: "text", text: "sampled" },
      })),
  });
  const { client } = one;
  const mixed = await client.callTool({ name: "test_multiple_content_types", arguments: {} });
  assert.deepEqual(
    mixed.content.map(({ type }) => type),
    ["text", "image", "resource"],
  );
  const sampled = await client.callTool({ name: "test_sampling", arguments: { prompt: "x" } });
  assert.match(JSON.stringify(sampled), /LLM response: sampled/u);
  const { tools } = await client.listTools();
  assert.ok(!tools.some(({ name }) => name === "test_elicitation"), "it needs a person, and this client has no forms");
  const { contents } = await client.readResource({ uri: "test://template/7/data" });
  assert.match(JSON.stringify(contents), /Data for ID: 7/u);
  const { completion } = await client.complete({
    ref: { type: "ref/prompt", name: "test_prompt_with_arguments" },
    argument: { name: "arg1", value: "park" },
  });
  assert.deepEqual(completion.values, ["park"]);
  await assert.rejects(client.getPrompt({ name: "test_prompt_with_arguments" }), /needs the arguments arg1, arg2/u);
});

test("the user's conversations can be listed, read and followed, and only the user can approve a call", async () => {
  await using rig = await servedRig();
  const served = rig.serve();
  await using one = await connectOverStreams(served);
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await one.client.callTool({ name, arguments: args });
    const [part] = result.content;
    return part?.type === "text" ? part.text : "";
  };
  const cursor = /"next_cursor":"([\d.]+)"/u;
  const [, before = ""] = cursor.exec(await call("events_poll")) ?? [];
  const store = await openSessionStore(join(rig.home, "sessions.db"), { clock: systemClock });
  await using _store = store;
  const { id } = await store.create({ source: "cli", principal: localPrincipal(), title: "about cats" });
  const message = (text: string) =>
    ({ type: "message", message: { role: "user", content: [{ type: "text", text }] } }) as const;
  const write = async (session: typeof id, text: string) => {
    const leased = await store.lease(session, "test");
    assert.ok(leased.ok);
    await using _lease = leased.value;
    return (await store.append(session, [message(text)]))[0];
  };
  const entry = await write(id, "hello cat");
  const other = await store.create({ source: "cli", principal: { id: "local:somebody-else" }, title: "secret" });
  await write(other.id, "their text");
  const listed = await call("conversations_list", { search: "cats" });
  const whole = await one.client.callTool({ name: "conversations_list", arguments: { search: "cats" } });
  assert.equal(whole.structuredContent, undefined, "texts of others stay fenced");
  assert.match(listed, /about cats/u);
  assert.doesNotMatch(await call("conversations_list"), /secret/u);
  assert.match(await call("messages_read", { session_id: id }), /hello cat/u);
  assert.match(await call("conversation_get", { session_id: other.id }), /There is no conversation/u);
  assert.match(await call("attachments_fetch", { session_id: id, message_id: entry?.id }), /"attachments":\[\]/u);
  const events = await call("events_wait", { after_cursor: before, timeout_ms: 1 });
  assert.match(events, /hello cat/u);
  assert.doesNotMatch(events, /their text/u);
  assert.match(await call("permissions_list_open"), /"permissions":\[\]/u);
  assert.match(await call("permissions_respond", { id: "apr_x", decision: "once" }), /Denied/u);
  assert.match(
    await call("permissions_respond", { id: "apr_x", decision: "deny" }),
    /No open question has the id apr_x/u,
  );
});
