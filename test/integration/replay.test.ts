// covers: src/providers, src/runtime
import assert from "node:assert/strict";
import { appendFile, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import type { Session } from "../../src/contracts/session/runtime.ts";
import { assertFails } from "../support/failure.ts";
import { ask, recordingRig, words } from "../support/recordings.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const echo = (text: string) => ({ name: "terminal", args: { command: `echo ${text}` } });

test("a session is replayed with the same answers and results, and nothing runs", async () => {
  await using rig = await recordingRig();
  const model = scriptedModel([
    { text: "let me see", calls: [{ name: "terminal", args: { command: "date +%N > made.txt; cat made.txt" } }] },
    { text: "done" },
    { calls: [echo("a"), echo("b"), { name: "read_file", args: { path: "made.txt" } }] },
    { text: "three" },
  ]);
  await rig.session(model, async (session) => {
    await ask(session, "first");
    await ask(session, "second");
  });
  const created = join(rig.folder, "made.txt");
  await rm(created);
  const { end, outcomes, events, deviations } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.ok(end.ok && end.value.turns === 2);
  assert.deepEqual(
    outcomes.map(({ reason, text }) => [reason, text]),
    [
      ["answered", "done"],
      ["answered", "three"],
    ],
  );
  assert.equal(events.filter(({ type }) => type === "tool.finished").length, 4);
  await assert.rejects(stat(created), "the tool was not run again");
});

test("in a replay with live tools, the tools run, and differences are reported with their position", async () => {
  await using rig = await recordingRig();
  await writeFile(join(rig.folder, "in.txt"), "before\n");
  const model = scriptedModel([{ calls: [{ name: "read_file", args: { path: "in.txt" } }] }, { text: "read" }]);
  await rig.session(model, async (session) => void (await ask(session, "go")));
  assert.deepEqual((await rig.play({ liveTools: true })).deviations, []);
  await writeFile(join(rig.folder, "in.txt"), "after\n");
  const { deviations, outcomes } = await rig.play({ liveTools: true });
  assert.equal(deviations.length, 1);
  assert.match(deviations[0] ?? "", /^1\.2: .*message 3 \(tool\): recorded ".*before.*", now ".*after/u);
  assert.equal(outcomes[0]?.text, "read");
});

test("a replay from a later turn plays the earlier turns silently, without live tools", async () => {
  await using rig = await recordingRig();
  const count = { name: "terminal", args: { command: "echo x >> count.txt" } };
  const model = scriptedModel([{ calls: [count] }, { text: "1" }, { calls: [count] }, { text: "2" }]);
  await rig.session(model, async (session) => {
    await ask(session, "one");
    await ask(session, "two");
  });
  await rm(join(rig.folder, "count.txt"));
  const { outcomes, deviations } = await rig.play({ from: 2, liveTools: true });
  assert.deepEqual(
    outcomes.map(({ text }) => text),
    ["2"],
  );
  assert.deepEqual(deviations, []);
  assert.equal(await readFile(join(rig.folder, "count.txt"), "utf8"), "x\n");
  const { end } = await rig.play({ from: 3 });
  assert.ok(!end.ok && /no turn 3/u.test(end.error.message));
});

test("a message sent in the middle of a turn is replayed at the same point", async () => {
  await using rig = await recordingRig();
  let session: Session | undefined;
  const model = scriptedModel((request, index) => {
    if (index === 0) session?.steer(words("steered"));
    if (index === 0) return { calls: [echo("a")] };
    const last = request.messages.at(-1);
    return { text: `got ${last?.content[0]?.type === "text" ? last.content[0].text : ""}` };
  });
  await rig.session(model, async (opened) => {
    session = opened;
    assert.equal((await ask(opened, "go")).text, "got steered");
  });
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.equal(outcomes[0]?.text, "got steered");
});

test("redirected requests and stopped turns are replayed as redirected and stopped", async () => {
  await using rig = await recordingRig();
  let session: Session | undefined;
  const model = scriptedModel((_, index) => {
    if (index === 0) setTimeout(() => session?.redirect(words("other way")), 20);
    if (index === 2) setTimeout(() => session?.turn?.abort("enough"), 20);
    return index === 1 ? { text: "the other way" } : { text: "thinking", hangs: true };
  });
  await rig.session(model, async (opened) => {
    session = opened;
    assert.equal((await ask(opened, "go")).text, "the other way");
    assert.equal((await ask(opened, "again")).reason, "aborted");
  });
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.deepEqual(
    outcomes.map(({ reason, text }) => [reason, text]),
    [
      ["answered", "the other way"],
      ["aborted", "thinking"],
    ],
  );
});

test("a turn that was stopped while a tool ran is stopped there again", async () => {
  await using rig = await recordingRig();
  const model = scriptedModel([{ calls: [{ name: "terminal", args: { command: "sleep 30" } }] }, { text: "after" }]);
  await rig.session(model, async (session) => {
    const turn = session.prompt(words("go"));
    for await (const event of turn.events()) if (event.type === "tool.started") turn.abort("enough");
    assert.equal((await turn.done).reason, "aborted");
    assert.equal((await ask(session, "go on")).text, "after");
  });
  const { outcomes } = await rig.play();
  assert.deepEqual(
    outcomes.map(({ reason }) => reason),
    ["aborted", "answered"],
  );
});

test("compactions, undone turns and model failures are replayed as they were", async () => {
  await using rig = await recordingRig();
  const long = "word ".repeat(6_000);
  const model = scriptedModel((request, index) => {
    if (request.tools.length === 0) return { text: "## Task\nsummed up" };
    if (index === 3) return { error: { kind: "server", message: "it broke" } };
    return { text: `answer ${index} ${index < 2 ? long : ""}` };
  });
  const texts: string[] = [];
  await rig.session(model, async (session) => {
    for (const prompt of ["one", "two", "three", "four"]) texts.push((await ask(session, prompt)).reason);
    await session.undo(1);
    await session.compress();
    texts.push((await ask(session, "five")).text);
  });
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.deepEqual([...outcomes.slice(0, 4).map(({ reason }) => reason), outcomes[4]?.text], texts);
});

test("a resumed session is appended to its recording; without one, the recording starts at the resume", async () => {
  await using rig = await recordingRig();
  const ids: string[] = [];
  const quiet = { "sessions.record": false };
  await rig.session(
    scriptedModel([{ calls: [echo("x")] }, { text: "one" }]),
    async (session) => {
      ids.push(session.id);
      await ask(session, "a");
    },
    {},
    quiet,
  );
  const resume = { resume: ids[0] as Session["id"] };
  await rig.session(scriptedModel([{ text: "two" }]), async (session) => void (await ask(session, "b")), resume);
  await rig.session(scriptedModel([{ text: "three" }]), async (session) => void (await ask(session, "c")), resume);
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.deepEqual(
    outcomes.map(({ text }) => text),
    ["two", "three"],
  );
});

test("a recording contains no secret, not even one that arrived in two chunks, and replays without it", async () => {
  const secret = "zq8Kp2Lw9Xv4Tn6Rb1Yc";
  await using rig = await recordingRig({ OPENAI_API_KEY: secret });
  const model = scriptedModel([
    {
      text: `the key is ${secret}`,
      calls: [{ name: "terminal", args: { command: `echo ${secret.slice(0, 10)}''${secret.slice(10)}` } }],
    },
    { text: `again ${secret}` },
  ]);
  await rig.session(model, async (session) => void (await ask(session, `my key is ${secret}`)));
  const text = await rig.recording();
  assert.ok(!text.includes(secret));
  assert.ok(!text.includes(Buffer.from(secret).toString("base64")));
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.equal(outcomes[0]?.text, "again ***");
});

test("only its owner can read a recording, and a link in its place is not followed", async () => {
  await using rig = await recordingRig();
  const one = (record: string) =>
    rig.session(scriptedModel([{ text: "x" }]), async (session) => void (await ask(session, "a")), { record });
  await one("out.jsonl");
  assert.equal((await stat(join(rig.folder, "out.jsonl"))).mode & 0o777, 0o600);
  await writeFile(join(rig.folder, "victim"), "");
  await symlink("victim", join(rig.folder, "link.jsonl"));
  await one("link.jsonl");
  assert.equal(await readFile(join(rig.folder, "victim"), "utf8"), "");
});

test("a second session writes neither into the first session's file nor over a file that is not a recording", async () => {
  await using rig = await recordingRig();
  const one = (answer: string) =>
    rig.session(scriptedModel([{ text: answer }]), async (session) => void (await ask(session, "a")), {
      record: "out.jsonl",
    });
  await one("first");
  await one("second");
  const outcomesOf = async (recording: string) => (await rig.play({ recording })).outcomes.map(({ text }) => text);
  assert.deepEqual(await outcomesOf("out.jsonl"), ["first"]);
  assert.deepEqual(await outcomesOf("latest"), ["second"]);
  await writeFile(join(rig.folder, "out.jsonl"), "dear diary\n");
  await one("third");
  assert.equal(await readFile(join(rig.folder, "out.jsonl"), "utf8"), "dear diary\n");
});

test("a recording that cannot be written is reported once, and the session continues", async () => {
  await using rig = await recordingRig();
  const messages: string[] = [];
  const model = scriptedModel([{ text: "one" }, { text: "two" }]);
  await rig.session(
    model,
    async (session) => {
      await ask(session, "a");
      assert.equal((await ask(session, "b")).text, "two");
    },
    { record: "." },
    {},
    (sentence) => messages.push(sentence),
  );
  assert.equal(messages.filter((sentence) => sentence.includes("Recording stopped")).length, 1);
});

test("a recording from another source is refused or replayed, and never crashes", async () => {
  await using rig = await recordingRig();
  const file = join(rig.folder, "out.jsonl");
  const model = scriptedModel([{ calls: [echo("x")] }, { text: "end" }]);
  await rig.session(model, async (session) => void (await ask(session, "a")), { record: file });
  const lines = (await readFile(file, "utf8")).trimEnd().split("\n");
  const spoilt = [
    null,
    0,
    "x",
    [],
    {},
    [null],
    [[]],
    { type: "text" },
    [{ type: "finish" }],
    [{ role: "user" }],
    -5,
    1e9,
  ];
  for (const [index, line] of lines.entries()) {
    const fields: Record<string, unknown> = JSON.parse(line);
    for (const [turn, key] of Object.keys(fields).entries()) {
      const changed = { ...fields, [key]: spoilt[(index + turn) % spoilt.length] };
      await writeFile(file, `${lines.with(index, JSON.stringify(changed)).join("\n")}\n`);
      await assert.doesNotReject(rig.play({ recording: file }), `${key} of line ${index + 1}`);
    }
  }
});

test("a recording truncated by a crash is replayed up to its end; damage in the middle is refused", async () => {
  await using rig = await recordingRig();
  const file = join(rig.folder, "out.jsonl");
  await rig.session(
    scriptedModel([{ text: "one" }, { text: "two" }]),
    async (session) => {
      await ask(session, "a");
      await ask(session, "b");
    },
    { record: file },
  );
  const whole = await readFile(file, "utf8");
  for (let cut = whole.length - 1; cut > whole.lastIndexOf('{"type":"turn"'); cut -= 97) {
    await writeFile(file, whole.slice(0, cut));
    const { end, outcomes } = await rig.play({ recording: file });
    assert.ok(end.ok, `cut at ${cut}`);
    assert.equal(outcomes[0]?.text, "one");
  }
  await writeFile(file, `${whole.slice(0, 3_000)}\n???\n${whole.slice(3_000)}`);
  const { end } = await rig.play({ recording: file });
  assert.ok(!end.ok && /Line \d+ is not/u.test(end.error.message));
  await writeFile(file, "{}\n");
  assertFails((await rig.play({ recording: file })).end, /Line 1 is not a line of a recording/u);
  await appendFile(file, "\0".repeat(1_000));
  assertFails((await rig.play({ recording: file })).end, /Line 1 is not a line of a recording/u);
});

test("a replay leaves nothing in the store of the home, and can be stopped", async () => {
  await using rig = await recordingRig();
  await rig.session(scriptedModel([{ text: "one" }, { text: "two" }]), async (session) => {
    await ask(session, "a");
    await ask(session, "b");
  });
  const before = await stat(join(rig.home, "sessions.db"));
  const stopped = AbortSignal.abort();
  const { outcomes } = await rig.play({ signal: stopped });
  assert.deepEqual(outcomes, []);
  assert.equal((await stat(join(rig.home, "sessions.db"))).mtimeMs, before.mtimeMs);
});

test("replaying a recording with too few answers reports the problem", async () => {
  await using rig = await recordingRig();
  const file = join(rig.folder, "out.jsonl");
  const model = scriptedModel([{ calls: [echo("x")] }, { text: "end" }]);
  await rig.session(model, async (session) => void (await ask(session, "a")), { record: file });
  const lines = (await readFile(file, "utf8")).split("\n");
  const last = lines.findLastIndex((line) => line.startsWith('{"type":"request"'));
  await writeFile(file, [...lines.slice(0, last), ...lines.slice(last + 2)].join("\n"));
  const { deviations, outcomes } = await rig.play({ recording: file });
  assert.equal(deviations[0], "1.2: The model gets one more request than in the recording.");
  assert.equal(outcomes[0]?.reason, "failed");
});

test("a replay of a recording that ends while a tool runs stops there and reports it once", async () => {
  await using rig = await recordingRig();
  const file = join(rig.folder, "out.jsonl");
  const model = scriptedModel([{ calls: [echo("x")] }, { text: "end" }]);
  await rig.session(model, async (session) => void (await ask(session, "a")), { record: file });
  const lines = (await readFile(file, "utf8")).split("\n");
  const results = lines.findIndex((line) => line.startsWith('{"type":"results"'));
  for (const until of [results, results + 1, results + 2]) {
    await writeFile(file, `${lines.slice(0, until).join("\n")}\n`);
    const { deviations, outcomes } = await rig.play({ recording: file });
    assert.deepEqual(
      deviations.map((text) => text.replace(/^\S+ /u, "")),
      ["The recording ends in the middle of this turn."],
    );
    assert.equal(outcomes[0]?.reason, "aborted");
  }
});

test("a session without a recording cannot be replayed, and the error explains how to record", async () => {
  await using rig = await recordingRig();
  const { end } = await rig.play({ recording: "20260101_000000_abcdef" });
  assert.ok(!end.ok && end.error.hint?.includes("--record"));
});

test("context that is added to a prompt is recorded with it, and not added again", async () => {
  await using rig = await recordingRig();
  let name = "one";
  const scripted = scriptedModel([{ text: "1" }, { text: "2" }]);
  const model = { ...scripted, facts: () => ({ ...scripted.facts(), model: name }) };
  await rig.session(model, async (session) => {
    await ask(session, "first");
    name = "two";
    await session.useModel("two");
    await ask(session, "second");
  });
  assert.match(JSON.stringify(scripted.requests.at(-1)?.messages.at(-1)), /You now run on scripted\/two/u);
  const { deviations, outcomes } = await rig.play();
  assert.deepEqual(deviations, []);
  assert.equal(outcomes.length, 2);
});
