import assert from "node:assert/strict";
import { test } from "node:test";

import { scriptedModel } from "../../../test/support/scripted-model.ts";
import { echo, textOf, turnRig } from "../../../test/support/turn-rig.ts";
import { ok } from "../../base/result.ts";
import type { Observed } from "../../contracts/host/hook-events.ts";

test("text that hooks add is part of this turn's requests only and is never stored", async () => {
  const model = scriptedModel([{ text: "One." }, { text: "Two." }]);
  const rig = turnRig({ model });
  using _hook = rig.rig.hooks.add("memory", {
    beforeTurn: ({ isFirstTurn }) => (isFirstTurn ? { context: "remember this" } : undefined),
  });
  await rig.ask("first");
  await rig.ask("second");
  const [first, second] = model.requests.map(({ messages }) => messages.map(textOf).join("|"));
  assert.match(first ?? "", /first.*remember this/su);
  assert.doesNotMatch(second ?? "", /remember/u);
  assert.ok(!rig.log.history.messages.map(textOf).join("").includes("remember"));
});

test("hook text of more than 10,000 characters is written to a file, and the prompt gets its first and last 500 characters", async () => {
  const model = scriptedModel([{ text: "One." }]);
  const stored: string[] = [];
  const spill = async (id: string, text: string) => {
    stored.push(text);
    return ok({ path: `/spill/${id}.txt` });
  };
  const rig = turnRig({ model, ports: { spill } });
  const long = `${"a".repeat(500)}${"b".repeat(9_001)}${"c".repeat(500)}`;
  using _hook = rig.rig.hooks.add("memory", { beforeTurn: () => ({ context: long }) });
  await rig.ask("go");
  const prompt = textOf(model.requests[0]?.messages[0]);
  assert.deepEqual(stored, [long]);
  assert.match(prompt, /a{500}\n\n\[… 10001 characters.*\/spill\/context_turn_\w+\.txt …\]\n\nc{500}$/su);
  assert.doesNotMatch(prompt, /b{20}/u);
});

test("the hook for the end of a turn gets its outcome, answer and prompt", async () => {
  const model = scriptedModel([{ text: "Fine." }, { error: { kind: "invalid_request", message: "no" } }]);
  const rig = turnRig({ model, tools: [echo] });
  const ends: Observed["turnEnd"][] = [];
  using _hook = rig.rig.hooks.add("watch", { turnEnd: (event) => void ends.push(event) });
  await rig.ask("good");
  await rig.ask("bad");
  assert.deepEqual(
    ends.map(({ outcome, text, model: name, prompt }) => [outcome, text, name, JSON.stringify(prompt)]),
    [
      ["answered", "Fine.", "test", '[{"type":"text","text":"good"}]'],
      ["failed", "", "test", '[{"type":"text","text":"bad"}]'],
    ],
  );
});
