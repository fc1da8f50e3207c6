// covers: src/kernel/loop, src/kernel/context, src/commands/turns, src/operations/sessions
import assert from "node:assert/strict";
import { test } from "node:test";

import { storedQueue } from "../../src/kernel/session/session-state.ts";
import { eventually } from "../support/eventually.ts";
import { scriptedModel } from "../support/scripted-model.ts";
import { slashSession } from "../support/slash-session.ts";
import { tempHome } from "../support/temp-home.ts";

const textIn = (content: readonly { readonly type: string; readonly text?: string }[]) =>
  content.map(({ text = "" }) => text).join("");

test("queued prompts are edited, moved and removed, and the store has the same queue", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const seen: string[] = [];
  const model = scriptedModel((request, index) => {
    const last = request.messages.findLast(({ role }) => role === "user");
    seen.push(textIn(last?.content ?? []));
    return index === 0 ? { text: "busy", hangs: true } : { text: "done" };
  });
  await using rig = await slashSession({ folder, model });
  const turn = rig.session.prompt([{ type: "text", text: "first" }]);
  for (const text of ["one", "two", "three"]) await rig.command(`/queue ${text}`);
  assert.match((await rig.command("/queue edit 2 second")).text, /2\. second/u);
  assert.match((await rig.command("/queue move 3 1")).text, /1\. three\n {2}2\. one\n {2}3\. second/u);
  assert.match((await rig.command("/queue rm 2")).text, /Removed: one/u);
  const drafted = await rig.command("/queue edit 1");
  assert.deepEqual(drafted.effect, { kind: "draft", text: "/queue three" });
  assert.match((await rig.command("/queue rm 9")).text, /There is no prompt 9\. The queue has 1 prompt\./u);
  await eventually(async () => {
    const stored = storedQueue(await rig.runtime.sessions.path(rig.session.id));
    return stored.length === 1 && textIn(stored[0] ?? []) === "second";
  });
  turn.abort("enough");
  await rig.idle();
  assert.deepEqual(seen, ["first", "second"]);
});

test("/compress here keeps the last exchanges verbatim; --preview uses no model and changes nothing", async () => {
  await using home = await tempHome();
  const { path: folder } = home;
  const long = "word ".repeat(2_000);
  const model = scriptedModel((request) =>
    request.system.length === 0
      ? { text: "## Task\nshort notes" }
      : { text: `answer ${long}`, usage: { input: Math.ceil(JSON.stringify(request).length / 4), output: 2_500 } },
  );
  await using rig = await slashSession({ folder, model });
  for (const number of [1, 2, 3, 4]) await rig.ask(`question ${number} ${long}`);
  const before = { requests: model.requests.length, history: rig.session.history() };
  const preview = (await rig.command("/compress here 1 --preview")).text;
  assert.match(preview, /would replace 6 messages/u);
  assert.match(preview, /2 messages would stay word for word .*from "question 4/u);
  assert.equal(model.requests.length, before.requests);
  assert.deepEqual(rig.session.history(), before.history);
  assert.match((await rig.command("/compress here")).text, /^Compacted from \d+k? to \d+k? tokens/u);
  const texts = rig.session.history().map(({ content }) => textIn(content));
  assert.equal(texts.filter((text) => /^question [34] /u.test(text)).length, 2);
  assert.equal(texts.filter((text) => /^question [12] /u.test(text)).length, 0);
});
