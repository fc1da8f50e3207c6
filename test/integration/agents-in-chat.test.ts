// covers: src/tools/delegation, src/hosts/cli/chat, src/commands, src/operations/agents, src/agents
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { textWidth } from "../../src/base/text/text-width.ts";
import { eventually } from "../support/eventually.ts";
import { runHere } from "../support/run-here.ts";
import { seenChat } from "../support/seen-chat.ts";
import { talking } from "../support/talking-program.ts";
import type { ModelServerOptions } from "../support/wire-servers/model-server.ts";

type Turns = Extract<ModelServerOptions["turns"], (...args: never) => unknown>;

const idle = /❯$/u;
const waits = "until [ -e go ]; do sleep 0.05; done";
const terminal = (command: string) => ({ calls: [{ name: "terminal", args: { command } }] });
const delegate = (args: object) => ({ calls: [{ name: "delegate_task", args: { ...args } }] });

/** Answers by the task in the first message, so that parallel children get their own turns. */
function byTask(parts: Readonly<Record<string, readonly Awaited<ReturnType<Turns>>[]>>): Turns {
  const played = new Map<string, number>();
  return (request) => {
    const text = JSON.stringify(request.json);
    const task = Object.keys(parts).find((each) => each !== "" && text.includes(`Task: ${each}`)) ?? "";
    const number = played.get(task) ?? 0;
    played.set(task, number + 1);
    return parts[task]?.[number] ?? { text: `no turn ${number} for ${JSON.stringify(task)}` };
  };
}

for (const columns of [80, 40])
  test(`children are shown as a tree at ${columns} columns: calls, tokens, time and the current call`, async () => {
    const turns = byTask({
      "": [
        delegate({ tasks: [{ goal: "Count the apples", agent: "explore" }, { goal: "Count the pears" }] }),
        { text: "Both done." },
      ],
      "Count the apples": [terminal("ls"), { text: "3 apples" }],
      "Count the pears": [terminal(waits), { text: "4 pears" }],
    });
    await using chat = await seenChat(turns, { columns });
    await chat.until(idle);
    chat.type("go\r");
    const shown = await chat.until(/✓ explore Count the[^]*● agent Count the/u);
    for (const line of shown.split("\n")) assert.ok(textWidth(line) <= columns, line);
    assert.match(shown, /delegate_task 2 tasks \d+ s\n(?:┊ {3}\d of 2 done\n)?┊ {3}├ [✓●] explore Count the/u);
    assert.match(
      shown,
      columns === 80 ? /explore Count the apples {2}\d+ s · 1 call · \d+ tokens/u : /\n┊ {3}│ {3}\d+ s · 1 call · \d+/u,
    );
    await chat.until(/terminal until \[ -e/u);
    const [first] = /delegate_task 2 tasks (\d+) s/u.exec(await chat.seen())?.slice(1) ?? [];
    await chat.until(new RegExp(`delegate_task 2 tasks (?!${first} s)\\d+ s`, "u"));
    await writeFile(join(chat.work, "go"), "");
    const last = await chat.until(/Both done\.\n/u);
    assert.match(
      last,
      /delegate_task 2 tasks ✓ [^\n]*\n┊ {3}├ ✓ explore Count the[^]*└ ✓ agent Count the[^]*Both done\./u,
    );
    assert.equal(last.match(/delegate_task/gu)?.length, 1, "no live line is left");
  });

test("/agents lists definitions and children, shows reports, and steers and stops children", async () => {
  const turns = byTask({
    "": [
      delegate({ goal: "Watch the kettle", background: true }),
      { text: "Started." },
      { text: "I see that it was stopped." },
      { text: "Again." },
    ],
    "Watch the kettle": [terminal(waits), { text: "never" }],
  });
  await using chat = await seenChat(turns, { columns: 100 });
  await chat.until(idle);
  chat.type("go\r");
  await chat.until(/Started\.[^]*❯$/u);
  chat.type("/agents\r");
  const shown = await chat.until(/└ 1 ● agent Watch the kettle[^]*❯$/u);
  assert.match(shown, /Agents in files:\n {2}explore {2}Finds[^]*\n {2}review {3}Reviews[^]*\n {2}test/u);
  // A child takes messages when it has begun.
  const requests = () => chat.server.requests.map(({ json }) => JSON.stringify(json));
  await eventually(() => requests().some((request) => request.includes("Task: Watch the kettle")));
  chat.type("/agents steer 1 hurry up\r");
  await chat.until("Queued. Agent 1 sees it after its current tool call.");
  chat.type("/agents show 1\r");
  await chat.until(/agent: Watch the kettle\nrunning, \d+ s[^]*Session: hermes sessions show \w+/u);
  chat.type("/agents stop 1 no tea today\r");
  await chat.until("Stopped agent 1.");
  chat.type("/agents show 1\r");
  await chat.until(/interrupted, [^]*Why: no tea today/u);
  chat.type("/agents stop 1\r");
  await chat.until("has ended already (interrupted)");
  chat.type("/agents show review\r");
  await chat.until(/review \(bundled\): Reviews[^]*Permissions: readonly/u);
});

test("a child's question shows its name and can be answered in the parent's chat; it is denied if nobody can answer", async () => {
  const turns = () =>
    byTask({
      "": [delegate({ goal: "Clean the build", agent: "test" }), { text: "Over." }],
      "Clean the build": [terminal("rm -rf build"), { text: "Cleaned." }],
    });
  await using chat = await seenChat(turns(), { columns: 100 });
  await mkdir(join(chat.work, "build"));
  await chat.until(idle);
  chat.type("go\r");
  await chat.until(/Approval needed for agent test: terminal in [^]*rm -rf build[^]*\(Enter denies\):$/u);
  chat.type("o\r");
  await chat.until(/✓ test Clean the build[^]*Over\.\n/u);

  await using alone = await talking(turns());
  await mkdir(join(alone.work, "build"));
  const { stdout } = await runHere(alone, ["chat", "-q", "go"]);
  assert.match(
    stdout,
    /▸ agent test: Clean the build\n[^]*✓ agent test: Clean the build \d+ s · 1 call · \d+ tokens[^\n]*\n[^]*Over\./u,
  );
  const child = alone.server.requests.map(({ json }) => JSON.stringify(json)).find((text) => text.includes("Denied"));
  assert.match(child ?? "", /rm -rf build[^]*Denied/u);
});

test("if nobody can answer, approvals.unattended applies to a child only with subagent_auto_approve on", async () => {
  for (const isOn of [false, true]) {
    const turns = byTask({
      "": [delegate({ goal: "Clean the build" }), { text: "Over." }],
      "Clean the build": [terminal("rm -rf build"), { text: "Cleaned." }],
    });
    await using at = await talking(turns);
    await mkdir(join(at.work, "build"));
    const settings = ["--set", "approvals.unattended=allow", "--set", `delegation.subagent_auto_approve=${isOn}`];
    await runHere(at, ["chat", "-q", "go", ...settings]);
    assert.equal(existsSync(join(at.work, "build")), !isOn);
  }
});

test("child sessions are not in the session list, but the parent links to them", async () => {
  const turns = byTask({
    "": [delegate({ goal: "Count the apples", agent: "explore" }), { text: "Three." }],
    "Count the apples": [{ text: "3 apples" }],
  });
  await using at = await talking(turns);
  await runHere(at, ["-z", "go"]);
  const listed = JSON.parse((await runHere(at, ["sessions", "list", "--json", "--source", "oneshot"])).stdout) as {
    sessions: readonly { id: string; source: string }[];
  };
  assert.equal(listed.sessions.length, 1);
  assert.match((await runHere(at, ["sessions", "list"])).stdout, /^There are no conversations yet/u);
  const all = JSON.parse(
    (await runHere(at, ["sessions", "list", "--json", "--source", "subagent"])).stdout,
  ) as typeof listed;
  assert.deepEqual(
    all.sessions.map(({ source }) => source),
    ["subagent"],
  );
  const shown = await runHere(at, ["sessions", "show", listed.sessions[0]?.id ?? ""]);
  assert.match(
    shown.stdout,
    new RegExp(`Agents:\\n +✓ explore +Count the apples +hermes sessions show ${all.sessions[0]?.id}`, "u"),
  );
});
