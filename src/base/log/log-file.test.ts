import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";

import { fakeClock } from "../../../test/support/fake-clock.ts";
import { assertGrowsLinearly } from "../../../test/support/growth.ts";
import { tempHome } from "../../../test/support/temp-home.ts";
import { systemClock } from "../clock.ts";
import { createFileLog, type FileLogOptions } from "./log-file.ts";

const defaults = { level: "info", maxFileBytes: 5_000_000, maxTotalBytes: 50_000_000 } as const;

function logIn(folder: string, more: Partial<FileLogOptions> = {}) {
  return createFileLog({ folder, clock: fakeClock(), redact: (text) => text, ...defaults, ...more });
}

async function linesOf(path: string): Promise<Record<string, unknown>[]> {
  const text = await readFile(path, "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

const time = "2025-01-01T00:00:00.000Z";

test("each line is JSON with the fields of the logger and of the call, and only the owner can read the file", async () => {
  await using home = await tempHome();
  const folder = join(home.path, "logs");
  await using log = logIn(folder);
  log.info("one.happened", { a: 1 });
  log.with({ owner: "x" }).with({ b: 2 }).error("two.happened", { b: 3 });
  await log.flush();
  assert.deepEqual(await linesOf(join(folder, "hermes.jsonl")), [
    { at: time, level: "info", event: "one.happened", a: 1 },
    { at: time, level: "error", event: "two.happened", owner: "x", b: 3 },
  ]);
  const modes = await Promise.all([stat(folder), stat(join(folder, "hermes.jsonl"))]);
  assert.deepEqual(
    modes.map(({ mode }) => mode & 0o777),
    [0o700, 0o600],
  );
});

test("lines below the log level are not written", async () => {
  await using home = await tempHome();
  await using log = logIn(home.path, { level: "warn" });
  for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
  await log.flush();
  assert.deepEqual(
    (await linesOf(join(home.path, "hermes.jsonl"))).map(({ event }) => event),
    ["warn", "error"],
  );
});

test("the log file is created with the first line", async () => {
  await using home = await tempHome();
  const log = logIn(join(home.path, "logs"));
  log.debug("too.fine");
  await log.flush();
  log.flushSync();
  await log[Symbol.asyncDispose]();
  assert.deepEqual(await readdir(home.path), []);
});

test("log lines are flushed automatically after a short while", async () => {
  await using home = await tempHome();
  const clock = fakeClock();
  await using log = logIn(home.path, { clock });
  log.info("one");
  clock.advance(1_000);
  await log.flush();
  assert.deepEqual([(await linesOf(join(home.path, "hermes.jsonl"))).length, clock.waiting], [1, 0]);
});

test("disposing the log writes the pending lines; later lines are dropped and no timer stays", async () => {
  await using home = await tempHome();
  const clock = fakeClock();
  const log = logIn(home.path, { clock });
  log.info("last");
  await log[Symbol.asyncDispose]();
  log.info("too.late");
  await log.flush();
  log.flushSync();
  assert.deepEqual([(await linesOf(join(home.path, "hermes.jsonl"))).length, clock.waiting], [1, 0]);
});

test("a full log file is rotated, and all files together stay below the size limit, even after a restart", async () => {
  await using home = await tempHome();
  const limits = { maxFileBytes: 2_000, maxTotalBytes: 10_000 };
  for (let start = 0; start < 5; start++) {
    await using log = logIn(home.path, limits);
    for (let line = 0; line < 100; line++) log.info("x", { line: start * 100 + line });
  }
  const names = (await readdir(home.path)).filter((name) => name.endsWith(".jsonl"));
  assert.deepEqual(names, ["hermes.1.jsonl", "hermes.2.jsonl", "hermes.3.jsonl", "hermes.4.jsonl", "hermes.jsonl"]);
  const sizes = await Promise.all(names.map(async (name) => (await stat(join(home.path, name))).size));
  assert.ok(sizes.every((size) => size <= 2_000) && sizes.reduce((a, b) => a + b) <= 10_000);
  const newestLast = ["hermes.4.jsonl", "hermes.3.jsonl", "hermes.2.jsonl", "hermes.1.jsonl", "hermes.jsonl"];
  const kept = (await Promise.all(newestLast.map((name) => linesOf(join(home.path, name))))).flat();
  assert.deepEqual(
    kept.map(({ line }) => line),
    Array.from({ length: kept.length }, (_, index) => 500 - kept.length + index),
  );
});

test("a smaller log size limit takes effect at the next start and does not touch other files", async () => {
  await using home = await tempHome();
  for (let number = 1; number <= 20; number++)
    await writeFile(join(home.path, `hermes.${number}.jsonl`), "x".repeat(1_000));
  for (const name of ["notes.txt", "hermes.old.jsonl", "hermes.1.jsonl.bak"])
    await writeFile(join(home.path, name), "x".repeat(9_000));
  await using log = logIn(home.path, { maxFileBytes: 1_000, maxTotalBytes: 4_500 });
  log.info("x");
  await log.flush();
  assert.deepEqual(await readdir(home.path), [
    "hermes.1.jsonl",
    "hermes.1.jsonl.bak",
    "hermes.2.jsonl",
    "hermes.3.jsonl",
    "hermes.jsonl",
    "hermes.jsonl.lock",
    "hermes.old.jsonl",
    "notes.txt",
  ]);
});

test("a log line cut off by a crash does not damage other lines", async () => {
  await using home = await tempHome();
  const path = join(home.path, "hermes.jsonl");
  await writeFile(path, '{"at":"cut o');
  await using log = logIn(home.path);
  log.info("next");
  await log.flush();
  assert.deepEqual((await readFile(path, "utf8")).split("\n").slice(1), [
    JSON.stringify({ at: time, level: "info", event: "next" }),
    "",
  ]);
});

test("on a full disk, log lines are dropped silently, and the log reports their number later", async () => {
  await using home = await tempHome();
  const path = join(home.path, "hermes.jsonl");
  await mkdir(path);
  await using log = logIn(home.path);
  log.info("lost.1");
  await log.flush();
  log.info("lost.2");
  log.flushSync();
  log.info("lost.3");
  await log.flush();
  await rm(path, { recursive: true });
  log.info("back");
  await log.flush();
  log.info("again");
  await log.flush();
  assert.deepEqual(await linesOf(path), [
    { at: time, level: "warn", event: "log.dropped", lines: 3, reason: "EISDIR" },
    { at: time, level: "info", event: "back" },
    { at: time, level: "info", event: "again" },
  ]);
});

test("log lines beyond the memory limit are dropped and counted", async () => {
  await using home = await tempHome();
  await using log = logIn(home.path);
  for (let line = 0; line < 1_000; line++) log.info("x", { text: "y".repeat(7_000) });
  await log.flush();
  const lines = await linesOf(join(home.path, "hermes.jsonl"));
  const dropped = lines.find(({ event }) => event === "log.dropped");
  assert.equal(lines.length - 1 + Number(dropped?.["lines"]), 1_000);
});

test("no logged value makes the logger throw", async () => {
  await using home = await tempHome();
  await using log = logIn(home.path);
  const trap = {
    get field(): never {
      throw new Error("no");
    },
  };
  log.info("trapped", trap);
  log.with({ a: 1 }).info(undefined as unknown as string);
  log.info("fine", null as unknown as Record<string, never>);
  await log.flush();
  const [dropped, fine] = await linesOf(join(home.path, "hermes.jsonl"));
  assert.deepEqual([dropped?.["event"], fine?.["event"]], ["log.dropped", "fine"]);
});

test("the cost of a log line does not grow with the number of earlier lines", async () => {
  await using home = await tempHome();
  await using log = logIn(home.path, { clock: systemClock });
  await assertGrowsLinearly(5_000, (size) => {
    for (let line = 0; line < size; line++)
      log.info("tool.finished", { tool: "read_file", callId: `call_${line}`, ms: 12 });
  });
});
