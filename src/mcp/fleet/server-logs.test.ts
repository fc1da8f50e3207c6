import assert from "node:assert/strict";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { openServerLogs } from "./server-logs.ts";

async function logsIn(canWrite = () => true) {
  const home = await tempHome();
  const folder = join(home.path, "logs");
  const clock = fakeClock();
  const redact = (text: string) => text.replaceAll("hunter2", "***");
  return {
    logs: openServerLogs({ folder, canWrite, redact, clock }),
    clock,
    file: (name: string) => join(folder, name),
    read: (name: string) => readFileSync(join(folder, name), "utf8").split("\n").slice(0, -1),
    [Symbol.asyncDispose]: () => home[Symbol.asyncDispose](),
  };
}

test("each server has a log of its own, with plain lines and without secrets, that only the owner can read", async () => {
  await using at = await logsIn();
  at.logs.add("a", { level: "info", logger: "db", text: "one\nline \u001b[31mred hunter2" });
  at.logs.add("b", { level: "error", text: "two" });
  at.clock.advance(250);
  const [line = "", ...others] = at.read("a.log");
  assert.match(line, /^\S+ .*info db: one line .*red \*\*\*$/u);
  assert.doesNotMatch(line, /\p{Cc}/u);
  assert.deepEqual(others, []);
  assert.match(at.read("b.log").join(), / error two$/u);
  assert.equal(statSync(at.file("a.log")).mode & 0o777, 0o600);
});

test("a flood of log messages is cut in number and length, and the log says how many were dropped", async () => {
  await using at = await logsIn();
  for (let index = 0; index < 10_000; index++) at.logs.add("a", { level: "info", text: "x".repeat(100_000) });
  at.clock.advance(250);
  const lines = at.read("a.log");
  assert.equal(lines.length, 201);
  assert.equal(lines.at(-1), "(9800 more messages were dropped)");
  assert.ok(lines.every((line) => line.length < 2_100));
  assert.equal(at.logs.tail("a").length, 50);
});

test("a log file that is too long is replaced, and one old file is kept", async () => {
  await using at = await logsIn();
  for (let round = 0; round < 20; round++) {
    for (let index = 0; index < 200; index++) at.logs.add("a", { level: "info", text: "y".repeat(2_000) });
    at.clock.advance(250);
  }
  const sizes = ["a.log", "a.log.1"].map((name) => statSync(at.file(name)).size);
  assert.ok(
    sizes.every((bytes) => bytes > 0 && bytes < 1_500_000),
    String(sizes),
  );
  assert.equal(existsSync(at.file("a.log.2")), false);
});

test("without a home nothing is written, and the latest messages are still shown", async () => {
  await using at = await logsIn(() => false);
  at.logs.add("a", { level: "info", text: "one" });
  at.logs[Symbol.dispose]();
  assert.equal(existsSync(at.file("a.log")), false);
  assert.match(at.logs.tail("a").join(), /one$/u);
  assert.deepEqual(at.logs.tail("b"), []);
});

test("closing writes the messages that wait", async () => {
  await using at = await logsIn();
  at.logs.add("a", { level: "info", text: "last words" });
  at.logs[Symbol.dispose]();
  assert.match(at.read("a.log").join(), /last words$/u);
});
