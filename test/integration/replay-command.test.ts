// covers: src/providers, src/hosts, src/runtime
import assert from "node:assert/strict";
import { rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { hermes } from "../support/fake-terminal.ts";
import { tempHome } from "../support/temp-home.ts";

test("hermes records one prompt and replays it, without running anything", async () => {
  await using home = await tempHome();
  const place = { home: join(home.path, ".hermes"), cwd: home.path };
  const answer = await hermes(["-z", "write hi to a.txt and then show it", "--record"], place);
  assert.equal(answer.code, 0, answer.err);
  await rm(join(home.path, "a.txt"));
  const played = await hermes(["replay", "latest"], place);
  assert.equal(played.code, 0, played.err);
  assert.match(
    played.out,
    /1> write hi to a\.txt and then show it[\s\S]*write_file a\.txt[\s\S]*read_file a\.txt[\s\S]*a\.txt \(1 line\)/u,
  );
  assert.match(played.err, /1 turn replayed, as recorded/u);
  await assert.rejects(stat(join(home.path, "a.txt")));
});

test("with --json the replay prints one event per line, including differences and the end", async () => {
  await using home = await tempHome();
  const place = { home: join(home.path, ".hermes"), cwd: home.path };
  await writeFile(join(home.path, "in.txt"), "before\n");
  assert.equal((await hermes(["-z", "read in.txt", "--record", "r.jsonl"], place)).code, 0);
  await writeFile(join(home.path, "in.txt"), "after\n");
  const { code, out } = await hermes(["replay", "r.jsonl", "--live-tools", "--json"], place);
  assert.equal(code, 1);
  const events = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  assert.equal(events.filter(({ type }) => type === "replay.deviated").length, 1);
  assert.deepEqual(events.at(-1)?.deviations, 1);
});

test("a recording that cannot be replayed is an error with advice", async () => {
  await using home = await tempHome();
  const place = { home: join(home.path, ".hermes"), cwd: home.path };
  const missing = await hermes(["replay", "latest"], place);
  assert.equal(missing.code, 1);
  assert.match(missing.err, /no recording yet[\s\S]*--record/u);
  assert.equal((await hermes(["replay", "latest", "--from", "zero"], place)).code, 2);
  assert.equal((await hermes(["replay"], place)).code, 2);
});
