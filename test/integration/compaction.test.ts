// covers: src/kernel, src/store
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { join } from "node:path";
import { test } from "node:test";

import { systemClock } from "../../src/base/clock.ts";
import { asId, type SessionId } from "../../src/base/ids.ts";
import type { Message } from "../../src/contracts/model/message.ts";
import { openSessionStore } from "../../src/store/session-store.ts";
import { sourceFlags } from "../support/child-process.ts";
import {
  call,
  digestOf,
  first,
  firstTask,
  notes,
  scene,
  second,
  secondTask,
  steer,
} from "../support/compaction-scene.ts";
import { tempHome } from "../support/temp-home.ts";
import type { ScriptedTurn } from "../support/wire-servers/turn.ts";

test("a compaction in the middle of the second of three tasks does not interrupt the task", async () => {
  await using home = await tempHome();
  await using at = await scene(
    home.path,
    [...first, ...second, { text: "The gate is mended." }, { text: "All three are done." }],
    { text: notes },
  );
  await at.ask(firstTask);
  const answer = at.ask(secondTask);
  for await (const event of at.session.events()) {
    if (event.type === "tool.started" && event.name === "write_file") break;
  }
  at.session.steer([{ type: "text", text: steer }]);
  const events = await answer;

  const compacted = events.filter(({ type }) => type === "context.compacted");
  assert.equal(compacted.length, 1);
  assert.equal(at.summaries().length, 1);
  const seq = compacted[0]?.seq ?? 0;
  const before = events.filter((event) => event.type === "model.answered" && event.seq < seq).length + first.length;
  const next = at.chats()[before] ?? "";

  const within = (text: string) => JSON.stringify(text).slice(1, -1);
  const process = (await at.session.record()) && /proc_[0-9a-f]{12}/u.exec(next)?.[0];
  for (const kept of [
    secondTask,
    steer,
    '2 [in_progress] mend the "gate"',
    "3 [pending] paint it green",
    `${join((await at.session.record()).cwd ?? "", "src/gate.ts")} (written)`,
    `${process}: sleep 300`,
    "counted everything, and it was right",
    // The last result, whole or its two ends.
    "line of file two with some words in it",
    "the end of two",
  ]) {
    assert.ok(next.includes(within(kept)), kept);
  }
  assert.ok(!next.includes("number by number"), "what was summed up is not sent again");
  assert.ok(!next.includes("look at the gate"), "what is done is not among the open todos");
  assert.ok(!next.includes(within(firstTask)), "the first task is in the summary alone");
  // Rules and prompt are not compacted.
  const systemOf = (body: string) => body.slice(body.indexOf('{"role":"system"'), body.indexOf('{"role":"user"'));
  assert.equal(systemOf(next), systemOf(at.chats()[0] ?? ""));

  const done = await at.ask("Third task: say that all is done.");
  const finished = done.at(-1);
  assert.equal(finished?.type === "turn.finished" && finished.outcome.text, "All three are done.");
  assert.ok(at.chats().at(-1)?.includes("counted everything, and it was right"));
});

test("the model can read the originals again, and the user sees all of them", async () => {
  await using home = await tempHome();
  let id = "";
  const script = [...first, ...second, { text: "The gate is mended." }];
  await using at = await scene(home.path, [...script, () => call("read_back", { id }), { text: "Read." }], {
    text: notes,
  });
  await at.ask(firstTask);
  const untouched = await at.runtime.sessions.path(at.session.id);
  await at.ask(secondTask);
  const path = await at.runtime.sessions.path(at.session.id);
  assert.ok(path.some(({ type }) => type === "compacted"));
  assert.deepEqual(path.slice(0, untouched.length), untouched);
  id = untouched.findLast(({ type }) => type === "message")?.id ?? "";
  assert.ok(at.chats().at(-1)?.includes("The original messages are "));
  await at.ask("Read it again.");
  const last = at.chats().at(-1) ?? "";
  assert.ok(last.includes(`[${id}: said by you]\\nThe first task is done. It went well, number by number`));
});

test("killing a summariser during its work changes nothing", async () => {
  await using home = await tempHome();
  const hanging: ScriptedTurn = { text: notes, fault: { hangAfter: 40 } };
  await using at = await scene(home.path, [...first, ...second], hanging);
  await at.ask(firstTask);
  const turn = at.session.prompt([{ type: "text", text: secondTask }]);
  let before = "";
  let messages: readonly Message[] = [];
  for await (const event of turn.events()) {
    if (event.type !== "context.compacting") continue;
    messages = at.session.history();
    before = digestOf(await at.runtime.sessions.path(at.session.id));
    while (at.summaries().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    turn.abort("stopped by the person");
  }
  assert.equal((await turn.done).reason, "aborted");
  assert.equal(digestOf(await at.runtime.sessions.path(at.session.id)), before);
  assert.deepEqual(at.session.history(), messages);
});

test("killing the program while a model summarises leaves the session unchanged", async () => {
  await using home = await tempHome();
  const program = join(import.meta.dirname, "..", "support", "killed-summary.ts");
  const child = spawn(process.execPath, [...sourceFlags, program, home.path], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const chunk of child.stdout) {
    output += String(chunk);
    if (output.endsWith("\n")) break;
  }
  child.kill("SIGKILL");
  const [id = "", digest] = output.trim().split(" ");
  await using store = await openSessionStore(join(home.path, ".hermes", "sessions.db"), { clock: systemClock });
  const path = await store.path(asId<SessionId>(id));
  assert.ok(path.length > 10);
  assert.equal(digestOf(path), digest);
});

test("a summariser whose connection breaks is replaced by a mechanical summary", async () => {
  await using home = await tempHome();
  const broken: ScriptedTurn = { text: notes, fault: { disconnectAfter: 40 } };
  await using at = await scene(home.path, [...first, ...second, { text: "The gate is mended." }], broken);
  await at.ask(firstTask);
  const events = await at.ask(secondTask);
  const compacted = events.filter((event) => event.type === "context.compacted");
  assert.deepEqual(
    compacted.map(({ mechanical }) => mechanical),
    [true],
  );
  const last = at.chats().at(-1) ?? "";
  assert.ok(last.includes("Made without a model"));
  assert.ok(last.includes(JSON.stringify(secondTask).slice(1, -1)));
});
