// covers: src/runtime
import assert from "node:assert/strict";
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { ask, recordingRig } from "../support/recordings.ts";
import { scriptedModel } from "../support/scripted-model.ts";

const settings = { "agent.save_trajectories": true, "sessions.record": false };

test("a session is saved as a trajectory when it is closed, completely even after a compaction, without secrets", async () => {
  const secret = "zq8Kp2Lw9Xv4Tn6Rb1Yc";
  await using rig = await recordingRig({ OPENAI_API_KEY: secret });
  const long = "word ".repeat(6_000);
  const model = scriptedModel((request, index) =>
    request.tools.length === 0
      ? { text: "## Task\nsummed up" }
      : { text: index < 2 ? `answer ${index} ${long}` : `it is ${secret}` },
  );
  await rig.session(
    model,
    async (session) => {
      for (const prompt of ["one", "two", "three"]) await ask(session, prompt);
      await session.compress();
      await ask(session, "four");
    },
    {},
    settings,
  );
  const file = join(rig.home, "trajectories", "trajectory_samples.jsonl");
  const text = await readFile(file, "utf8");
  const rows = text.trimEnd().split("\n");
  assert.equal(rows.length, 1);
  const row = JSON.parse(rows[0] ?? "");
  const messages = row.conversations.filter(({ from }: { from: string }) => from === "human");
  assert.deepEqual(
    messages.map(({ value }: { value: string }) => value),
    ["one", "two", "three", "four"],
  );
  assert.ok(row.completed && row.model === "test" && !text.includes(secret));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test("a failed trajectory goes to the other file, and an empty one is not saved", async () => {
  await using rig = await recordingRig();
  await rig.session(scriptedModel([]), async () => {}, {}, settings);
  await assert.rejects(stat(join(rig.home, "trajectories")));
  await rig.session(scriptedModel([]), async (session) => void (await ask(session, "go")), {}, settings);
  const row = JSON.parse(await readFile(join(rig.home, "trajectories", "failed_trajectories.jsonl"), "utf8"));
  assert.equal(row.completed, false);
});

test("sessions that end at the same moment do not mix their lines", async () => {
  await using rig = await recordingRig();
  const one = (index: number) =>
    rig.session(
      scriptedModel([{ text: `answer ${index} ${"x".repeat(50_000)}` }]),
      async (session) => void (await ask(session, `p${index}`)),
      {},
      settings,
    );
  await Promise.all(Array.from({ length: 8 }, (_, index) => one(index)));
  const text = await readFile(join(rig.home, "trajectories", "trajectory_samples.jsonl"), "utf8");
  const rows = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(rows.length, 8);
});
