// covers: src/learnings, src/runtime
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { ok } from "../../src/base/result.ts";
import type { Asker } from "../../src/contracts/host/ports.ts";
import type { SessionOptions } from "../../src/contracts/session/runtime.ts";
import { eventually } from "../support/eventually.ts";
import { runtimeRig } from "../support/runtime-rig.ts";
import { type RequestWithoutModel, type ScriptedAnswer, scriptedModel } from "../support/scripted-model.ts";
import { tempHome } from "../support/temp-home.ts";

type Settings = Readonly<Record<string, unknown>>;

async function played(
  folder: string,
  script: readonly ScriptedAnswer[] | ((request: RequestWithoutModel, index: number) => ScriptedAnswer),
  {
    settings = {},
    options = {},
    prompts = ["do it"],
  }: { settings?: Settings; options?: Partial<SessionOptions>; prompts?: readonly string[] } = {},
) {
  const messages: string[] = [];
  const model = scriptedModel(script);
  await using runtime = await runtimeRig({ folder, model, settings, say: (sentence) => void messages.push(sentence) });
  await using session = await runtime.openSession({ source: "cli", ...options });
  for (const prompt of prompts) await session.prompt([{ type: "text", text: prompt }]).done;
  return { id: session.id, requests: model.requests, said: messages, runtime };
}

const run = (command: string): ScriptedAnswer => ({ calls: [{ name: "terminal", args: { command } }] });

const broken = "./pip install requests";
const working = "./pip install --break-system-packages requests";

/** A home with a program that fails unless it is called correctly. */
async function homeWithPip() {
  const home = await tempHome();
  const script = `#!/bin/sh\ncase "$*" in *--break*) echo installed;; *) echo 'error: externally-managed-environment' >&2; exit 1;; esac\n`;
  await writeFile(join(home.path, "pip"), script, { mode: 0o755 });
  return home;
}

test("for a known failure, another session shows the earlier solution, unless learnings are off", async () => {
  await using home = await homeWithPip();
  const first = await played(home.path, [run(broken), run(working), { text: "Done." }]);
  assert.doesNotMatch(JSON.stringify(first.requests), /From earlier work/u);

  const second = await played(home.path, [run(broken), { text: "I see." }]);
  const shown = JSON.stringify(second.requests[1]?.messages.at(-1)?.content);
  assert.match(shown, /externally-managed-environment/u);
  assert.match(
    shown,
    /From earlier work: when this failed before, this worked \(1 of 1 time\): `\.\/pip install --break-system-packages requests` instead of/u,
  );

  const off = await played(home.path, [run(broken), { text: "I see." }], { settings: { "learnings.enabled": false } });
  assert.doesNotMatch(JSON.stringify(off.requests), /From earlier work/u);
  const bob = { options: { principal: { id: "telegram:4711" } } };
  const other = await played(home.path, [run(broken), { text: "I see." }], bob);
  assert.doesNotMatch(JSON.stringify(other.requests), /From earlier work/u);
});

test("a solution that did not help is no longer shown, and a solution with a secret is not stored", async () => {
  await using home = await homeWithPip();
  await played(home.path, [run(broken), run(working), { text: "Done." }]);
  const tried = await played(home.path, [run(broken), run(broken), run(broken), run(broken), { text: "No." }]);
  assert.equal(JSON.stringify(tried.requests.at(-1)?.messages).split("From earlier work").length - 1, 1);
  const again = await played(home.path, [run(broken), run(broken), { text: "No." }]);
  assert.equal(JSON.stringify(again.requests.at(-1)?.messages).split("From earlier work").length - 1, 0);

  await using other = await homeWithPip();
  const secret = "./pip install --break --token ghp_abcdefghijklmnopqrstuvwxyz0123456789 requests";
  await played(other.path, [run(broken), run(secret), { text: "Done." }]);
  const after = await played(other.path, [run(broken), { text: "I see." }]);
  assert.doesNotMatch(JSON.stringify(after.requests), /From earlier work/u);
});

test("after long work the user gets a feedback question; the answer is stored, and a wish becomes a request", async () => {
  await using home = await tempHome();
  const requests: string[] = [];
  const answers = ["Worked perfectly", "Yes", "No"];
  const asker: Asker = {
    async ask({ text }) {
      requests.push(text);
      const answer = answers.shift();
      return ok(answer === undefined ? [] : [answer]);
    },
    fillIn: async () => assert.fail("there is no form"),
  };
  const model = scriptedModel([run("true"), run("true"), { text: "Done." }, { text: "Saved." }, { text: "And more." }]);
  const settings = { "feedback.min_tool_calls": 2, "skills.creation_nudge_interval": 0, "memory.nudge_interval": 0 };
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await using session = await runtime.openSession({ source: "cli", asker });
  await session.prompt([{ type: "text", text: "do it" }]).done;
  await eventually(() => model.requests.length === 4 && session.turn === undefined);
  assert.deepEqual(requests, [
    "How did that work out? (Enter skips)",
    "Want me to save that approach as a skill? (Enter skips)",
    "Should I remember what I learned about your work? (Enter skips)",
  ]);
  assert.match(JSON.stringify(model.requests[3]?.messages.at(-1)), /Save the approach of this task as a skill/u);
  const rated = (await runtime.sessions.path(session.id)).find((entry) => entry.type === "rated");
  assert.deepEqual(rated?.type === "rated" && [rated.rating, rated.skills], ["perfect", []]);
  await session.prompt([{ type: "text", text: "more" }]).done;
  assert.equal(requests.length, 3, "not again so soon");
});

test("a background review writes to the memory, can use only memory and skills, and its cost is recorded", async () => {
  await using home = await tempHome();
  const settings = { "memory.nudge_interval": 2, "skills.creation_nudge_interval": 0 };
  const script = (request: RequestWithoutModel, index: number): ScriptedAnswer => {
    if (!JSON.stringify(request.messages).includes("Look back at the conversation")) return { text: "Hello." };
    if (index === 2) {
      return {
        calls: [
          { name: "terminal", args: { command: "touch hacked" } },
          { name: "memory", args: { target: "user", action: "add", content: "Prefers short answers." } },
        ],
        usage: { input: 10, output: 5 },
      };
    }
    return { text: "Done.", usage: { input: 10, output: 5 } };
  };
  const messages: string[] = [];
  const model = scriptedModel(script);
  await using runtime = await runtimeRig({
    folder: home.path,
    model,
    settings,
    say: (sentence) => void messages.push(sentence),
  });
  await using session = await runtime.openSession({ source: "cli" });
  await session.prompt([{ type: "text", text: "one" }]).done;
  assert.equal(model.requests.length, 1);
  await session.prompt([{ type: "text", text: "two" }]).done;
  await eventually(() => model.requests.length === 4 && messages.length > 0);
  assert.deepEqual(model.requests[2]?.system, model.requests[0]?.system, "the same prefix");
  assert.match(JSON.stringify(model.requests[3]?.messages), /terminal is not for a review/u);
  assert.match(messages.join("\n"), /Looking back at this conversation: 1 change of the memory/u);
  assert.doesNotMatch(JSON.stringify(session.history()), /Look back/u);
  const entries = await runtime.sessions.path(session.id);
  assert.equal(entries.filter((entry) => entry.type === "usage" && entry.task === "background_review").length, 2);
  const history = await readFile(join(home.path, ".hermes/memories/history.jsonl"), "utf8");
  assert.match(history, /"by":"background".*Prefers short answers/u);
});

test("a background review stops at the next prompt, and does not run after untrusted text was read", async () => {
  await using home = await tempHome();
  const settings = { "memory.nudge_interval": 1, "skills.creation_nudge_interval": 0 };
  const script = (request: RequestWithoutModel): ScriptedAnswer =>
    JSON.stringify(request.messages).includes("Look back") ? { text: "thinking", hangs: true } : { text: "Hello." };
  const model = scriptedModel(script);
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await using session = await runtime.openSession({ source: "cli" });
  await session.prompt([{ type: "text", text: "one" }]).done;
  await eventually(() => model.requests.length === 2);
  const outcome = await session.prompt([{ type: "text", text: "two" }]).done;
  assert.equal(outcome.reason, "answered");
});

test("a background review with an invalid answer does not change the session, whatever ids its calls have", async () => {
  await using home = await tempHome();
  const settings = { "memory.nudge_interval": 1, "skills.creation_nudge_interval": 0, "approvals.mode": "yolo" };
  const note = (content: string) => ({ target: "user", action: "add", content });
  const garbage: readonly ScriptedAnswer[] = [
    { calls: [{ name: "memory", args: note("A note."), id: "call_1" }] },
    { calls: [{ name: "memory", args: "{not json", id: "call_1" }] },
    { calls: [{ name: "", args: {}, id: "" }] },
    {
      calls: Array.from({ length: 500 }, (_, index) => ({
        name: "memory",
        args: note(`Note ${index}.`),
        id: "call_1",
      })),
    },
  ];
  let reviewed = 0;
  const script = (request: RequestWithoutModel): ScriptedAnswer => {
    const text = JSON.stringify(request.messages);
    if (text.includes("Look back")) return garbage[reviewed++] ?? { text: "" };
    return text.includes("call_1") ? { text: "Hello." } : firstCall;
  };
  const model = scriptedModel(script);
  await using runtime = await runtimeRig({ folder: home.path, model, settings });
  await using session = await runtime.openSession({ source: "cli" });
  await session.prompt([{ type: "text", text: "one" }]).done;
  const before = session.history();
  assert.match(JSON.stringify(before), /the-first-result/u);
  await eventually(() => reviewed === garbage.length);
  await session.prompt([{ type: "text", text: "two" }]).done;
  assert.deepEqual(session.history().slice(0, before.length), before);
  const notes = await readFile(join(home.path, ".hermes/memories/USER.md"), "utf8");
  assert.match(notes, /^A note\./u, "it cannot push out what is remembered");
});

const firstCall: ScriptedAnswer = {
  calls: [{ name: "terminal", args: { command: "echo the-first-result" }, id: "call_1" }],
};
